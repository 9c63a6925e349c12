import { callHost, type Client } from '../host/client.ts'
import type { Log } from '../host/log.ts'
import {
  type CompletedCall,
  type History,
  isCompletedCall,
  type MessagePart,
  storePart,
} from '../host/message-parts.ts'
import { isRun } from '../host/run-output.ts'
import { LruMap } from '../text/lru-map.ts'

const MAX_REPLACED = 200

/** Inserts a part into its message: in place of the part with the same id, or else in the order of ids. */
const insertPart = (history: History, part: MessagePart): void => {
  const parts = history.find(({ info }) => info.id === part.messageID)?.parts ?? []
  const at = parts.findIndex(({ id }) => id === part.id)
  parts.splice(at < 0 ? parts.filter(({ id }) => id < part.id).length : at, at < 0 ? 0 : 1, part)
}

/** Changes parts of a session's history, both in the messages of a request and in the host's store. */
export class PartStore {
  readonly #client: Client
  readonly #log: Log
  /** Changed parts by id. They are kept, because the host may have loaded the next request before they were stored. */
  readonly #replaced = new LruMap<string, CompletedCall>(MAX_REPLACED)
  /** The ids of changed parts that are not stored: they are inserted into every request. */
  readonly #unstored = new Set<string>()
  /** Whether changes are stored only at the end: `opencode run` would print a call again for each stored change. */
  #isLate = isRun()

  constructor(client: Client, log: Log) {
    this.#client = client
    this.#log = log
  }

  /**
   * Changes the state of a call's part, in the request and in the store. `stateOf` is applied to each of them, because
   * another plugin may have shortened the part in the request.
   */
  async change(part: CompletedCall, stateOf: (part: CompletedCall) => CompletedCall['state']): Promise<void> {
    const found = this.#unstored.has(part.id) && this.#replaced.get(part.id) || await this.#read(part)
    const stored = isCompletedCall(found) ? { ...found, state: stateOf(found) } : null
    part.state = stateOf(part)
    const changed = stored ?? part
    this.#replaced.set(part.id, changed)
    this.#unstored.add(part.id)
    // Of too many unstored changes, the cache would drop some.
    const isDeferred = this.#isLate && this.#unstored.size < MAX_REPLACED
    if (!isDeferred && await this.#store(changed)) this.#unstored.delete(part.id)
  }

  /** Stores all changes that are still to be stored; later changes are stored immediately. */
  async flush(): Promise<void> {
    this.#isLate = false
    const late = [...this.#replaced.values()].filter(({ id }) => this.#unstored.has(id))
    await Promise.all(
      late.map(async (part) => {
        if (await this.#store(part)) this.#unstored.delete(part.id)
      }),
    )
  }

  /** Adds a part to a message of a request, and of the stored history. */
  async add(history: History, part: MessagePart): Promise<void> {
    insertPart(history, part)
    await this.#store(part)
  }

  async #read(part: CompletedCall): Promise<MessagePart> {
    const path = { id: part.sessionID, messageID: part.messageID }
    const { data } = await callHost(() => this.#client.session.message({ path }))
    return data?.parts.find(({ id }) => id === part.id) ?? part
  }

  async #store(part: MessagePart): Promise<boolean> {
    const { error } = await storePart(this.#client, part)
    if (error !== null) this.#log('warn', `A changed part could not be stored: ${error}`, { part: part.id })
    return error === null
  }

  /** Replaces parts of a request by their changed versions. */
  insertChanged(messages: History): void {
    for (const { parts } of this.#replaced.size === 0 ? [] : messages) {
      for (const [index, { id }] of parts.entries()) parts[index] = this.#replaced.get(id) ?? parts[index]!
    }
  }

  /** Forgets the stored parts of a session: its next request reads them from the store. */
  forgetStored(sessionID: string): void {
    for (const [id, part] of [...this.#replaced]) {
      if (part.sessionID === sessionID && !this.#unstored.has(id)) this.#replaced.delete(id)
    }
  }
}

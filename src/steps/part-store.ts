/** Changes and adds message parts in a request and in the host's store; inserts changed parts into later requests. */
import { callHost, type Client } from '../host/client.ts'
import { isRun } from '../host/headless-run.ts'
import type { Log } from '../host/log.ts'
import {
  type CompletedCall,
  type History,
  isCompletedCall,
  type MessagePart,
  storePart,
} from '../host/message-parts.ts'
import { LruMap } from '../text/lru-map.ts'

const MAX_CHANGED = 200

type ChangedPart = { part: CompletedCall; isStored: boolean }

export class PartStore {
  readonly #client: Client
  readonly #log: Log
  /** A stored part stays here until its session's next request, which may still contain the old part. */
  readonly #changed = new LruMap<string, ChangedPart>(MAX_CHANGED)
  /** In `opencode run`, changes wait for `flush`, because the host prints a call again whenever it is stored. */
  #waitsForFlush = isRun()

  constructor(client: Client, log: Log) {
    this.#client = client
    this.#log = log
  }

  /** Changes `part` and the stored part separately, because a plugin may have shortened the output only in `part`. */
  async change(part: CompletedCall, stateOf: (part: CompletedCall) => CompletedCall['state']): Promise<void> {
    const last = this.#changed.get(part.id)
    const latest = last && !last.isStored ? last.part : await this.#read(part)
    const partToStore = isCompletedCall(latest) ? { ...latest, state: stateOf(latest) } : part
    part.state = stateOf(part)
    // If the map is full, adding a part drops the oldest part, so the oldest part is stored first.
    const [oldest] = this.#changed.values()
    const isDropped = !last && this.#changed.size >= MAX_CHANGED
    if (oldest && isDropped && !oldest.isStored) await this.#store(oldest.part)
    const changed = { part: partToStore, isStored: false }
    this.#changed.set(part.id, changed)
    if (!this.#waitsForFlush) changed.isStored = await this.#store(partToStore)
  }

  /** Stores the waiting changes. Later changes are stored at once. */
  async flush(): Promise<void> {
    this.#waitsForFlush = false
    await Promise.all([...this.#changed.values()].map(async (changed) => {
      changed.isStored ||= await this.#store(changed.part)
    }))
  }

  async add(history: History, part: MessagePart): Promise<void> {
    const parts = history.find(({ info }) => info.id === part.messageID)?.parts ?? []
    const at = parts.findIndex(({ id }) => id === part.id)
    if (at >= 0) parts[at] = part
    else parts.splice(parts.filter(({ id }) => id < part.id).length, 0, part)
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

  insertChanged(messages: History): void {
    if (this.#changed.size === 0) return
    for (const { parts } of messages) {
      for (const [index, part] of parts.entries()) parts[index] = this.#changed.get(part.id)?.part ?? part
    }
  }

  /** Forgets the stored parts of a session: its later requests load them from the store. */
  forgetStored(sessionID: string): void {
    for (const [id, { part, isStored }] of [...this.#changed]) {
      if (part.sessionID === sessionID && isStored) this.#changed.delete(id)
    }
  }
}

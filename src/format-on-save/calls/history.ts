import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Client } from '../../host/client.ts'
import { filesOfCall } from '../../host/file-tools.ts'
import type { Log } from '../../host/log.ts'
import { type DonePart, type EntryPart, type History, isDone, storePart } from '../../host/message-parts.ts'
import { safe } from '../../safe.ts'
import { LruMap } from '../../text/lru-map.ts'

export type { DonePart }

/** Some models restart their call ids in each turn: these arguments distinguish calls with the same id. */
const TEXT_ARGUMENTS = ['filePath', 'content', 'oldString', 'newString', 'patchText']

/** A call by its id and its arguments. */
type Called = { callID: string; args: Record<string, unknown> }

/** Finds the last part of a history that has ended and that a condition holds for; what is asked for is near the end. */
const lastDone = (messages: History, isWanted: (part: DonePart) => boolean): DonePart | null => {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const part = messages[index]!.parts.filter(isDone).findLast(isWanted)
    if (part) return part
  }
  return null
}

/** Finds the part of a call that has ended; null where the history has none. */
export const partOf = (messages: History, { callID, args }: Called): DonePart | null => {
  const isCall = (part: DonePart) => part.callID === callID
  const isSame = ({ state }: DonePart) => TEXT_ARGUMENTS.every((name) => state.input[name] === args[name])
  return lastDone(messages, (part) => isCall(part) && isSame(part)) ?? lastDone(messages, isCall)
}

/** Finds the last call of a history that has ended. */
export const lastPartOf = (messages: History): DonePart | null => lastDone(messages, () => true)

const filesOf = (part: EntryPart): Array<string> => {
  if (isDone(part)) return filesOfCall(part.tool, part.state.input)
  if (part.type !== 'file') return []
  return safe(() => part.url.startsWith('file:///') ? [fileURLToPath(part.url)] : []).data ?? []
}

/** Lists the files that messages show: what their calls read and wrote, and what a person attached. */
export const filesShownIn = (messages: History, directory: string): Set<string> =>
  new Set(messages.flatMap(({ parts }) => parts.flatMap(filesOf)).map((file) => resolve(directory, file)))

const MAX_UNSTORED = 200

/** Replaces parts of a session's history: in the messages of a request, and in the host's store. */
export class PartStore {
  readonly #client: Client
  readonly #log: Log
  /** Parts that could not be stored, by id: they are inserted into each request. */
  readonly #unstored = new LruMap<string, DonePart>(MAX_UNSTORED)

  constructor(client: Client, log: Log) {
    this.#client = client
    this.#log = log
  }

  /** Replaces the state of a part that a request holds, and that of the stored part. */
  async replace(part: DonePart, state: DonePart['state']): Promise<void> {
    part.state = state
    this.#unstored.set(part.id, part)
    await this.#store(part)
  }

  /** Tries once more to store what could not be stored of a session, for its forks and the host's next start. */
  async storeAgain(sessionID: string): Promise<void> {
    const parts = [...this.#unstored.values()].filter((part) => part.sessionID === sessionID)
    await Promise.all(parts.map((part) => this.#store(part)))
  }

  async #store(part: DonePart): Promise<void> {
    const { error } = await storePart(this.#client, part)
    if (error === null) this.#unstored.delete(part.id)
    else this.#log('warn', `A corrected ${part.tool} call could not be stored: ${error}`)
  }

  /** Inserts the parts that could not be stored into a request. */
  insertUnstored(messages: History): void {
    for (const { parts } of this.#unstored.size === 0 ? [] : messages) {
      for (const [index, { id }] of parts.entries()) parts[index] = this.#unstored.get(id) ?? parts[index]!
    }
  }
}

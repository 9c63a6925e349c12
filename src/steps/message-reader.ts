/** Lets each consumer of a session's messages read only the messages that it has not read. */
import type { History, Message, MessagePart } from '../host/message-parts.ts'
import { safe } from '../safe.ts'

/** Returns the value to compare for a part, or undefined if the part's changes do not matter. */
const fingerprintOf = (part: MessagePart, role: Message['info']['role']): unknown => {
  if (part.type === 'text') return role === 'user' && !part.synthetic ? part.text : undefined
  if (part.type === 'file') return part.url
  if (part.type !== 'tool') return undefined
  // Other plugins may remove fields or make them unreadable.
  return safe(() => {
    const { status, input } = Object(part.state)
    // SAT itself may change the output of a completed call, and all arguments but the path.
    return status === 'completed' ? Object(input).filePath : status
  }).data
}

const fingerprintsOf = ({ info: { id, role }, parts }: Message): Array<unknown> => [
  id,
  ...parts.map((part) => fingerprintOf(part, role)),
]

const isSame = (read: Array<unknown>, message: Message | undefined): boolean => {
  const now = message ? fingerprintsOf(message) : []
  return now.length === read.length && now.every((fingerprint, index) => fingerprint === read[index])
}

export class MessageReader {
  #readMessages: Array<Array<unknown>> = []
  #readCounts = new WeakMap<object, number>()
  #comparedHistory: History | undefined

  /** Returns the messages that the consumer has not read, and the index in `history` at which they begin. */
  next(consumer: object, history: History): { first: number; added: History } {
    if (history !== this.#comparedHistory) this.#compare(history)
    const first = this.#readCounts.get(consumer) ?? 0
    this.#readCounts.set(consumer, history.length)
    return { first, added: history.slice(first) }
  }

  /** If a message that was read is gone or has changed, makes every consumer start at the first message again. */
  #compare(history: History): void {
    this.#comparedHistory = history
    if (!this.#readMessages.every((message, index) => isSame(message, history[index]))) {
      this.#readMessages = []
      this.#readCounts = new WeakMap()
    }
    this.#readMessages.push(...history.slice(this.#readMessages.length).map(fingerprintsOf))
  }

  /** Makes `next` compare the history again, because the host may change the same array for the next request. */
  endRequest(): void {
    this.#comparedHistory = undefined
  }
}

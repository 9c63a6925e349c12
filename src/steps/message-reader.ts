/** Lets each consumer read only the messages of a session that are new to it. */
import type { History, Message, MessagePart } from '../host/message-parts.ts'
import { safe } from '../safe.ts'

/** Returns the value that shows whether a part has changed, or undefined if no change of the part counts. */
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

type ReadMessage = { id: string; fingerprints: Array<unknown> }

const toReadMessage = ({ info: { id, role }, parts }: Message): ReadMessage => ({
  id,
  fingerprints: parts.map((part) => fingerprintOf(part, role)),
})

const isSame = ({ id, fingerprints }: ReadMessage, message: Message | undefined): boolean =>
  message?.info.id === id && message.parts.length === fingerprints.length
  && message.parts.every((part, index) => fingerprintOf(part, message.info.role) === fingerprints[index])

export class MessageReader {
  #readMessages: Array<ReadMessage> = []
  #readCounts = new WeakMap<object, number>()
  #comparedHistory: History | undefined

  /** Returns the messages that are new to a consumer, and the index of the first one in the history. */
  next(consumer: object, history: History): { first: number; added: History } {
    if (history !== this.#comparedHistory) this.#compare(history)
    const first = this.#readCounts.get(consumer) ?? 0
    this.#readCounts.set(consumer, history.length)
    return { first, added: history.slice(first) }
  }

  /** If a read message is gone or has changed, every consumer starts again. */
  #compare(history: History): void {
    this.#comparedHistory = history
    if (!this.#readMessages.every((message, index) => isSame(message, history[index]))) {
      this.#readMessages = []
      this.#readCounts = new WeakMap()
    }
    this.#readMessages.push(...history.slice(this.#readMessages.length).map(toReadMessage))
  }

  /** Makes `next` compare the history again, because the host may change the same array for the next request. */
  endRequest(): void {
    this.#comparedHistory = undefined
  }
}

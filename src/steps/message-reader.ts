/** Lets each consumer read only those messages of a session that are new to it. */
import type { History, Message, MessagePart } from '../host/message-parts.ts'
import { safe } from '../safe.ts'

/** Returns the value by which a change of a part is noticed; undefined if its changes do not matter. */
const fingerprintOf = (part: MessagePart, role: Message['info']['role']): unknown => {
  if (part.type === 'text') return role === 'user' && !part.synthetic ? part.text : undefined
  if (part.type === 'file') return part.url
  if (part.type !== 'tool') return undefined
  // The stored state may be incomplete, and other plugins may remove fields or make them unreadable.
  return safe(() => {
    const { status, input } = Object(part.state)
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

/** A consumer is any object; it identifies who reads the messages. */
export class MessageReader {
  #readMessages: Array<ReadMessage> = []
  /** Replaced by a new object when all messages are to be read again. */
  #generation = {}
  #comparedHistory: History | undefined
  readonly #consumers = new WeakMap<object, { generation: object; count: number }>()

  /** Returns the messages new to a consumer, from index `first` on; all if one that was read is gone or has changed. */
  next(consumer: object, history: History): { first: number; added: History } {
    if (history !== this.#comparedHistory) this.#compare(history)
    this.#comparedHistory = history
    const last = this.#consumers.get(consumer)
    const first = last?.generation === this.#generation ? last.count : 0
    this.#consumers.set(consumer, { generation: this.#generation, count: history.length })
    return { first, added: history.slice(first) }
  }

  #compare(history: History): void {
    if (!this.#readMessages.every((message, index) => isSame(message, history[index]))) {
      this.#readMessages = []
      this.#generation = {}
    }
    for (const message of history.slice(this.#readMessages.length)) {
      this.#readMessages.push(toReadMessage(message))
    }
  }

  /** Forgets the compared history: the host may reuse its array for the next request. */
  endRequest(): void {
    this.#comparedHistory = undefined
  }
}

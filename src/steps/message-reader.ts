/** Lets each consumer read only those messages of a session that are new to it. */
import type { History, Message, MessagePart } from '../host/message-parts.ts'
import { safe } from '../safe.ts'

/** Returns what must stay the same in a part for its message to count as read; undefined if any change is ignored. */
const fingerprintOf = (part: MessagePart, role: Message['info']['role']): unknown => {
  if (part.type === 'text') return role === 'user' && !part.synthetic ? part.text : undefined
  if (part.type === 'file') return part.url
  if (part.type !== 'tool') return undefined
  // The stored state may be incomplete, and other plugins may remove fields or make them unreadable.
  return safe(() => {
    const { status, input } = Object(part.state)
    // SAT may change the output and the other arguments of a completed call, so only its path counts.
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
  /** Counts how often a read message was gone or had changed. Then each consumer reads all messages again. */
  #restarts = 0
  #comparedHistory: History | undefined
  /** By consumer: how many messages it has read, and `#restarts` at that time. */
  readonly #progress = new WeakMap<object, { restarts: number; count: number }>()

  /** Returns the messages that are new to a consumer, and the index of the first one in the history. */
  next(consumer: object, history: History): { first: number; added: History } {
    if (history !== this.#comparedHistory) this.#compare(history)
    this.#comparedHistory = history
    const progress = this.#progress.get(consumer)
    const first = progress?.restarts === this.#restarts ? progress.count : 0
    this.#progress.set(consumer, { restarts: this.#restarts, count: history.length })
    return { first, added: history.slice(first) }
  }

  #compare(history: History): void {
    if (!this.#readMessages.every((message, index) => isSame(message, history[index]))) {
      this.#readMessages = []
      this.#restarts += 1
    }
    this.#readMessages.push(...history.slice(this.#readMessages.length).map(toReadMessage))
  }

  /** Lets the next history be compared even if it is the array compared last: the host may have changed it. */
  endRequest(): void {
    this.#comparedHistory = undefined
  }
}

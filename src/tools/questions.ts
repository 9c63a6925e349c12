/** Holds a session's questions, which ask the model to correct texts or to confirm them in a later message. */
import { LruMap } from '../text/lru-map.ts'

type Question = { messageID: string | undefined; doubts: string }

const MAX_QUESTIONS = 100
const MAX_REFUSED = 1_000

export const keyOf = (texts: Array<string>): string => JSON.stringify(texts.map((text) => text.trim()))

export class Questions {
  readonly #open = new LruMap<string, Question>(MAX_QUESTIONS)
  readonly #refused = new LruMap<string, { messageID: string | undefined; issue: string }>(MAX_REFUSED)

  ask(texts: Array<string>, messageID: string | undefined, doubts = ''): void {
    this.#open.set(keyOf(texts), { messageID, doubts })
  }

  refuse(text: string, messageID: string | undefined, issue: string): void {
    this.#refused.set(text.trim(), { messageID, issue })
  }

  /** Whether this text was refused for this issue in an earlier message. */
  wasRefused(text: string, messageID: string | undefined, issue: string): boolean {
    const refused = this.#refused.get(text.trim())
    return refused?.issue === issue && (messageID === undefined || refused.messageID !== messageID)
  }

  refusedAmong(texts: Array<string>): Array<string> {
    return texts.filter((text) => this.#refused.has(text.trim()))
  }

  isOpen(texts: Array<string>): boolean {
    return this.#open.has(keyOf(texts))
  }

  close(texts: Array<string>): void {
    this.#open.delete(keyOf(texts))
    for (const text of texts) this.#refused.delete(text.trim())
  }

  /** Returns true if an earlier message raised the same doubts about these texts. Otherwise, asks and returns false. */
  confirmOrAsk(texts: Array<string>, messageID: string | undefined, doubts = ''): boolean {
    const question = this.#open.get(keyOf(texts))
    // Calls of the same message were sent before the model could read the question.
    const isSameMessage = messageID !== undefined && question?.messageID === messageID
    const isConfirmed = question?.doubts === doubts && !isSameMessage
    if (isConfirmed) this.close(texts)
    else this.ask(texts, messageID, doubts)
    return isConfirmed
  }
}

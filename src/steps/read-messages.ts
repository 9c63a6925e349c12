import type { Entry, EntryPart, History } from '../host/message-parts.ts'

/**
 * Returns the text or path with which a part names files; undefined if it names none and never will. For a call that
 * has not succeeded, returns its status: the message is read again when that changes.
 */
const nameIn = (part: EntryPart, role: Entry['info']['role']): unknown => {
  if (part.type === 'text') return role === 'user' && !part.synthetic ? part.text : undefined
  if (part.type === 'file') return part.url
  if (part.type !== 'tool') return undefined
  // The stored state may be incomplete, and other plugins may remove fields.
  const { status, input } = Object(part.state)
  return status === 'completed' ? Object(input).filePath : status
}

/** What is remembered of a message: the number of its parts, and the values that `nameIn` returned for them. */
type ReadMessage = { id: string; parts: number; names: Array<{ at: number; name: unknown }> }

const readMessage = ({ info: { id, role }, parts }: Entry): ReadMessage => ({
  id,
  parts: parts.length,
  names: parts.map((part, at) => ({ at, name: nameIn(part, role) })).filter(({ name }) => name !== undefined),
})

const isSame = ({ id, parts, names }: ReadMessage, entry: Entry | undefined): boolean =>
  entry?.info.id === id && entry.parts.length === parts
  && names.every(({ at, name }) => nameIn(entry.parts[at]!, entry.info.role) === name)

/**
 * The one walk over a session's messages: each reader gets each message once instead of with every request, though the
 * host creates new objects for the history each time.
 */
export class ReadMessages {
  #read: Array<ReadMessage> = []
  /** Replaced by a new object when all messages are to be read again. */
  #run = {}
  /** The list of the present request, which is compared once for all readers. */
  #list: History | undefined
  readonly #readers = new WeakMap<object, { run: object; count: number }>()

  /**
   * Returns the messages of a history that a reader has not had yet, and the index of the first. If a message that was
   * read is gone or names other files, returns all of them.
   */
  next(reader: object, history: History): { first: number; added: History } {
    if (history !== this.#list) this.#note(history)
    this.#list = history
    const last = this.#readers.get(reader)
    const first = last?.run === this.#run ? last.count : 0
    this.#readers.set(reader, { run: this.#run, count: history.length })
    return { first, added: history.slice(first) }
  }

  #note(history: History): void {
    if (!this.#read.every((message, index) => isSame(message, history[index]))) {
      this.#read = []
      this.#run = {}
    }
    for (const entry of history.slice(this.#read.length)) this.#read.push(readMessage(entry))
  }

  /** Ends a request: in the next one, the same list may hold other messages. */
  endRequest(): void {
    this.#list = undefined
  }
}

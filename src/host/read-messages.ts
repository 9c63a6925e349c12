import type { Entry, EntryPart, History } from './message-parts.ts'

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

/** A message that was read: the number of its parts, and the values of those that name files. */
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
 * Remembers the messages of a session that were read, so that each is read once instead of with every request: the host
 * creates new objects for the history each time.
 */
export class ReadMessages {
  #read: Array<ReadMessage> = []

  /**
   * Records the messages of a history as read. Returns how many of the first messages were read before; 0 if a message
   * that was read is gone or names other files, so that all must be read again.
   */
  record(history: History): number {
    if (!this.#read.every((one, index) => isSame(one, history[index]))) this.#read = []
    const count = this.#read.length
    for (const entry of history.slice(count)) this.#read.push(readMessage(entry))
    return count
  }
}

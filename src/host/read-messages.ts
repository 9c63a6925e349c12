import type { Entry, EntryPart, History } from './message-parts.ts'

/**
 * What a part names files by; undefined where it names none, and will not. Of a call that has not succeeded it is the
 * state: its message is read again when that changes.
 */
const nameIn = (part: EntryPart, role: Entry['info']['role']): unknown => {
  if (part.type === 'text') return role === 'user' && !part.synthetic ? part.text : undefined
  if (part.type === 'file') return part.url
  if (part.type !== 'tool') return undefined
  // What the host stored may be cut off, and other plugins remove what they will.
  const { status, input } = Object(part.state)
  return status === 'completed' ? Object(input).filePath : status
}

/** A message that was read: the number of its parts, and what those of them that name files say. */
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
 * The messages of a session that were read, so that each is read once and not with each request: the host makes the
 * objects of a history anew for each.
 */
export class ReadMessages {
  #read: Array<ReadMessage> = []

  /**
   * Notes the messages of a history as read. Gives how many of its first messages were read before; 0 where one that
   * was read is gone or names other files, so that all are to be read again.
   */
  note(history: History): number {
    if (!this.#read.every((one, index) => isSame(one, history[index]))) this.#read = []
    const count = this.#read.length
    for (const entry of history.slice(count)) this.#read.push(readMessage(entry))
    return count
  }
}

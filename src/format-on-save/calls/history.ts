import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { filesOfCall, WRITING_TOOLS } from '../../host/file-tools.ts'
import {
  type DonePart,
  donePartsOf,
  type Entry,
  type EntryPart,
  type History,
  isDone,
} from '../../host/message-parts.ts'
import { safe } from '../../safe.ts'
import { fileOf } from '../../steps/call.ts'

const filesOf = (part: EntryPart): Array<string> => {
  if (isDone(part)) return filesOfCall(part.tool, part.state.input)
  if (part.type !== 'file') return []
  return safe(() => part.url.startsWith('file:///') ? [fileURLToPath(part.url)] : []).data ?? []
}

/** Lists the files that messages show: what their calls read and wrote, and what a person attached. */
export const filesShownIn = (messages: History, directory: string): Set<string> =>
  new Set(messages.flatMap(({ parts }) => parts.flatMap(filesOf)).map((file) => resolve(directory, file)))

const isOfPerson = ({ info, parts }: Entry): boolean =>
  info.role === 'user' && parts.some((part) => part.type === 'text' && !part.synthetic && !part.ignored)

const writesIn = (messages: History): Array<DonePart> =>
  donePartsOf(messages).filter(({ tool }) => WRITING_TOOLS.has(tool))

/** Lists the files that calls wrote since the person's last message. */
export const filesOfLastTurn = (messages: History, directory: string): Set<string> => {
  const lastTurn = messages.slice(messages.findLastIndex(isOfPerson) + 1)
  return new Set(writesIn(lastTurn).flatMap(filesOf).map((file) => resolve(directory, file)))
}

/** Gives what the calls of messages make of a file; null where that is not sure. */
export const textIn = (messages: History, path: string, directory: string): string | null =>
  writesIn(messages)
    .flatMap(({ tool, state }) => fileOf({ tool, args: state.input, path }, directory) ?? [])
    .reduce<string | null>((text, file) => file.apply(text)?.raw ?? null, null)

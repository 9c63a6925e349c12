import { resolve } from 'node:path'
import { WRITING_TOOLS } from '../../host/file-tools.ts'
import { type CompletedCall, completedCallsOf, type History, type Message } from '../../host/message-parts.ts'
import { fileOf } from '../../steps/call.ts'
import { filesWithContent } from '../../steps/named-files.ts'

/** Returns the absolute paths of the files whose text the messages hold. */
export const filesShownIn = (messages: History, directory: string): Set<string> =>
  new Set(
    messages.flatMap(({ parts }) => parts.flatMap(filesWithContent)).map((file) => resolve(directory, file)),
  )

const isOfPerson = ({ info, parts }: Message): boolean =>
  info.role === 'user' && parts.some((part) => part.type === 'text' && !part.synthetic && !part.ignored)

const writesIn = (messages: History): Array<CompletedCall> =>
  completedCallsOf(messages).filter(({ tool }) => WRITING_TOOLS.has(tool))

/** Returns the absolute paths of the files that calls wrote since the person's last message. */
export const filesOfLastTurn = (messages: History, directory: string): Set<string> => {
  const lastTurn = messages.slice(messages.findLastIndex(isOfPerson) + 1)
  return new Set(writesIn(lastTurn).flatMap(filesWithContent).map((file) => resolve(directory, file)))
}

/** Replays the calls of messages that created and changed a file; null if the result is not sure. */
export const replayedText = (messages: History, path: string, directory: string): string | null =>
  writesIn(messages)
    .flatMap(({ tool, state }) => fileOf({ tool, args: state.input, path }, directory) ?? [])
    .reduce<string | null>((text, file) => file.apply(text)?.raw ?? null, null)

/** Records the files of a session's history that are not known yet, such as attached files. */
import { resolve } from 'node:path'
import { WRITING_TOOLS } from '../../host/file-tools.ts'
import { type CompletedCall, completedCallsOf, type History, type Message } from '../../host/message-parts.ts'
import { realPathOf } from '../../paths/real-path.ts'
import { fileOf } from '../../steps/call.ts'
import { filesWithContent } from '../../steps/named-files.ts'
import { readSaved } from '../../steps/saved-file.ts'
import type { FormattingContext } from './known-files.ts'

const filesIn = (parts: Message['parts'], directory: string): Set<string> =>
  new Set(parts.flatMap(filesWithContent).map((file) => resolve(directory, file)))

const isFromPerson = ({ info, parts }: Message): boolean =>
  info.role === 'user' && parts.some((part) => part.type === 'text' && !part.synthetic && !part.ignored)

const writesIn = (messages: History): Array<CompletedCall> =>
  completedCallsOf(messages).filter(({ tool }) => WRITING_TOOLS.has(tool))

const replayedText = (messages: History, path: string, directory: string): string | null => {
  let text: string | null = null
  for (const { tool, state } of writesIn(messages)) {
    const file = fileOf({ tool, args: state.input, path }, directory)
    // An uncertain text (null) stays null until a call writes the whole file.
    if (file) text = file.apply(text)?.raw ?? null
  }
  return text
}

const MAX_RECORDED_FILES = 150

/** Records each unknown file as if the model had just read its present text. */
export const learnFromHistory = async (
  { directory, knownFiles, steps }: FormattingContext,
  sessionID: string,
  messages: History,
): Promise<void> => {
  const files = knownFiles.of(sessionID)
  // After a restart or an undo, `files` is a new object, so all messages count as new.
  const { added: newMessages } = steps.messageReaderOf(sessionID).next(files, messages)
  for (const path of filesIn(newMessages.flatMap(({ parts }) => parts), directory)) {
    if (files.has(path) || files.size >= MAX_RECORDED_FILES) continue
    const real = await realPathOf(path)
    const saved = files.has(real) ? null : await readSaved(path)
    if (saved) knownFiles.recordRead(sessionID, { path, real, text: saved.text })
  }
}

/** Records the files that were formatted at the end of the last turn, so that the model gets notes on their changes. */
export const learnFromLastTurn = async (
  { directory, formatter, knownFiles }: FormattingContext,
  sessionID: string,
  messages: History,
): Promise<void> => {
  const lastTurn = messages.slice(messages.findLastIndex(isFromPerson) + 1)
  for (const path of filesIn(writesIn(lastTurn), directory)) {
    const knownPath = knownFiles.pathOf({ path, real: await realPathOf(path) })
    const saved = formatter.whenOf(knownPath) === 'turn' ? await readSaved(path) : null
    if (!saved) continue
    const { realPath: real, text } = saved
    knownFiles.recordRead(sessionID, { path, real, text })
    const believed = replayedText(messages, path, directory)
    Object.assign(knownFiles.of(sessionID).get(real)!, { believed, state: 'changed' })
  }
}

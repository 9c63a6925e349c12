/**
 * Records the files that a session's history shows, and what the model believes that they contain, if SAT did not
 * record this when it happened: for attachments, and after a restart, an undo or a fork.
 */
import { resolve } from 'node:path'
import { WRITING_TOOLS } from '../../host/file-tools.ts'
import { type CompletedCall, completedCallsOf, type History, type Message } from '../../host/message-parts.ts'
import { realPathOf } from '../../paths/real-path.ts'
import { fileOf } from '../../steps/call.ts'
import { filesWithContent } from '../../steps/named-files.ts'
import { readSaved } from '../../steps/saved-file.ts'
import type { FormattingContext } from './known-files.ts'

/** Returns the absolute paths of the files that parts of messages read, wrote or attached. */
const filesIn = (parts: Message['parts'], directory: string): Set<string> =>
  new Set(parts.flatMap(filesWithContent).map((file) => resolve(directory, file)))

/** Whether a message is the person's, which begins a turn. */
const isOfPerson = ({ info, parts }: Message): boolean =>
  info.role === 'user' && parts.some((part) => part.type === 'text' && !part.synthetic && !part.ignored)

const writesIn = (messages: History): Array<CompletedCall> =>
  completedCallsOf(messages).filter(({ tool }) => WRITING_TOOLS.has(tool))

/** Replays the writing calls of messages on a file; returns its text after them, null if that is not certain. */
const replayedText = (messages: History, path: string, directory: string): string | null =>
  writesIn(messages)
    .flatMap(({ tool, state }) => fileOf({ tool, args: state.input, path }, directory) ?? [])
    // If the text is not certain (null), most calls leave it so; a call that writes the whole file makes it certain.
    .reduce<string | null>((text, file) => file.apply(text)?.raw ?? null, null)

const MAX_RECORDED_FILES = 150

/** Records the unknown files of a history as read: new attachments and, after a restart or an undo, all files. */
export const learnFromHistory = async (
  { directory, knownFiles, steps }: FormattingContext,
  sessionID: string,
  messages: History,
): Promise<void> => {
  const files = knownFiles.of(sessionID)
  // `added` are the messages that were not read with the same `files` before: after a restart, all.
  const { added } = steps.messageReaderOf(sessionID).next(files, messages)
  for (const path of filesIn(added.flatMap(({ parts }) => parts), directory)) {
    if (files.has(path) || files.size >= MAX_RECORDED_FILES) continue
    const real = await realPathOf(path)
    const saved = files.has(real) ? null : await readSaved(path)
    if (saved) knownFiles.recordRead(sessionID, { path, real, text: saved.text })
  }
}

/**
 * Records the files that the last turn wrote and that SAT formats only at the end of a turn. The model believes what
 * its calls wrote; because of the state `changed`, a note on the person's next message tells it what the formatter made
 * of that. For a session that is not in memory: a fork, or any session after an undo or a restart.
 */
export const learnFromLastTurn = async (
  { directory, formatter, knownFiles }: FormattingContext,
  sessionID: string,
  messages: History,
): Promise<void> => {
  const lastTurn = messages.slice(messages.findLastIndex(isOfPerson) + 1)
  for (const path of filesIn(writesIn(lastTurn), directory)) {
    const saved = formatter.whenOf(path) === 'turn' ? await readSaved(path) : null
    if (!saved) continue
    const { realPath: real, text } = saved
    knownFiles.recordRead(sessionID, { path, real, text })
    const believed = replayedText(messages, path, directory)
    Object.assign(knownFiles.of(sessionID).get(real)!, { believed, state: 'changed' })
  }
}

/** Compares a file with the text that the model expects in it, then corrects the model's calls and writes notes. */
import type { ChangeTexts } from '../../steps/call.ts'
import { correctCalls, type Corrected, uncorrected } from './correct-calls.ts'
import { failureNote } from './failure-note.ts'
import {
  type DoneCall,
  type FormattingContext,
  isRead,
  isWrite,
  type KnownFile,
  whenToShow,
} from './known-files.ts'
import { lostLines } from './lost-lines.ts'
import { goneNote, lostNote, nameInNote, noteOf } from './note.ts'
import { isWholeRead } from './read-output.ts'

/** The calls and notes to show the model, the file's `text`, and the text that the model then believes. */
export type Outcome = Corrected & { text: string; notes: Array<string>; believed: string }

// Each call keeps the text of its file, so for longer files no calls are kept.
const MAX_KEPT_LENGTH = 200_000
const MAX_KEPT = 20

/** Compares a file with the believed text, and sets its state to `known`. The caller must show the outcome. */
export const reconcile = async (context: FormattingContext, file: KnownFile): Promise<Outcome> => {
  const text = (await context.steps.presentFiles.read(file.path))?.text ?? ''
  const beforeReset = { ...file }
  const { failure, formatted, shownCalls, newCalls, state } = beforeReset
  const asRead = { believed: text, missedChange: false, text, newCalls: [] }
  Object.assign(file, asRead, {
    failure: null,
    formatted: undefined,
    state: 'known',
    isChangedAtTurnEnd: false,
  })
  // If no formatter ran, `reportedOutput` stays the same. A write counts as a run: it starts the host's formatter.
  if (failure || formatted || newCalls.some(isWrite)) file.reportedOutput = failure?.output ?? ''
  // The provider has cached the requests that contain `shownCalls`, so SAT corrects these calls again only if others
  // may have changed the file.
  const cachedCalls = state === 'changed' ? [] : shownCalls
  const callsToCorrect = state === 'changed' ? [...shownCalls, ...newCalls] : newCalls
  const outcome = await outcomeOf(context, beforeReset, callsToCorrect, text)
  file.believed = outcome.believed
  // If the calls alone, without a note, lead to the text that the model believes, they can be corrected again later.
  const keepsCalls = outcome.believed === outcome.produced && text.length <= MAX_KEPT_LENGTH
  const allCalls = [...cachedCalls, ...outcome.calls]
  file.shownCalls = keepsCalls ? callsAfterLast(allCalls, isRead).slice(-MAX_KEPT) : []
  // If a formatter is not installed, only the person is told, unless the command is a script that changed the file.
  // If the host ran the command, the change does not count, because another formatter may have made it.
  const scriptChangedFile = failure?.mayHaveWritten && !failure.byHost
  if (failure && (failure.kind !== 'missing' || scriptChangedFile)) {
    const name = nameInNote(context.directory, file.path)
    outcome.notes.unshift(failureNote(name, failure, beforeReset.reportedOutput))
  }
  return outcome
}

const callsAfterLast = (calls: Array<DoneCall>, isKind: (call: DoneCall) => boolean): Array<DoneCall> =>
  calls.slice(calls.findLastIndex(isKind) + 1)

/** If the file became blank, adds a note. If the model believes another text or missed a change, corrects calls. */
const outcomeOf = async (
  context: FormattingContext,
  file: KnownFile,
  calls: Array<DoneCall>,
  text: string,
): Promise<Outcome> => {
  const { path, believed, missedChange } = file
  const withoutCorrections = { ...uncorrected(calls, believed), text, believed: text }
  if (text.trim() === '' && believed?.trim() !== '') {
    const name = nameInNote(context.directory, path)
    const lastCallLeftText = textAfterLastWrite(file).trim() !== ''
    // True if only the model (through a shell) or the person can have emptied the file after the last call.
    const isOnPurpose = lastCallLeftText && !mayBeByOthers(file)
    return { ...withoutCorrections, notes: isOnPurpose ? [] : [goneNote(name, believed !== null)] }
  }
  if (believed === text && !missedChange) return { ...withoutCorrections, notes: [] }
  return correctWithNotes(context, file, calls, text)
}

/** The text on the disk after the last call that wrote the file, before SAT's formatter ran. */
const textAfterLastWrite = ({ newCalls, text }: KnownFile): string =>
  newCalls.findLast(isWrite)?.textAfterCall ?? text

/** Whether another session, the formatter of another file, or a failed formatter may have changed the file. */
const mayBeByOthers = ({ state, failure }: KnownFile): boolean => state === 'changed' || failure !== null

/** Whether `text` may contain changes that neither the calls nor the successful formatter of this file made. */
const mayBeForeign = (file: KnownFile, text: string): boolean => {
  const { before, after } = file.formatted ?? { before: text, after: text }
  return mayBeByOthers(file) || file.newCalls.some(({ hasForeignChange }) => hasForeignChange)
    || textAfterLastWrite(file) !== before || after !== text
}

/** Corrects calls on a file, and writes notes on the changes that the calls' arguments cannot hold. */
const correctWithNotes = async (
  context: FormattingContext,
  file: KnownFile,
  calls: Array<DoneCall>,
  text: string,
): Promise<Outcome> => {
  const { directory } = context
  const { path, believed, missedChange } = file
  const name = nameInNote(directory, path)
  const isCorrectable = believed !== null && calls.length > 0 && whenToShow(context, file) === 'save'
  const isForeign = mayBeForeign(file, text)
  const corrected = isCorrectable
    ? await correctCalls(calls, text, directory, isForeign)
    : uncorrected(calls, believed)
  // The outputs of these reads are corrected to show the present text.
  const readsAfterWrites = callsAfterLast(corrected.calls, isWrite)
  const isReadWhole = readsAfterWrites.some(({ args }) => isWholeRead(args, text))
  const believedFromCalls = missedChange ? null : corrected.produced
  // The text that the model believes once it sees the corrected calls and reads; null if it is not certain.
  const seen = isReadWhole ? text : believedFromCalls
  // A note usually omits removed blank lines. If the model has read the file since the last write, the note reports
  // these lines, because the read may have shown that some of them are gone.
  const options = { isFormatting: !isForeign, reportsBlank: readsAfterWrites.length > 0 }
  const { note, believed: afterNote } = noteOf(name, seen, text, options)
  const lost = [...corrected.texts].flatMap(([call, newTexts]) => linesLostFrom(call, newTexts, text))
  return { ...corrected, text, believed: afterNote, notes: [note, lostNote(name, lost)].filter(Boolean) }
}

const linesLostFrom = ({ applied }: DoneCall, newTexts: ChangeTexts, text: string): Array<string> =>
  newTexts.flatMap((newText, index) => {
    const { raw, changes } = applied
    const { from, to } = changes[index]!.range
    return newText === null ? [] : lostLines(raw.slice(from, to), newText, { raw, text })
  })

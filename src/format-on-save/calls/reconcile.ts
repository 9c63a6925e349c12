/** Compares a file with the text that the model expects in it, then corrects the model's calls and writes notes. */
import type { ChangeTexts } from '../../steps/call.ts'
import { correctCalls, type Corrected, uncorrected } from './correct-calls.ts'
import { failureNote } from './failure-note.ts'
import { type DoneCall, type FormattingContext, isRead, isWrite, type KnownFile } from './known-files.ts'
import { lostLines } from './lost-lines.ts'
import { goneNote, lostNote, nameInNote, noteOf } from './note.ts'
import { isWholeRead } from './read-output.ts'

/** `believed` is the text that the model expects in the file once it sees the calls and notes. */
export type Outcome = Corrected & { text: string; notes: Array<string>; believed: string }

// Each kept call holds the text of its file, so calls on files longer than this are not kept.
const MAX_KEPT_LENGTH = 200_000
const MAX_KEPT = 20

/** Sets the file's state to `known` (nothing left to show), so the caller must show the outcome to the model. */
export const reconcile = async (context: FormattingContext, file: KnownFile): Promise<Outcome> => {
  const text = (await context.steps.presentFiles.read(file.path))?.text ?? ''
  const beforeReset = { ...file }
  const { failure, formatted, shownCalls, newCalls, state } = beforeReset
  const asRead = { believed: text, missedChange: false, text, newCalls: [], failure: null }
  Object.assign(file, asRead, { state: 'known', formatted: undefined, isChangedAtTurnEnd: false })
  // In each of these cases, a formatter ran, so earlier output is outdated. The host's formatter runs after each write.
  if (failure || formatted || newCalls.some(isWrite)) file.reportedOutput = failure?.output ?? ''
  // `shownCalls` are corrected again only in state `changed`, because a correction invalidates the provider's cache.
  const cachedCalls = state === 'changed' ? [] : shownCalls
  const outcome = await outcomeOf(context, beforeReset, text)
  file.believed = outcome.believed
  // Calls can be corrected again only if they lead to the believed text without a note.
  const keepsCalls = outcome.believed === outcome.produced && text.length <= MAX_KEPT_LENGTH
  const allCalls = [...cachedCalls, ...outcome.calls]
  file.shownCalls = keepsCalls ? callsAfterLast(allCalls, isRead).slice(-MAX_KEPT) : []
  // If the host ran the failed command, another formatter of the host may have changed the file.
  const scriptChangedFile = failure?.mayHaveWritten && !failure.byHost
  // If a command is not installed, only the person is told, unless the script that calls it changed the file.
  if (failure && (failure.kind !== 'missing' || scriptChangedFile)) {
    const name = nameInNote(context.directory, file.path)
    outcome.notes.unshift(failureNote(name, failure, beforeReset.reportedOutput))
  }
  return outcome
}

const callsAfterLast = (calls: Array<DoneCall>, isKind: (call: DoneCall) => boolean): Array<DoneCall> =>
  calls.slice(calls.findLastIndex(isKind) + 1)

const outcomeOf = async (context: FormattingContext, file: KnownFile, text: string): Promise<Outcome> => {
  const { directory, knownFiles } = context
  const { believed, missedChange, newCalls, shownCalls, state } = file
  const calls = state === 'changed' ? [...shownCalls, ...newCalls] : newCalls
  const name = nameInNote(directory, file.path)
  const withoutCorrections = { ...uncorrected(calls, believed), text, believed: text }
  if (text.trim() === '' && believed?.trim() !== '') {
    const lastCallLeftText = textAfterLastWrite(file).trim() !== ''
    // If no formatter and no other session emptied the file, the model (through a shell) or the person did.
    const isOnPurpose = lastCallLeftText && !mayBeByOthers(file)
    return { ...withoutCorrections, notes: isOnPurpose ? [] : [goneNote(name, believed !== null)] }
  }
  if (believed === text && !missedChange) return { ...withoutCorrections, notes: [] }
  const isCorrectable = believed !== null && calls.length > 0 && knownFiles.whenToShow(file) === 'save'
  const isForeign = mayBeForeign(file, text)
  const corrected = isCorrectable
    ? await correctCalls(calls, text, directory, isForeign)
    : uncorrected(calls, believed)
  // The outputs of these reads are corrected to show the present text.
  const readsAfterWrites = callsAfterLast(corrected.calls, isWrite)
  const isReadWhole = readsAfterWrites.some(({ args }) => isWholeRead(args, text))
  const believedFromCalls = missedChange ? null : corrected.produced
  const seen = isReadWhole ? text : believedFromCalls
  // A read may have shown the model only some of the changed blank lines, so the note lists all of them.
  const options = { isFormatting: !isForeign, reportsBlank: readsAfterWrites.length > 0 }
  const { note, believed: afterNote } = noteOf(name, seen, text, options)
  const lost = [...corrected.texts].flatMap(([call, newTexts]) => linesLostFrom(call, newTexts, text))
  return { ...corrected, text, believed: afterNote, notes: [note, lostNote(name, lost)].filter(Boolean) }
}

const textAfterLastWrite = ({ newCalls, text }: KnownFile): string =>
  newCalls.findLast(isWrite)?.textAfterCall ?? text

const mayBeByOthers = ({ state, failure }: KnownFile): boolean => state === 'changed' || failure !== null

/** Whether `text` may contain changes that neither the calls nor the successful formatter of this file made. */
const mayBeForeign = (file: KnownFile, text: string): boolean => {
  const { before, after } = file.formatted ?? { before: text, after: text }
  return mayBeByOthers(file) || file.newCalls.some(({ hasForeignChange }) => hasForeignChange)
    || textAfterLastWrite(file) !== before || after !== text
}

const linesLostFrom = ({ applied }: DoneCall, newTexts: ChangeTexts, text: string): Array<string> =>
  newTexts.flatMap((newText, index) => {
    const { raw, changes } = applied
    const { from, to } = changes[index]!.range
    return newText === null ? [] : lostLines(raw.slice(from, to), newText, { raw, text })
  })

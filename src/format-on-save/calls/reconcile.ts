/** Compares a file with what a model believes of it: corrects the model's calls, and writes notes on what remains. */
import type { ChangeTexts } from '../../steps/call.ts'
import { correctCalls, type Corrected, uncorrected } from './correct-calls.ts'
import { type DoneCall, type FormattingContext, isRead, isWrite, type KnownFile } from './known-files.ts'
import { lostLines } from './lost-lines.ts'
import { failureNote, goneNote, lostNote, nameInNote, noteOf } from './note.ts'
import { isWholeRead } from './read-output.ts'

/** What to show the model of a file with the present `text`. `believed`: what it believes once it has seen that. */
export type Outcome = Corrected & { text: string; notes: Array<string>; believed: string }

// Each call keeps the text of its file, so for longer files no calls are kept.
const MAX_KEPT_LENGTH = 200_000
const MAX_KEPT = 20

/** Compares a file with what the model believes, resets it to the state `known`, and returns what to show the model. */
export const reconcile = async (context: FormattingContext, file: KnownFile): Promise<Outcome> => {
  const text = (await context.steps.presentFiles.read(file.path))?.text ?? ''
  const beforeReset = { ...file }
  const { failure, earlierCalls, calls: newCalls } = beforeReset
  Object.assign(file, { believed: text, isOutdated: false, text, calls: [], failure: null, state: 'known' })
  if (newCalls.some(isWrite)) file.reportedOutput = failure?.output ?? ''
  // The provider's cache has the earlier calls, so they are corrected only if others changed the file.
  const correctsEarlier = beforeReset.state === 'changed'
  const callsToCorrect = correctsEarlier ? [...earlierCalls, ...newCalls] : newCalls
  const outcome = await outcomeOf(context, beforeReset, callsToCorrect, text)
  file.believed = outcome.believed
  const shownCalls = correctsEarlier ? outcome.calls : [...earlierCalls, ...outcome.calls]
  // Calls are kept, to be corrected again, unless a note or a read told the model more than they produce.
  const keepsCalls = outcome.believed === outcome.produced && text.length <= MAX_KEPT_LENGTH
  file.earlierCalls = keepsCalls ? callsAfterLast(shownCalls, isRead).slice(-MAX_KEPT) : []
  if (failure && failure.kind !== 'missing') {
    const name = nameInNote(context.directory, file.path)
    outcome.notes.unshift(failureNote(name, failure, beforeReset.reportedOutput))
  }
  return outcome
}

const callsAfterLast = (calls: Array<DoneCall>, isKind: (call: DoneCall) => boolean): Array<DoneCall> =>
  calls.slice(calls.findLastIndex(isKind) + 1)

/** Corrects calls if the model believes another text than the present one. A blank text gets at most a note. */
const outcomeOf = async (
  context: FormattingContext,
  beforeReset: KnownFile,
  calls: Array<DoneCall>,
  text: string,
): Promise<Outcome> => {
  const { path, believed, failure, isOutdated, state } = beforeReset
  const textAfterCall = beforeReset.calls.findLast(isWrite)?.textAfterCall ?? beforeReset.text
  const mayBeByOthers = state === 'changed' || failure !== null
  const withoutCorrections = { ...uncorrected(calls, believed), text, believed: text }
  if (text.trim() === '' && believed?.trim() !== '') {
    // If neither is the case, the model (by a shell) or the person emptied the file on purpose.
    const isReported = mayBeByOthers || textAfterCall.trim() === ''
    const name = nameInNote(context.directory, path)
    return { ...withoutCorrections, notes: isReported ? [goneNote(name, believed !== null)] : [] }
  }
  if (believed === text && !isOutdated) return { ...withoutCorrections, notes: [] }
  // Whether somebody other than the formatter may have changed the file, also between a call and the formatting.
  const mayBeForeign = mayBeByOthers || textAfterCall !== beforeReset.text
    || calls.some((call) => call.isForeign)
  return correctWithNotes(context, beforeReset, calls, text, mayBeForeign)
}

/** Corrects calls on a file, and writes notes on the changes that their arguments cannot hold. */
const correctWithNotes = async (
  { directory, formatter }: FormattingContext,
  { path, believed, isOutdated }: KnownFile,
  calls: Array<DoneCall>,
  text: string,
  mayBeForeign: boolean,
): Promise<Outcome> => {
  const name = nameInNote(directory, path)
  // Files that are formatted at the end of the turn only get a note.
  const isCorrectable = believed !== null && calls.length > 0 && formatter.whenOf(path) === 'save'
  const corrected = isCorrectable
    ? await correctCalls(calls, text, directory, mayBeForeign)
    : uncorrected(calls, believed)
  const readsAfterWrites = callsAfterLast(corrected.calls, isWrite)
  const isReadWhole = readsAfterWrites.some(({ args }) => isWholeRead(args, text))
  // What the model has seen once the calls are corrected; null if that is not sure.
  const seenInCalls = isOutdated ? null : corrected.produced
  const seen = isReadWhole ? text : seenInCalls
  // A note usually omits removed blank lines, but a read of a part may have shown the model that some are gone.
  const options = { isFormatting: !mayBeForeign, reportsBlank: readsAfterWrites.length > 0 }
  const { note, believed: afterNote } = noteOf(name, seen, text, options)
  const lost = [...corrected.texts].flatMap(([call, newTexts]) => linesLostFrom(call, newTexts, text))
  return { ...corrected, text, believed: afterNote, notes: [note, lostNote(name, lost)].filter(Boolean) }
}

const linesLostFrom = (
  { applied: { raw, changes } }: DoneCall,
  newTexts: ChangeTexts,
  text: string,
): Array<string> =>
  newTexts.flatMap((newText, index) => {
    const { from, to } = changes[index]!.range
    return newText === null ? [] : lostLines(raw.slice(from, to), newText, { raw, text })
  })

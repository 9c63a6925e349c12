/** Compares what a model believes of a file with the file: corrects the model's calls, and writes notes on the rest. */
import type { ChangeTexts } from '../../steps/call.ts'
import { correctCalls, type Corrected, uncorrected } from './correct-calls.ts'
import { type DoneCall, type FormattingContext, isRead, isWrite, type KnownFile } from './known-files.ts'
import { lostLines } from './lost-lines.ts'
import { failureNote, goneNote, lostNote, nameInNote, noteOf } from './note.ts'
import { isWholeRead } from './read-output.ts'

/** The present text of a file, the corrected calls and the notes that the model gets, and what it then believes. */
export type Outcome = Corrected & { text: string; notes: Array<string>; believed: string }

// Each call keeps the text of its file, so for longer files no calls are kept.
const MAX_KEPT_LENGTH = 200_000
const MAX_KEPT = 20

/**
 * Compares what the model believes of a file with its present text, and resets the file to the state `known`. Corrects
 * the calls if the two texts differ, or if the model missed an earlier change.
 */
export const reconcile = async (context: FormattingContext, file: KnownFile): Promise<Outcome> => {
  const text = (await context.steps.presentFiles.read(file.path))?.text ?? ''
  const recorded = { ...file }
  const { failure, earlierCalls } = recorded
  const isChanged = recorded.state === 'changed'
  const reset = { believed: text, isOutdated: false, text, calls: [], failure: null }
  Object.assign(file, reset, { state: 'known' })
  if (recorded.calls.some(isWrite)) file.reportedFailure = failure?.output ?? ''
  // Corrections of earlier messages invalidate the provider's cache, so they are made only if others changed the file.
  const correctable = isChanged ? [...earlierCalls, ...recorded.calls] : recorded.calls
  const outcome = await outcomeOf(context, recorded, correctable, text)
  file.believed = outcome.believed
  // The calls are kept only if they alone, without a note, make what the model believes.
  const keepsCalls = outcome.believed === outcome.produced && text.length <= MAX_KEPT_LENGTH
  const calls = isChanged ? outcome.calls : [...earlierCalls, ...outcome.calls]
  file.earlierCalls = keepsCalls ? callsAfterLast(calls, isRead).slice(-MAX_KEPT) : []
  if (failure && failure.kind !== 'missing') {
    const name = nameInNote(context.directory, file.path)
    outcome.notes.unshift(failureNote(name, failure, recorded.reportedFailure))
  }
  return outcome
}

const callsAfterLast = (calls: Array<DoneCall>, test: (call: DoneCall) => boolean): Array<DoneCall> =>
  calls.slice(calls.findLastIndex(test) + 1)

/** Compares a recorded file with its present text: the same text changes nothing, a blank one gives only a note. */
const outcomeOf = async (
  context: FormattingContext,
  recorded: KnownFile,
  calls: Array<DoneCall>,
  text: string,
): Promise<Outcome> => {
  const { path, believed, failure, isOutdated, state } = recorded
  const textAfterCall = recorded.calls.findLast(isWrite)?.textAfterCall ?? recorded.text
  const mayBeByOthers = state === 'changed' || failure !== null
  const unchanged = { ...uncorrected(calls, believed), text, believed: text }
  if (text.trim() === '' && believed?.trim() !== '') {
    // Not reported if the model or a person removed the text.
    const isReported = mayBeByOthers || textAfterCall.trim() === ''
    const name = nameInNote(context.directory, path)
    return { ...unchanged, notes: isReported ? [goneNote(name, believed !== null)] : [] }
  }
  if (believed === text && !isOutdated) return { ...unchanged, notes: [] }
  // Whether somebody other than the formatter may have changed the file.
  const isForeign = mayBeByOthers || textAfterCall !== recorded.text || calls.some((call) => call.isForeign)
  return correctWithNotes(context, recorded, calls, text, isForeign)
}

/** Corrects calls on a file, and writes notes on the changes that their arguments cannot hold. */
const correctWithNotes = async (
  { directory, formatter }: FormattingContext,
  { path, believed, isOutdated }: KnownFile,
  calls: Array<DoneCall>,
  text: string,
  isForeign: boolean,
): Promise<Outcome> => {
  const name = nameInNote(directory, path)
  // Files that are formatted at the end of the turn only get a note.
  const isCorrectable = believed !== null && calls.length > 0 && formatter.whenOf(path) === 'save'
  const corrected = isCorrectable
    ? await correctCalls(calls, text, directory, isForeign)
    : uncorrected(calls, believed)
  const readsAfterWrites = callsAfterLast(corrected.calls, isWrite)
  const isReadWhole = readsAfterWrites.some(({ args }) => isWholeRead(args, text))
  // The text as the corrected calls show it to the model; null if that is not sure.
  const seenInCalls = isOutdated ? null : corrected.produced
  // A partial read showed blank lines as they are now, so the note must report those that were removed elsewhere.
  const options = { isFormatting: !isForeign, reportsBlank: readsAfterWrites.length > 0 }
  const { note, believed: afterNote } = noteOf(name, isReadWhole ? text : seenInCalls, text, options)
  const lost = [...corrected.texts].flatMap(([call, newTexts]) => linesLostFrom(call, newTexts, text))
  return { ...corrected, text, believed: afterNote, notes: [note, lostNote(name, lost)].filter(Boolean) }
}

/** Returns the lines of a corrected call from which the formatter dropped words. */
const linesLostFrom = (
  { applied: { raw, changes } }: DoneCall,
  newTexts: ChangeTexts,
  text: string,
): Array<string> =>
  newTexts.flatMap((newText, index) => {
    const { from, to } = changes[index]!.range
    return newText === null ? [] : lostLines(raw.slice(from, to), newText, { raw, text })
  })

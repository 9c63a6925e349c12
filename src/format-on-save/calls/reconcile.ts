/** Compares what a model believes of a file with the file: corrects the model's calls, and writes notes on the rest. */
import type { ChangeTexts } from '../../steps/call.ts'
import { correctCalls, type Corrected, uncorrected } from './correct-calls.ts'
import { type DoneCall, type FormattingContext, isRead, isWrite, type KnownFile } from './known-files.ts'
import { lostLines } from './lost-lines.ts'
import { failureNote, goneNote, lostNote, nameInNote, noteOf } from './note.ts'
import { isWholeRead } from './read-output.ts'

/** What the model is shown of a file: its present text, the corrected calls, and notes; and what it then believes. */
export type Outcome = Corrected & { text: string; notes: Array<string>; believed: string }

/** Returns the lines of a call from which the formatter dropped words, when the call gets its new texts. */
const linesLostFrom = (
  { applied: { raw, changes } }: DoneCall,
  texts: ChangeTexts,
  text: string,
): Array<string> =>
  texts.flatMap((now, index) => {
    const { from, to } = changes[index]!.range
    return now === null ? [] : lostLines(raw.slice(from, to), now, { raw, text })
  })

const callsAfterLast = (calls: Array<DoneCall>, test: (call: DoneCall) => boolean): Array<DoneCall> =>
  calls.slice(calls.findLastIndex(test) + 1)

// Each call keeps the text of its file, so for longer files no calls are kept.
const MAX_KEPT_LENGTH = 200_000
const MAX_KEPT = 20

/** Corrects calls on a file that differs from what the model believes, and writes notes on what they cannot hold. */
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
  const seenByCalls = isOutdated ? null : corrected.produced
  // A partial read showed blank lines as they are now, so the note must report those that were removed elsewhere.
  const how = { isFormatting: !isForeign, reportsBlank: readsAfterWrites.length > 0 }
  const { note, believed: afterNote } = noteOf(name, isReadWhole ? text : seenByCalls, text, how)
  const lost = [...corrected.texts].flatMap(([call, now]) => linesLostFrom(call, now, text))
  return { ...corrected, text, believed: afterNote, notes: [note, lostNote(name, lost)].filter(Boolean) }
}

/**
 * Compares the text of a file that the model believes with the present text, and resets the file to the state `known`.
 * The result has corrections only if the texts differ, or if the file is outdated: the model missed an earlier change.
 */
export const reconcile = async (context: FormattingContext, file: KnownFile): Promise<Outcome> => {
  const text = (await context.steps.presentFiles.read(file.path))?.text ?? ''
  const recorded = { ...file }
  const { believed, failure } = recorded
  const isChanged = recorded.state === 'changed'
  const lastWrite = recorded.calls.findLast(isWrite)
  const textAfterCall = lastWrite?.textAfterCall ?? recorded.text
  const reset = { believed: text, isOutdated: false, text, calls: [], failure: null }
  Object.assign(file, reset, { state: 'known' })
  if (lastWrite) file.reportedFailure = failure?.output ?? ''
  // Correcting calls of earlier messages would invalidate the provider's cache, so it is done only if others changed
  // the file.
  const correctable = isChanged ? [...recorded.earlierCalls, ...recorded.calls] : recorded.calls
  const name = nameInNote(context.directory, file.path)
  let outcome: Outcome = { ...uncorrected(correctable, believed), text, believed: text, notes: [] }
  if (text.trim() === '' && believed?.trim() !== '') {
    // Reports it only if something else may have emptied the file; otherwise the model or a person removed the text.
    const isReported = isChanged || failure !== null || textAfterCall.trim() === ''
    if (isReported) outcome.notes.push(goneNote(name, believed !== null))
  } else if (believed !== text || recorded.isOutdated) {
    const isForeign = isChanged || failure !== null || textAfterCall !== recorded.text
      || correctable.some((call) => call.isForeign)
    outcome = await correctWithNotes(context, recorded, correctable, text, isForeign)
  }
  file.believed = outcome.believed
  // Keeps the calls since the last read only if no note changed what the model believes.
  const keepsCalls = outcome.believed === outcome.produced && text.length <= MAX_KEPT_LENGTH
  const calls = isChanged ? outcome.calls : [...recorded.earlierCalls, ...outcome.calls]
  file.earlierCalls = keepsCalls ? callsAfterLast(calls, isRead).slice(-MAX_KEPT) : []
  if (failure && failure.kind !== 'missing') {
    outcome.notes.unshift(failureNote(name, failure, recorded.reportedFailure))
  }
  return outcome
}

/** Shows the model what formatting did to its files: corrects its calls and its reads in the history, and adds notes. */
import { type CompletedCall, completedCallsOf, type History } from '../../host/message-parts.ts'
import type { When } from '../../host/options.ts'
import type { FormatMark } from '../../host/panel-schema.ts'
import { type ChangeTexts, fileOf } from '../../steps/call.ts'
import { findPart } from '../../steps/find-part.ts'
import { correctCalls, type Corrected, uncorrected } from './correct-calls.ts'
import { carryDiagnostics } from './diagnostics.ts'
import { currentOf, type DoneCall, type FormattingContext, type KnownFile, writersOf } from './known-files.ts'
import { lostLines } from './lost-lines.ts'
import { failureNote, goneNote, lostNote, nameInNote, noteOf } from './note.ts'
import { isWholeRead, replaceReadOutput } from './read-output.ts'
import { markFormatted, type ShownFile, updateShownDiff } from './shown-diff.ts'

/** The changes of one call's part. */
type PartChange = {
  part: CompletedCall
  /** The new values of the arguments that change. */
  input: Record<string, unknown>
  /** Functions that update the output of a read. */
  reads: Array<(output: string) => string>
  notes: Array<string>
  formatted: Array<ShownFile>
  failed: FormatMark['failed']
}

/** What the model is shown of a file: its text, the corrected calls, and notes. */
type Outcome = Corrected & { text: string; notes: Array<string> }

/** Returns the lines of a call from which the formatter dropped words. */
const linesLostFrom = (
  { applied: { raw, changes } }: DoneCall,
  texts: ChangeTexts,
  text: string,
): Array<string> =>
  texts.flatMap((now, index) => {
    const { from: start, to: end } = changes[index]!.range
    return now === null ? [] : lostLines(raw.slice(start, end), now, { raw, text })
  })

/**
 * Returns what each read among the calls should show: a read after the last write shows the present file; an earlier read,
 * the text before that read.
 */
const readsOf = (calls: Array<DoneCall>, text: string): Array<{ read: DoneCall; now: string }> => {
  const lastWrite = calls.findLastIndex(({ tool }) => tool !== 'read')
  return calls.map((read, at) => ({ read, now: at > lastWrite ? text : read.before }))
    .filter(({ read: { tool } }) => tool === 'read')
}

// Each call keeps the text of its file, so for longer files no calls are kept.
const MAX_KEPT_LENGTH = 200_000
const MAX_KEPT = 20

/** Returns the calls to keep after they were shown: those since the last read, which may be corrected again. */
const keptCalls = (calls: Array<DoneCall>, { length }: string): Array<DoneCall> =>
  length > MAX_KEPT_LENGTH
    ? []
    : calls.slice(calls.findLastIndex(({ tool }) => tool === 'read') + 1).slice(-MAX_KEPT)

/** Corrects the calls on a file, adds notes on what they cannot hold, and records what the model then believes. */
const report = async (
  { directory, formatter }: FormattingContext,
  file: KnownFile,
  { text, notes, ...sent }: Outcome,
  { isForeign, isOutdated }: { isForeign: boolean; isOutdated: boolean },
): Promise<Outcome> => {
  const { path } = file
  const name = nameInNote(directory, path)
  // Files that are formatted at the end of the turn only get a note.
  const staysAsSent = sent.believed === null || sent.calls.length === 0 || formatter.whenOf(path) === 'turn'
  const corrected = staysAsSent ? sent : await correctCalls(sent.calls, text, directory, isForeign)
  const { calls, believed } = corrected
  const readsAfterLastWrite = calls.slice(calls.findLastIndex(({ tool }) => tool !== 'read') + 1)
  const isRead = readsAfterLastWrite.some(({ args }) => isWholeRead(args, text))
  // A partial read showed blank lines as they are now, so the note must report those that were removed elsewhere.
  const how = { isFormatting: !isForeign, reportsBlank: readsAfterLastWrite.length > 0 }
  const { note, believed: afterNote } = noteOf(name, isRead ? text : isOutdated ? null : believed, text, how)
  file.believed = afterNote
  const lost = [...corrected.texts].flatMap(([call, now]) => linesLostFrom(call, now, text))
  return { ...corrected, text, notes: [...notes, note, lostNote(name, lost)].filter(Boolean) }
}

/**
 * Compares the believed text of a file with its present text, and resets the file to the state `known`. Calls `report` only
 * if the texts differ or the model missed an earlier change; a file that became empty gets at most a note.
 */
const reconcile = async (place: FormattingContext, file: KnownFile): Promise<Outcome> => {
  const { path, believed, isOutdated, state, failure, earlierCalls, reportedFailure } = file
  // Correcting calls of earlier messages would invalidate the provider's cache, so it is done only if others changed the
  // file.
  const [earlier, calls] = state === 'changed'
    ? [[], [...earlierCalls, ...file.calls]]
    : [earlierCalls, file.calls]
  const name = nameInNote(place.directory, path)
  const text = (await currentOf(file))?.text ?? ''
  const writer = writersOf(file).at(-1)
  const textAfterCall = writer?.textAfterCall ?? file.text
  const isForeign = state === 'changed' || failure !== null || textAfterCall !== file.text
    || calls.some((call) => call.isForeign)
  const notes = failure && !failure.isMissing ? [failureNote(name, failure, reportedFailure)] : []
  const reset = {
    believed: text,
    isOutdated: false,
    text,
    saved: null,
    calls: [],
    failure: null,
    state: 'known',
  }
  Object.assign(file, reset, writer && { reportedFailure: failure?.output ?? '' })
  let outcome: Outcome = { text, notes, ...uncorrected(calls, believed) }
  if (text.trim() === '' && believed?.trim() !== '') {
    // Report it only if something else may have done it; otherwise the model or a person removed the file.
    const isReported = state === 'changed' || failure !== null || textAfterCall.trim() === ''
    if (isReported) outcome.notes.push(goneNote(name, believed !== null))
  } else if (believed !== text || isOutdated) {
    outcome = await report(place, file, outcome, { isForeign, isOutdated })
  }
  // Keeps the calls only if no note changed what the model believes.
  const isAsCalled = file.believed === outcome.believed
  file.earlierCalls = isAsCalled ? keptCalls([...earlier, ...outcome.calls], text) : []
  return outcome
}

/** Applies the changes of a part, in the request and in the store. */
const applyChange = async (
  { steps, formatter: { recovered } }: FormattingContext,
  { part, input, reads, notes, formatted, failed }: PartChange,
): Promise<void> => {
  const corrected = Object.keys(input).some((name) => input[name] !== part.state.input[name])
  const isMarked = corrected || formatted.length + failed.length + recovered.size > 0
  const withReads = (output: string) => reads.reduce((now, read) => read(now), output)
  if (!isMarked && notes.length === 0 && withReads(part.state.output) === part.state.output) return
  const mark = {
    formatted: formatted.map(({ path }) => path),
    corrected,
    ...(failed.length > 0 && { failed }),
    ...(recovered.size > 0 && { mended: [...recovered] }),
  }
  if (isMarked) recovered.clear()
  await steps.parts.change(part, ({ state }) => {
    const result = { output: withReads(state.output), metadata: structuredClone(state.metadata) }
    carryDiagnostics(result, formatted)
    updateShownDiff(result.metadata, formatted)
    if (isMarked) markFormatted(result.metadata, mark)
    return {
      ...state,
      ...result,
      input: { ...state.input, ...input },
      output: [result.output, ...notes].join('\n\n'),
    }
  })
}

/** Returns the files of a session whose change was not shown yet; with `when`, only those that are formatted at that time. */
export const filesToShow = (
  { known, formatter }: FormattingContext,
  sessionID: string,
  when?: When,
): Array<KnownFile> =>
  known.inState(sessionID, 'toCompare', 'changed')
    .filter(({ path }) => when === undefined || formatter.whenOf(path) === when)

/** Returns the notes for the start of a turn, on the files that were formatted after the last one. */
export const notesAtTurnStart = async (place: FormattingContext, sessionID: string): Promise<string> => {
  const notes: Array<string> = []
  for (const file of filesToShow(place, sessionID, 'turn')) {
    notes.push(...(await reconcile(place, file)).notes)
  }
  return notes.join('\n\n')
}

/** Corrects the calls on files in a request's messages and in the store, and adds notes to their results. */
export const showInHistory = async (
  place: FormattingContext,
  files: Array<KnownFile>,
  messages: History,
): Promise<void> => {
  const { directory, formatter: { recovered } } = place
  const changes = new Map<string, PartChange>()
  const changeOf = (part: CompletedCall | undefined): PartChange | undefined => {
    if (!part) return undefined
    const change = changes.get(part.id)
      ?? { part, input: {}, reads: [], notes: [], formatted: [], failed: [] }
    changes.set(part.id, change)
    return change
  }
  if (files.length + recovered.size === 0) return
  const parts = completedCallsOf(messages)
  const partOfWriter = (file: KnownFile) => {
    const writer = writersOf(file).at(-1)
    return writer && findPart(parts, writer)
  }
  const last = files.map(partOfWriter).findLast((part) => part !== undefined) ?? parts.at(-1)
  for (const file of files) {
    const { failure } = file
    const written = writersOf(file)
    const changeOfWriter = changeOf(partOfWriter(file) ?? last)
    const { text, calls, texts, stages, notes } = await reconcile(place, file)
    changeOfWriter?.notes.push(...notes)
    if (failure && !failure.byHost) {
      changeOfWriter?.failed.push({ command: failure.command, why: failure.status })
    }
    for (const [call, now] of texts) {
      const change = changeOf(findPart(parts, call))
      if (!change) continue
      // Another file of the same patch may already have changed its text.
      const args = { ...change.part.state.input, ...change.input }
      Object.assign(change.input, fileOf({ ...call, args }, directory)?.withTexts(now))
    }
    for (const { read, now } of readsOf(calls, text)) {
      const { args, textAfterCall } = read
      changeOf(findPart(parts, read))?.reads.push((output) =>
        replaceReadOutput(output, args, { shown: textAfterCall, now }) ?? output
      )
    }
    const isFormatted = written.length > 0 && written.at(-1)!.applied.raw !== text
    for (const call of isFormatted ? written : []) {
      const whole = written.length === 1 ? { before: call.before, after: text } : null
      const stage = stages.get(call) ?? whole
      changeOf(findPart(parts, call))?.formatted.push({ ...call, text, stage })
    }
  }
  if (recovered.size > 0) changeOf(last)
  for (const change of changes.values()) await applyChange(place, change)
}

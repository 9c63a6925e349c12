/** Shows the model what formatting did: corrects its calls and its reads in the history, and adds notes. */
import { type CompletedCall, completedCallsOf, type History } from '../../host/message-parts.ts'
import type { When } from '../../host/options.ts'
import type { CallMark } from '../../host/panel-schema.ts'
import { fileOf } from '../../steps/call.ts'
import { findPart } from '../../steps/find-part.ts'
import { carryDiagnostics } from './diagnostics.ts'
import { type DoneCall, type FormattingContext, isRead, isWrite, type KnownFile } from './known-files.ts'
import { replaceReadOutput } from './read-output.ts'
import { type Outcome, reconcile } from './reconcile.ts'
import { markFormatted, type ShownFile, updateShownDiff } from './shown-diff.ts'

/** What changes in the part of one call: in a message, the part holds the call's arguments and result. */
type PartChange = {
  part: CompletedCall
  /** The new values of the arguments that change. */
  input: Record<string, unknown>
  /** If the call is a read, its arguments, the text that it showed, and the text that it should show. */
  reads: Array<{ args: DoneCall['args']; shown: string; now: string }>
  notes: Array<string>
  formatted: Array<ShownFile>
  failed: NonNullable<CallMark['failed']>
}

/**
 * Adds to the changes of parts the new arguments and read outputs of the calls on a file, and the formatted text.
 *
 * @param changeOf returns the changes of a call's part; undefined if the history lacks the part
 */
const addCorrections = (
  { text, calls, texts, stages }: Outcome,
  writes: Array<DoneCall>,
  directory: string,
  changeOf: (call: DoneCall) => PartChange | undefined,
): void => {
  for (const [call, now] of texts) {
    const change = changeOf(call)
    // Another file of the same patch may already have changed its text.
    const args = { ...change?.part.state.input, ...change?.input }
    if (change) Object.assign(change.input, fileOf({ ...call, args }, directory)?.withTexts(now))
  }
  // A read after the last write shows the present file; an earlier read, the text before that read.
  const lastWrite = calls.findLastIndex(isWrite)
  for (const [index, call] of calls.entries()) {
    if (!isRead(call)) continue
    const { args, textAfterCall: shown, before } = call
    changeOf(call)?.reads.push({ args, shown, now: index > lastWrite ? text : before })
  }
  const isFormatted = writes.length > 0 && writes.at(-1)!.applied.raw !== text
  for (const call of isFormatted ? writes : []) {
    const wholeChange = writes.length === 1 ? { before: call.before, after: text } : null
    changeOf(call)?.formatted.push({ ...call, text, stage: stages.get(call) ?? wholeChange })
  }
}

/** Applies the changes of a part, in the request and in the store. */
const applyChange = async (
  { steps, formatter: { recovered } }: FormattingContext,
  { part, input, reads, notes, formatted, failed }: PartChange,
): Promise<void> => {
  const { state } = part
  const withReads = (output: string) =>
    reads.reduce((updated, read) => replaceReadOutput(updated, read.args, read) ?? updated, output)
  const corrected = Object.keys(input).some((name) => input[name] !== state.input[name])
  const isMarked = corrected || formatted.length + failed.length + recovered.size > 0
  if (!isMarked && notes.length === 0 && withReads(state.output) === state.output) return
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
    const output = [result.output, ...notes].join('\n\n')
    return { ...state, ...result, input: { ...state.input, ...input }, output }
  })
}

/** Returns the files of a session whose change was not shown yet; with `when`, those that are formatted then. */
export const filesToShow = (
  { knownFiles, formatter }: FormattingContext,
  sessionID: string,
  when?: When,
): Array<KnownFile> =>
  knownFiles.inState(sessionID, 'toCompare', 'changed')
    .filter(({ path }) => when === undefined || formatter.whenOf(path) === when)

/** Returns the notes for the start of a turn, on the files that were formatted at the end of the last turn. */
export const notesAtTurnStart = async (context: FormattingContext, sessionID: string): Promise<string> => {
  const notes: Array<string> = []
  for (const file of filesToShow(context, sessionID, 'turn')) {
    notes.push(...(await reconcile(context, file)).notes)
  }
  return notes.join('\n\n')
}

/** Corrects the calls on files in a request's messages and in the store, and adds notes to their results. */
export const showInHistory = async (
  context: FormattingContext,
  files: Array<KnownFile>,
  messages: History,
): Promise<void> => {
  const { directory, formatter: { recovered } } = context
  if (files.length + recovered.size === 0) return
  const parts = completedCallsOf(messages)
  const changes = new Map<CompletedCall, PartChange>()
  const changeOfPart = (part: CompletedCall | undefined): PartChange | undefined => {
    if (!part) return undefined
    const unchanged = { part, input: {}, reads: [], notes: [], formatted: [], failed: [] }
    if (!changes.has(part)) changes.set(part, unchanged)
    return changes.get(part)
  }
  const partOfLastWrite = ({ calls }: KnownFile) => {
    const lastWrite = calls.findLast(isWrite)
    return lastWrite && findPart(parts, lastWrite)
  }
  const lastPart = files.map(partOfLastWrite).findLast((part) => part !== undefined) ?? parts.at(-1)
  for (const file of files) {
    const { failure } = file
    const writes = file.calls.filter(isWrite)
    const changeOfWriter = changeOfPart(partOfLastWrite(file) ?? lastPart)
    const outcome = await reconcile(context, file)
    changeOfWriter?.notes.push(...outcome.notes)
    if (failure && !failure.byHost) {
      changeOfWriter?.failed.push({ command: failure.command, why: failure.status })
    }
    addCorrections(outcome, writes, directory, (call) => changeOfPart(findPart(parts, call)))
  }
  if (recovered.size > 0) changeOfPart(lastPart)
  for (const change of changes.values()) await applyChange(context, change)
}

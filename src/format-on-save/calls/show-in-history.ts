/** Shows the model what formatting did: corrects its calls and its reads in the history, and adds notes. */
import { type CompletedCall, completedCallsOf, type History } from '../../host/message-parts.ts'
import type { When } from '../../host/options.ts'
import type { CallMark } from '../../host/panel-schema.ts'
import { fileOf } from '../../steps/call.ts'
import { findPart } from '../../steps/find-part.ts'
import { moveDiagnostics } from './diagnostics.ts'
import { type DoneCall, type FormattingContext, isRead, isWrite, type KnownFile } from './known-files.ts'
import { replaceReadOutput } from './read-output.ts'
import { type Outcome, reconcile } from './reconcile.ts'
import { markFormatted, type ShownFile, updateShownDiff } from './shown-diff.ts'

/** Lists the files of a session whose change was not shown yet; with `when`, only those that are formatted then. */
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

/** What changes in the part of a message that holds the arguments and the result of one call. */
type PartChange = {
  part: CompletedCall
  /** The new values of the arguments that change. */
  input: Record<string, unknown>
  /** If the call is a read: its arguments, the text that it showed, and the one that it should show now. */
  reads: Array<{ args: DoneCall['args']; shown: string; now: string }>
  notes: Array<string>
  /** The files that the call wrote, if their formatting changed them. */
  formatted: Array<ShownFile>
  /** The commands that failed on files of the call. */
  failed: NonNullable<CallMark['failed']>
}

/** Returns the change of a call's part, empty at first; undefined if the history lacks the part. */
type ChangeOf = (call: DoneCall) => PartChange | undefined

/** Corrects the calls on files in a request's messages and in the store, and adds notes to their results. */
export const showInHistory = async (
  context: FormattingContext,
  files: Array<KnownFile>,
  messages: History,
): Promise<void> => {
  const { directory, formatter: { recovered } } = context
  if (files.length + recovered.size === 0) return
  const parts = completedCallsOf(messages)
  // Collected first and then applied, because a call may change several files.
  const changes = new Map<CompletedCall, PartChange>()
  const changeOfPart = (part: CompletedCall | undefined): PartChange | undefined => {
    if (!part) return undefined
    const change = changes.get(part) ?? { part, input: {}, reads: [], notes: [], formatted: [], failed: [] }
    changes.set(part, change)
    return change
  }
  const changeOf: ChangeOf = (call) => changeOfPart(findPart(parts, call))
  const partOfLastWrite = ({ calls }: KnownFile) => {
    const lastWrite = calls.findLast(isWrite)
    return lastWrite && findPart(parts, lastWrite)
  }
  const lastPart = files.map(partOfLastWrite).findLast((part) => part !== undefined) ?? parts.at(-1)
  for (const file of files) {
    const { failure } = file
    const writes = file.calls.filter(isWrite)
    const changeWithNotes = changeOfPart(partOfLastWrite(file) ?? lastPart)
    const outcome = await reconcile(context, file)
    changeWithNotes?.notes.push(...outcome.notes)
    if (failure && !failure.byHost) {
      changeWithNotes?.failed.push({ command: failure.command, why: failure.status })
    }
    addArguments(changeOf, outcome, directory)
    addReads(changeOf, outcome)
    addFormatted(changeOf, outcome, writes)
  }
  // The first changed part is marked with the commands that work again, so there must be one.
  if (recovered.size > 0) changeOfPart(lastPart)
  for (const change of changes.values()) await applyChange(context, change)
}

/** Adds the new arguments of the calls on a file. */
const addArguments = (changeOf: ChangeOf, { texts }: Outcome, directory: string): void => {
  for (const [call, newTexts] of texts) {
    const change = changeOf(call)
    if (!change) continue
    // Another file of the same patch may already have changed its text.
    const args = { ...change.part.state.input, ...change.input }
    Object.assign(change.input, fileOf({ ...call, args }, directory)?.withTexts(newTexts))
  }
}

/** Adds the text that each read of a file shows now: a read after the last write shows the present text. */
const addReads = (changeOf: ChangeOf, { text, calls }: Outcome): void => {
  const lastWrite = calls.findLastIndex(isWrite)
  for (const [index, call] of calls.entries()) {
    if (!isRead(call)) continue
    const { args, textAfterCall: shown, before } = call
    changeOf(call)?.reads.push({ args, shown, now: index > lastWrite ? text : before })
  }
}

/** Adds the formatted file to each call that wrote it, unless the last of them wrote exactly this text. */
const addFormatted = (changeOf: ChangeOf, { text, stages }: Outcome, writes: Array<DoneCall>): void => {
  if (writes.at(-1)?.applied.raw === text) return
  for (const call of writes) {
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
    moveDiagnostics(result, formatted)
    updateShownDiff(result.metadata, formatted)
    if (isMarked) markFormatted(result.metadata, mark)
    const output = [result.output, ...notes].join('\n\n')
    return { ...state, ...result, input: { ...state.input, ...input }, output }
  })
}

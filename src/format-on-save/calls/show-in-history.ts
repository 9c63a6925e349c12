/** Shows the model what formatting did: corrects its calls and the outputs of its reads, and adds notes to results. */
import { type CompletedCall, completedCallsOf, type History } from '../../host/message-parts.ts'
import type { CallMark } from '../../host/panel-schema.ts'
import { fileOf } from '../../steps/call.ts'
import { findPart } from '../../steps/find-part.ts'
import { moveDiagnostics } from './diagnostics.ts'
import { type DoneCall, type FormattingContext, isRead, isWrite, type KnownFile } from './known-files.ts'
import { replaceReadOutput } from './read-output.ts'
import { type Outcome, reconcile } from './reconcile.ts'
import { markFormatted, type ShownFile, updateShownDiff } from './shown-diff.ts'

/** Returns notes that tell the model what changed in the files that were formatted at the end of the last turn. */
export const notesAtTurnStart = async (context: FormattingContext, sessionID: string): Promise<string> => {
  const notes: Array<string> = []
  for (const file of context.knownFiles.toShow(sessionID, 'turn')) {
    notes.push(...(await reconcile(context, file)).notes)
  }
  return notes.join('\n\n')
}

type PartChange = {
  part: CompletedCall
  input: Record<string, unknown>
  reads: Array<{ args: DoneCall['args']; shown: string; now: string }>
  notes: Array<string>
  formatted: Array<ShownFile>
  failed: NonNullable<CallMark['failed']>
}

type ChangeOf = (call: DoneCall) => PartChange | undefined

/** Changes calls, in `messages` and in the host's store, to show how files differ from the texts that the model expects. */
export const showInHistory = async (
  context: FormattingContext,
  files: Array<KnownFile>,
  messages: History,
): Promise<void> => {
  const { directory, formatter: { recovered: recoveredCommands } } = context
  if (files.length + recoveredCommands.size === 0) return
  const parts = completedCallsOf(messages)
  const partOf = (call: DoneCall | undefined) => call && findPart(parts, call)
  const partOfLastWrite = ({ newCalls }: KnownFile) => partOf(newCalls.findLast(isWrite))
  // A call may write several files, so the changes of all files are collected before any is applied.
  const changes = new Map<CompletedCall, PartChange>()
  const changeIn = (part: CompletedCall | undefined): PartChange | undefined => {
    if (!part) return undefined
    const change = changes.get(part) ?? { part, input: {}, reads: [], notes: [], formatted: [], failed: [] }
    changes.set(part, change)
    return change
  }
  const changeOf: ChangeOf = (call) => changeIn(partOf(call))
  // This part gets the notes on files that no call of this step wrote.
  const fallbackPart = files.map(partOfLastWrite).findLast((part) => part !== undefined) ?? parts.at(-1)
  for (const file of files) {
    // `reconcile` resets these fields.
    const { failure, newCalls } = file
    const change = changeIn(partOfLastWrite(file) ?? fallbackPart)
    const outcome = await reconcile(context, file)
    change?.notes.push(...outcome.notes)
    if (failure && !failure.byHost) change?.failed.push({ command: failure.command, why: failure.status })
    addArguments(changeOf, outcome, directory)
    addReads(changeOf, outcome)
    addFormatted(changeOf, outcome, newCalls.filter(isWrite))
  }
  // Even without files, one call gets the mark that tells the person which commands work again.
  if (recoveredCommands.size > 0) changeIn(fallbackPart)
  for (const change of changes.values()) await applyChange(context, change)
}

const addArguments = (changeOf: ChangeOf, { texts }: Outcome, directory: string): void => {
  for (const [call, newTexts] of texts) {
    const change = changeOf(call)
    if (!change) continue
    // If a call patches several files, `change.input` already contains the corrections for the earlier files.
    const args = { ...change.part.state.input, ...change.input }
    Object.assign(change.input, fileOf({ ...call, args }, directory)?.withTexts(newTexts))
  }
}

/** Makes each read show the result of the corrected writes that precede it. */
const addReads = (changeOf: ChangeOf, { text, calls }: Outcome): void => {
  const lastWrite = calls.findLastIndex(isWrite)
  for (const [index, call] of calls.entries()) {
    if (!isRead(call)) continue
    const { args, textAfterCall: shown, before } = call
    changeOf(call)?.reads.push({ args, shown, now: index > lastWrite ? text : before })
  }
}

const addFormatted = (changeOf: ChangeOf, { text, stages }: Outcome, writes: Array<DoneCall>): void => {
  if (writes.at(-1)?.applied.raw === text) return
  for (const call of writes) {
    // If only one call wrote the file, all changes since the start of that call count as part of it.
    const onlyStage = writes.length === 1 ? { before: call.before, after: text } : null
    changeOf(call)?.formatted.push({ ...call, text, stage: stages.get(call) ?? onlyStage })
  }
}

const applyChange = async (
  { steps, formatter: { recovered: recoveredCommands } }: FormattingContext,
  { part, input, reads, notes, formatted, failed }: PartChange,
): Promise<void> => {
  const withReads = (output: string) =>
    reads.reduce((updated, read) => replaceReadOutput(updated, read.args, read) ?? updated, output)
  const corrected = Object.keys(input).some((name) => input[name] !== part.state.input[name])
  const isMarked = corrected || formatted.length + failed.length + recoveredCommands.size > 0
  const hasNewOutput = notes.length > 0 || withReads(part.state.output) !== part.state.output
  if (!isMarked && !hasNewOutput) return
  const mark = {
    formatted: formatted.map(({ path }) => path),
    corrected,
    ...(failed.length > 0 && { failed }),
    ...(recoveredCommands.size > 0 && { mended: [...recoveredCommands] }),
  }
  if (isMarked) recoveredCommands.clear()
  await steps.parts.change(part, ({ state }) => {
    const result = { output: withReads(state.output), metadata: structuredClone(state.metadata) }
    moveDiagnostics(result, formatted)
    updateShownDiff(result.metadata, formatted)
    if (isMarked) markFormatted(result.metadata, mark)
    const output = [result.output, ...notes].join('\n\n')
    return { ...state, ...result, input: { ...state.input, ...input }, output }
  })
}

/** Lets a call run on the text that the model believes, even if a formatter changed the file; records the belief. */
import { extname } from 'node:path'
import { targetsOf } from '../../steps/call.ts'
import { writesWholeFile } from '../../steps/edits.ts'
import { readSaved, watchFiles, withText } from '../../steps/saved-file.ts'
import type { CallFile, HostCall, StepCall } from '../../steps/step-call.ts'
import { restoreFile } from '../run/restore-file.ts'
import type { FormattingContext, KnownFile } from './known-files.ts'
import { replaceReadOutput } from './read-output.ts'

type Args = Record<string, unknown>

/**
 * Puts the `wanted` text of a file on the disk: what the model believes (`believed`), or what a formatter made of that
 * (`text`). Does so only if the disk has the other one of these two texts. Returns whether it did.
 */
const exchangeText = async (file: KnownFile | undefined, wanted: 'text' | 'believed'): Promise<boolean> => {
  if (!file) return false
  const [old, next] = wanted === 'text' ? [file.believed, file.text] : [file.text, file.believed]
  if (next === null || old === next) return false
  // If others changed the file during a call, the exchange could undo their change.
  if (file.calls.some(({ hasForeignChange }) => hasForeignChange)) return false
  const saved = await readSaved(file.real)
  if (saved?.text !== old) return false
  await restoreFile(withText(saved, next), saved)
  return true
}

export class WritingCalls {
  readonly #context: FormattingContext
  /** By call, a function that lists the known files that the call does not name, but that changed since it began. */
  readonly #changedOthers = new WeakMap<StepCall, () => Promise<Array<string>>>()
  /** The host's formatter for these extensions has changed other files, too, so calls with such files run alone. */
  readonly #extensionsRunAlone = new Set<string>()

  constructor(context: FormattingContext) {
    this.#context = context
  }

  /** Waits for earlier calls on the same files and for formatters, then prepares the files that the call writes. */
  async start(hostCall: HostCall, args: Args): Promise<void> {
    const { formatter, hostFormatter, knownFiles, steps } = this.#context
    const call = await steps.start(hostCall, args, (call) => this.#extraLocks(call))
    const tracked = call.files.filter((file) => this.#isTracked(hostCall, file))
    // A patch counts even if no file is tracked: it may move a formatted file to a name that is not formatted.
    const named = hostCall.tool === 'apply_patch' || tracked.length > 0 ? call.named : []
    const paths = named.map(({ path }) => path)
    call.whenEnded(await formatter.startCall(paths))
    call.throwIfEnded()
    if (!call.isCurrent || hostCall.tool === 'read') return
    // The host's formatter for the files that the call names may change other files, too.
    const hostFormats = paths.some((path) => hostFormatter && hostFormatter.reachOf(path) !== 'none')
    const others = hostFormats ? knownFiles.realPathsExcept(named.map(({ real }) => real)) : []
    this.#changedOthers.set(call, await watchFiles(others))
    for (const file of tracked) await this.#prepareFile(call, file)
  }

  #isTracked({ sessionID }: HostCall, { file, real }: CallFile): boolean {
    const { formatter, knownFiles } = this.#context
    // The formatter of another file may have changed a file that is known but not formatted.
    return formatter.isFormatted(file.path) || knownFiles.of(sessionID).has(real.from)
  }

  /** If the host's formatter may change other files, returns the known files, and a lock that all such calls share. */
  #extraLocks({ host: { tool, sessionID }, named }: StepCall): Array<string> {
    const { hostFormatter, knownFiles } = this.#context
    const changesOthers = ({ path }: { path: string }) =>
      hostFormatter?.reachOf(path) === 'project' || this.#extensionsRunAlone.has(extname(path))
    return tool !== 'read' && named.some(changesOthers) ? ['alone', ...knownFiles.of(sessionID).keys()] : []
  }

  /** Puts the believed text on the disk, unless the call's arguments match only the text that the disk has. */
  async #prepareFile(call: StepCall, callFile: CallFile): Promise<void> {
    const { knownFiles, steps } = this.#context
    const { file, real: { from: real } } = callFile
    await steps.readBefore(callFile)
    if (callFile.isShared) knownFiles.markChanged(real)
    const findKnown = () => knownFiles.of(call.host.sessionID).get(real)
    const { believed = null, text = null } = findKnown() ?? {}
    // The model may have seen the present text through a shell.
    const matchesOnlyDisk = believed !== text && file.apply(believed) === null && file.apply(text) !== null
    const isExchanged = !matchesOnlyDisk && await exchangeText(findKnown(), 'believed')
    if (isExchanged) callFile.before = { text: believed }
    // A call that fails leaves the believed text on the disk, so the earlier text is put back.
    call.whenFailed(async () => void await exchangeText(findKnown(), 'text'))
  }

  async finish(hostCall: HostCall, args: Args): Promise<void> {
    const call = await this.#context.steps.finish(hostCall, args)
    if (!call) return
    for (const file of call.files) if (file.after) await this.#recordWritten(file, hostCall)
    const changedOthers = await this.#changedOthers.get(call)?.() ?? []
    for (const real of changedOthers) await this.#recordOther(hostCall.sessionID, real, call)
  }

  /** Records a file that changed during a call which does not name it. */
  async #recordOther(sessionID: string, real: string, { files }: StepCall): Promise<void> {
    const { knownFiles, steps } = this.#context
    // A running call that writes the file records it itself.
    if (steps.runningFiles.some((file) => file.real.to === real)) return
    const own = knownFiles.of(sessionID).get(real)
    // In the state `written`, another call of this session may have changed the file. Otherwise, the host's formatter
    // of this call did, so calls on files with the same extensions run alone from now on.
    if (own?.state !== 'written') {
      const tracked = files.filter(({ isReadBefore }) => isReadBefore)
      for (const { file } of tracked) this.#extensionsRunAlone.add(extname(file.path))
    }
    if (own) own.text = (await readSaved(real))?.text ?? own.text
    knownFiles.markChanged(real)
  }

  /** Records a file that a call wrote, what the model now believes of it, and a failure of the host's formatter. */
  async #recordWritten(callFile: CallFile, { tool, sessionID, callID }: HostCall): Promise<void> {
    const { hostFormatter, knownFiles, log } = this.#context
    const { real, before, after, replayed, isShared } = callFile
    const { text, error } = after!
    const { file, args } = replayed!
    // The call deleted the file.
    if (text === null) return
    const isText = text !== undefined
    if (!isText) log('warn', `A file was not formatted: ${error}`, { file: file.path })
    // A file that is not text is recorded only if the host's formatter may have made it so.
    if (!isText && !hostFormatter) return
    const textBefore = before!.text ?? null
    const textAfterCall = text ?? ''
    // What the call alone made of the file; null if that is not certain.
    const ownResult = isText ? replayed!.applied : null
    const applied = ownResult ?? { raw: textAfterCall, changes: [] }
    // The text on the disk is the call's own result unless the host's formatter changed it.
    const isResultSure = ownResult !== null || !hostFormatter
    const last = knownFiles.of(sessionID).get(real.from)
    const wasUnsure = last?.believed === null && last.text === textBefore
    const believed = writesWholeFile(applied) || (isResultSure && !wasUnsure) ? applied.raw : null
    // If the disk has another text than the call's own result, the host's formatter is taken to be the cause. Without
    // one, or if another session wrote the file at the same time, somebody else may have changed it.
    const hasForeignChange = ownResult !== null && ownResult.raw !== text && (isShared || !hostFormatter)
    const call = { ...file, callID, tool, args, before: textBefore ?? '' }
    const done = { ...call, applied, textAfterCall, hasForeignChange }
    const failure = await hostFormatter?.failureOf(file.path, applied.raw !== textAfterCall) ?? null
    knownFiles.recordWrite(sessionID, done, real, { believed, failure })
  }

  /** Records a read. If calls on the file may still be corrected, adds it to them, so that its output is corrected. */
  async finishRead({ tool, sessionID, callID }: HostCall, args: Args, output: string): Promise<void> {
    const { directory, formatter, knownFiles } = this.#context
    const [file] = targetsOf(tool, args, directory)
    const saved = file && await readSaved(file.path)
    if (!saved) return
    const { text, realPath: real } = saved
    const last = knownFiles.of(sessionID).get(real)
    // What the model believed when it sent this read and the other calls of the message. Null if that is not sure, if
    // the file has changed since, or if calls on the file are never corrected (its formatter runs at the turn's end).
    const believed = last?.text === text && formatter.whenOf(file.path) === 'save' ? last.believed : null
    const mayBeCorrected = believed !== null && (believed !== text || last!.calls.length > 0)
    const canReplaceOutput = () => replaceReadOutput(output, args, { shown: text, now: '' }) !== null
    if (!mayBeCorrected || !canReplaceOutput()) {
      knownFiles.recordRead(sessionID, { path: file.path, real, text })
      return
    }
    const applied = { raw: believed, changes: [] }
    const call = { ...file, callID, tool, args: { ...args }, before: believed }
    last!.calls.push({ ...call, applied, textAfterCall: text, hasForeignChange: false })
    if (last!.state === 'known') last!.state = 'toCompare'
  }
}

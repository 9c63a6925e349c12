/**
 * Lets a model's calls work on files that a formatter has changed since the model saw them: gives the file, for the
 * time of the call, the text that the model believes. Records after each call what the model believes then.
 */
import { extname } from 'node:path'
import { realPathOf } from '../../paths/real-path.ts'
import { readCall } from '../../steps/call.ts'
import { writesWholeFile } from '../../steps/edits.ts'
import { readSaved, watchFiles, withText } from '../../steps/saved-file.ts'
import type { CallFile, HostCall, StepCall } from '../../steps/step-call.ts'
import { restoreFile } from '../run/restore-file.ts'
import type { FormattingContext, KnownFile } from './known-files.ts'
import { replaceReadOutput } from './read-output.ts'

type Args = Record<string, unknown>

/** The two texts of a known file: the one last read from the disk, and the one that the model believes. */
type TextName = 'text' | 'believed'

/** If the disk holds the text `from` of a file, replaces it with the text `to`. Returns whether it did. */
const exchangeText = async (file: KnownFile | undefined, from: TextName, to: TextName): Promise<boolean> => {
  const [present, wanted] = [file?.[from] ?? null, file?.[to] ?? null]
  if (!file || present === null || wanted === null || present === wanted) return false
  // If others changed the file during a call, the exchange could undo their change.
  if (file.calls.some(({ isForeign }) => isForeign)) return false
  const saved = await readSaved(file.real)
  if (saved?.text !== present) return false
  await restoreFile(withText(saved, wanted), saved)
  return true
}

export class WritingCalls {
  readonly #context: FormattingContext
  /** For each call, a function that lists which other files were written since the call began. */
  readonly #changedOthers = new WeakMap<StepCall, () => Promise<Array<string>>>()
  /** Calls on files with these extensions run alone: the host's formatter for them has changed other files, too. */
  readonly #extensionsRunAlone = new Set<string>()

  constructor(context: FormattingContext) {
    this.#context = context
  }

  /** Waits for earlier calls on the same files and for formatters, then prepares the files that the call writes. */
  async start(hostCall: HostCall, args: Args): Promise<void> {
    const { formatter, hostFormatter, knownFiles, steps } = this.#context
    const call = await steps.start(hostCall, args, (call) => this.#extraLocks(call))
    const tracked = call.files.filter((file) => this.#isTracked(hostCall, file))
    const named = hostCall.tool === 'apply_patch' || tracked.length > 0 ? call.named : []
    const paths = named.map(({ path }) => path)
    call.whenEnded(await formatter.startCall(paths))
    call.throwIfEnded()
    if (!call.isCurrent || hostCall.tool === 'read') return
    // If the host formats a file of the call, that may change other files, too.
    const hostFormats = paths.some((path) => hostFormatter && hostFormatter.reachOf(path) !== 'none')
    const others = hostFormats ? knownFiles.pathsWithout(named.map(({ real }) => real)) : []
    this.#changedOthers.set(call, await watchFiles(others))
    for (const file of tracked) await this.#prepareFile(call, file)
  }

  /** Whether a file is formatted, or known to the session: the formatter of another file may have changed it. */
  #isTracked({ sessionID }: HostCall, { file, real }: CallFile): boolean {
    const { formatter, knownFiles } = this.#context
    return formatter.isFormatted(file.path) || knownFiles.of(sessionID).has(real.from)
  }

  /**
   * Returns further locks for a call if the host's formatter may change other files, because it could overwrite what
   * another call writes meanwhile: `alone`, which all such calls take, and each file that the session knows.
   */
  #extraLocks({ host: { tool, sessionID }, named }: StepCall): Array<string> {
    const { hostFormatter, knownFiles } = this.#context
    const changesOthers = ({ path }: { path: string }) =>
      hostFormatter?.reachOf(path) === 'project' || this.#extensionsRunAlone.has(extname(path))
    return tool !== 'read' && named.some(changesOthers) ? ['alone', ...knownFiles.of(sessionID).keys()] : []
  }

  /**
   * Writes the text that the model believes to the disk for the time of a call, because the call's arguments match it.
   * If they match only the text on the disk, that one stays. If the call fails, the earlier text is restored.
   */
  async #prepareFile(call: StepCall, callFile: CallFile): Promise<void> {
    const { knownFiles, steps } = this.#context
    const { file, real: { from: real } } = callFile
    await steps.readBefore(callFile)
    if (callFile.isShared) knownFiles.markChanged(real)
    const knownFile = () => knownFiles.of(call.host.sessionID).get(real)
    const { believed = null, text = null } = knownFile() ?? {}
    // The model may have seen the present text through a shell.
    const matchesOnlyDisk = believed !== text && file.apply(believed) === null && file.apply(text) !== null
    const isExchanged = !matchesOnlyDisk && await exchangeText(knownFile(), 'text', 'believed')
    if (isExchanged) callFile.before = { text: believed }
    call.whenFailed(async () => void await exchangeText(knownFile(), 'believed', 'text'))
  }

  /** Records how a call that succeeded changed its files. */
  async finish(hostCall: HostCall, args: Args): Promise<void> {
    const call = await this.#context.steps.finish(hostCall, args)
    if (!call) return
    for (const file of call.files) if (file.after) await this.#recordWritten(file, hostCall)
    for (const real of await this.#changedOthers.get(call)?.() ?? []) {
      await this.#recordOther(hostCall.sessionID, real, call)
    }
  }

  /** Records that the host's formatter changed a file besides those of the call. */
  async #recordOther(sessionID: string, real: string, { files }: StepCall): Promise<void> {
    const { knownFiles, steps } = this.#context
    // A running call that writes the file records it itself.
    if (steps.runningFiles.some((file) => file.real.to === real)) return
    const own = knownFiles.of(sessionID).get(real)
    // In the state `written`, another call of this session may have changed it: the formatter is not blamed.
    if (own?.state !== 'written') {
      const written = files.filter(({ isReadBefore }) => isReadBefore)
      for (const { file } of written) this.#extensionsRunAlone.add(extname(file.path))
    }
    if (own) own.text = (await readSaved(real))?.text ?? own.text
    knownFiles.markChanged(real)
  }

  /** Records a file that a call wrote, what the model believes of it, and how the host's formatter failed on it. */
  async #recordWritten(
    { real, before, after, replayed, isShared }: CallFile,
    { tool, sessionID, callID }: HostCall,
  ): Promise<void> {
    const { hostFormatter, knownFiles, log } = this.#context
    const { text, error } = after!
    const { file, args } = replayed!
    const isText = text !== undefined
    if (!isText) log('warn', `A file was not formatted: ${error}`, { file: file.path })
    // A deleted file is not recorded, nor one that is no text, unless the host's formatter may have made it so.
    if (text === null || (!isText && !hostFormatter)) return
    const textBefore = before!.text ?? null
    const textAfterCall = text ?? ''
    // What the call alone made of the file; null if that is not certain.
    const ownResult = isText ? replayed!.applied : null
    const applied = ownResult ?? { raw: textAfterCall, changes: [] }

    const last = knownFiles.of(sessionID).get(real.from)
    // If it was not sure what the model believed, only a call that writes the whole file makes it sure.
    const wasUnsure = last?.believed === null && last.text === textBefore
    const staysUnsure = wasUnsure && !(ownResult && writesWholeFile(ownResult))
    // Without an own result, only the text on the disk is known, which the host may have formatted.
    const mayBeFormatted = ownResult === null && hostFormatter !== undefined
    const believed = staysUnsure || mayBeFormatted ? null : applied.raw

    // If the text on the disk is not the call's, others wrote it, or a formatter of the host. If there is such a
    // formatter, others are blamed only if another session wrote the file at the same time.
    const isForeign = ownResult !== null && ownResult.raw !== text && (isShared || !hostFormatter)
    const done = { ...file, callID, tool, args, before: textBefore ?? '', applied, textAfterCall, isForeign }
    const failure = await hostFormatter?.failureOf(file.path, applied.raw !== textAfterCall) ?? null
    knownFiles.recordWrite(sessionID, done, real, { believed, failure })
  }

  /** Records a file that a model read. If the calls on the file may be corrected, the read is recorded among them. */
  async finishRead({ tool, sessionID, callID }: HostCall, args: Args, output: string): Promise<void> {
    const { directory, formatter, knownFiles } = this.#context
    const [file] = readCall(tool, args, directory)
    const saved = file && await readSaved(file.path)
    if (!saved) return
    const { path } = file
    const { text } = saved
    const real = await realPathOf(path)
    const last = knownFiles.of(sessionID).get(real)
    // The model sent the other calls of this message before it saw this output: they match its earlier belief.
    const believed = last?.text === text && formatter.whenOf(path) === 'save' ? last.believed : null
    const mayBeCorrected = believed !== null && (believed !== text || last!.calls.length > 0)
    // The output can be corrected later only if `replaceReadOutput` finds the text in it.
    if (!mayBeCorrected || replaceReadOutput(output, args, { shown: text, now: '' }) === null) {
      knownFiles.recordRead(sessionID, { path, real, text })
      return
    }
    // A read changes nothing: `before` and `applied` have the same text.
    const applied = { raw: believed, changes: [] }
    const call = { ...file, callID, tool, args: { ...args }, before: believed }
    last!.calls.push({ ...call, applied, textAfterCall: text, isForeign: false })
    if (last!.state === 'known') last!.state = 'toCompare'
  }
}

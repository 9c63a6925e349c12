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

/**
 * Writes the text `to` of a file to the disk if the disk holds the text `from`. Returns false, and leaves the file, if
 * the texts are the same or one is unknown, or if somebody else changed the file.
 */
const exchangeText = async (file: KnownFile | undefined, from: TextName, to: TextName): Promise<boolean> => {
  const [present, wanted] = [file?.[from] ?? null, file?.[to] ?? null]
  if (!file || present === null || wanted === null || present === wanted) return false
  if (file.calls.some(({ isForeign }) => isForeign)) return false
  const saved = await readSaved(file.real)
  if (saved?.text !== present) return false
  await restoreFile(withText(saved, wanted), saved)
  return true
}

/** Records, around the calls that read and write files, what the model of each session believes that the files say. */
export class WritingCalls {
  readonly #context: FormattingContext
  /** By call, a function that lists the other files written since the call began, as by the host's formatter. */
  readonly #changedOthers = new WeakMap<StepCall, () => Promise<Array<string>>>()
  /** The extensions of files whose host formatter has also changed other files: calls on them run alone. */
  readonly #extensionsRunAlone = new Set<string>()

  constructor(context: FormattingContext) {
    this.#context = context
  }

  /** Waits for earlier calls on the files and for formatters, then prepares the files for the call's arguments. */
  async start(hostCall: HostCall, args: Args): Promise<void> {
    const { formatter, host, knownFiles, steps } = this.#context
    const call = await steps.start(hostCall, args, (call) => this.#extraLocks(call))
    const tracked = call.files.filter((file) => this.#isTracked(hostCall, file))
    const named = hostCall.tool === 'apply_patch' || tracked.length > 0 ? call.named : []
    const paths = named.map(({ path }) => path)
    call.whenEnded(await formatter.startCall(paths))
    call.throwIfEnded()
    if (!call.isCurrent || hostCall.tool === 'read') return
    const hasHostFormatter = host && paths.some((path) => host.reachOf(path) !== 'none')
    const others = hasHostFormatter ? knownFiles.pathsWithout(named.map(({ real }) => real)) : []
    this.#changedOthers.set(call, await watchFiles(others))
    for (const file of tracked) await this.#prepareFile(call, file)
  }

  /** Whether a file is formatted, or known to the session: the command for another file may change a known one. */
  #isTracked({ sessionID }: HostCall, { file, real }: CallFile): boolean {
    const { formatter, knownFiles } = this.#context
    return formatter.isFormatted(file.path) || knownFiles.of(sessionID).has(real.from)
  }

  /**
   * Returns further locks for a call whose formatter may change other files, because it could overwrite what another
   * call writes meanwhile: one lock that all such calls take, and the files that the session knows.
   */
  #extraLocks({ host: { tool, sessionID }, named }: StepCall): Array<string> {
    const { host, knownFiles } = this.#context
    const changesOthers = ({ path }: { path: string }) =>
      host?.reachOf(path) === 'project' || this.#extensionsRunAlone.has(extname(path))
    return tool !== 'read' && named.some(changesOthers) ? ['alone', ...knownFiles.of(sessionID).keys()] : []
  }

  /**
   * Writes the text that the model believes to the disk while a call runs, because the arguments match that text. If
   * they match only the text on the disk, that one stays. If the call fails, restores the text that was on the disk.
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
      await this.#recordChanged(hostCall.sessionID, real, call)
    }
  }

  /** Records that the host's formatter changed a file besides those of the call. */
  async #recordChanged(sessionID: string, real: string, { files }: StepCall): Promise<void> {
    const { knownFiles, steps } = this.#context
    // A running call that writes the file records it itself.
    if (steps.runningFiles.some((file) => file.real.to === real)) return
    const own = knownFiles.of(sessionID).get(real)
    // A file in the state `written` may have been changed by another call of this session instead.
    if (own?.state !== 'written') {
      const tracked = files.filter(({ isReadBefore }) => isReadBefore)
      for (const { file } of tracked) this.#extensionsRunAlone.add(extname(file.path))
    }
    if (own) own.text = (await readSaved(real))?.text ?? own.text
    knownFiles.markChanged(real)
  }

  /** Records a file that a call wrote, what the model believes of it, and how a command of the host failed on it. */
  async #recordWritten(
    { real, before, after, replayed, isShared }: CallFile,
    { tool, sessionID, callID }: HostCall,
  ): Promise<void> {
    const { host, knownFiles, log } = this.#context
    const { text, error } = after!
    const { file, args } = replayed!
    const isText = text !== undefined
    if (!isText) log('warn', `A file was not formatted: ${error}`, { file: file.path })
    // A formatter of the host may have made the file unreadable, which a note then reports.
    if (text === null || (!isText && !host)) return
    const textAfterCall = text ?? ''
    const last = knownFiles.of(sessionID).get(real.from)
    const exact = isText ? replayed!.applied : null
    const applied = exact ?? { raw: textAfterCall, changes: [] }
    const old = before!.text ?? null
    // A call leaves an unknown text unknown, unless it writes the whole file.
    const isUnknown = last?.believed === null && last.text === old && !(exact && writesWholeFile(exact))
    // A formatter of the host may have changed the file after the call wrote it.
    const believed = isUnknown || (exact === null && host) ? null : applied.raw
    const isForeign = exact !== null && exact.raw !== text && (isShared || !host)
    const done = { ...file, callID, tool, args, before: old ?? '', applied, textAfterCall, isForeign }
    const failure = await host?.failureOf(file.path, applied.raw !== textAfterCall) ?? null
    knownFiles.recordWrite(sessionID, done, real, { believed, failure })
  }

  /** Records what a model read. */
  async read({ tool, sessionID, callID }: HostCall, args: Args, output: string): Promise<void> {
    const { directory, formatter, knownFiles } = this.#context
    const [file] = readCall(tool, args, directory)
    const saved = file && await readSaved(file.path)
    if (!saved) return
    const { path } = file
    const { text } = saved
    const real = await realPathOf(path)
    const last = knownFiles.of(sessionID).get(real)
    // The other calls of the message were sent before the model read this, so they match what it believed until then.
    const believed = last?.text === text && formatter.whenOf(path) === 'save' ? last.believed : null
    const isAmongCalls = believed !== null && (believed !== text || last!.calls.length > 0)
    if (!isAmongCalls || replaceReadOutput(output, args, { shown: text, now: '' }) === null) {
      knownFiles.recordRead(sessionID, { path, real, text })
      return
    }
    const applied = { raw: believed, changes: [] }
    const ofCall = { ...file, callID, tool, args: { ...args }, before: believed }
    last!.calls.push({ ...ofCall, applied, textAfterCall: text, isForeign: false })
    if (last!.state === 'known') last!.state = 'toCompare'
  }
}

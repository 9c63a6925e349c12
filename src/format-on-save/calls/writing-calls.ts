import { extname } from 'node:path'
import { realPathOf } from '../../paths/real-path.ts'
import { readCall } from '../../steps/call.ts'
import { readSaved, watchFiles, withText } from '../../steps/saved-file.ts'
import type { CallFile, HostCall, StepCall } from '../../steps/step-call.ts'
import { restoreFile } from '../run/restore-file.ts'
import type { FormattingContext } from './known-files.ts'
import { replaceReadOutput } from './read-output.ts'

type Args = Record<string, unknown>

/** Records, around the calls that read and write files, what the model of each session believes that the files say. */
export class WritingCalls {
  readonly #place: FormattingContext
  /** By call, a function that lists the other files that were written since it began: the host's formatter may do that. */
  readonly #changedOthers = new WeakMap<StepCall, () => Promise<Array<string>>>()
  /** The extensions of files whose host formatter has also changed other files: calls on them run alone. */
  readonly #extensionsRunAlone = new Set<string>()

  constructor(place: FormattingContext) {
    this.#place = place
  }

  /** Waits for earlier calls on the files and for their formatters, then prepares the files for the call's arguments. */
  async start(host: HostCall, args: Args): Promise<void> {
    const { formatter, known, steps } = this.#place
    const call = await steps.start(host, args, (call) => this.#extraLocks(call))
    const tracked = call.files.filter((file) => this.#isTracked(host, file))
    const named = host.tool === 'apply_patch' || tracked.length > 0 ? call.named : []
    const paths = named.map(({ path }) => path)
    call.whenEnded(await formatter.startCall(paths))
    call.throwIfEnded()
    if (!call.isCurrent || host.tool === 'read') return
    const hasHostFormatter = paths.some((path) => this.#place.host.reachOf(path) !== 'none')
    const others = hasHostFormatter ? known.pathsWithout(named.map(({ real }) => real)) : []
    this.#changedOthers.set(call, await watchFiles(others))
    for (const file of tracked) await this.#exchangeBefore(call, file)
  }

  /** Whether to track a file: it is formatted, or the session knows it, because another file's command may change it. */
  #isTracked({ sessionID }: HostCall, { file, real }: CallFile): boolean {
    const { formatter, known } = this.#place
    return formatter.isFormatted(file.path) || known.of(sessionID).has(real.from)
  }

  /**
   * Returns further locks for a call whose formatter may change other files: one that all such calls take, so that they run
   * one after the other, and all files that the session knows. Without these locks, what another call writes to the files at
   * the same time may be lost.
   */
  #extraLocks({ host: { tool, sessionID }, named }: StepCall): Array<string> {
    const { host, known } = this.#place
    const changesOthers = ({ path }: { path: string }) =>
      host.reachOf(path) === 'project' || this.#extensionsRunAlone.has(extname(path))
    return tool !== 'read' && named.some(changesOthers) ? ['alone', ...known.of(sessionID).keys()] : []
  }

  /**
   * Prepares a file for a call: while the call runs, the disk holds the text that the model believes, which the arguments
   * match. If they match only the text on the disk, it stays. If the call fails, the former text is restored.
   */
  async #exchangeBefore(call: StepCall, ofCall: CallFile): Promise<void> {
    const { known, steps } = this.#place
    const { file, real: { from } } = ofCall
    const { sessionID } = call.host
    await steps.readBefore(ofCall)
    if (ofCall.isShared) known.markChanged(from)
    const { believed = null, text: now = null } = known.of(sessionID).get(from) ?? {}
    // The model may have seen the present text through a shell.
    const matchesOnlyDisk = believed !== now && file.apply(believed) === null && file.apply(now) !== null
    if (!matchesOnlyDisk) {
      ofCall.before = { ...ofCall.before!, text: await this.#exchange(sessionID, from, 'text', ofCall) }
    }
    call.whenFailed(async () => void await this.#exchange(sessionID, from, 'believed'))
  }

  /**
   * Writes the other of a file's two known texts to the disk if the disk holds the one named by `from`, and returns it. If
   * somebody else changed the file, it stays, and the text before the call is returned.
   */
  async #exchange(sessionID: string, real: string, from: 'text' | 'believed', ofCall?: CallFile) {
    const saved = ofCall ? ofCall.before?.saved : await readSaved(real)
    const to = from === 'text' ? 'believed' : 'text'
    const file = this.#place.known.of(sessionID).get(real)
    const { [from]: expected = null, [to]: other = null, calls = [] } = file ?? {}
    const isForeign = calls.some((call) => call.isForeign)
    if (!saved || isForeign || other === null || saved.text !== expected || other === expected) {
      return ofCall?.before?.text
    }
    await restoreFile(withText(saved, other), saved)
    return other
  }

  /** Records how a call that succeeded changed its files. */
  async finish(host: HostCall, args: Args): Promise<void> {
    const call = await this.#place.steps.finish(host, args)
    for (const file of call?.files ?? []) if (file.after) await this.#recordWritten(file, host)
    for (const real of await (call && this.#changedOthers.get(call)?.()) ?? []) {
      await this.#recordChanged(host.sessionID, real, call!)
    }
  }

  /** Records that the host's formatter changed a file besides those of the call. */
  async #recordChanged(sessionID: string, real: string, { files }: StepCall): Promise<void> {
    const { known, steps } = this.#place
    // A file that another call writes at this time is recorded by that call.
    if (steps.runningFiles.some((file) => file.real.to === real)) return
    const own = known.of(sessionID).get(real)
    // In the state `written`, another call of this session may have changed the file.
    const isByFormatter = own?.state !== 'written'
    for (const { file, hasBefore } of isByFormatter ? files : []) {
      if (hasBefore) this.#extensionsRunAlone.add(extname(file.path))
    }
    if (own) own.text = (await readSaved(real))?.text ?? own.text
    known.markChanged(real)
  }

  /** Records a file that a call wrote, what the model believes of it, and how a command of the host failed on it. */
  async #recordWritten(
    { real, before, after, replayed, isShared }: CallFile,
    { tool, sessionID, callID }: HostCall,
  ) {
    const { host, known, log } = this.#place
    const { text, error } = after!
    const { file, args } = replayed!
    if (text === null) return
    if (text === undefined) log('warn', `A file was not formatted: ${error}`, { file: file.path })
    const textAfterCall = text ?? ''
    const last = known.of(sessionID).get(real.from)
    const exact = text === undefined ? null : replayed!.applied
    const applied = exact ?? { raw: textAfterCall, changes: [] }
    const old = before!.text ?? null
    // An edit of an unknown text leaves it unknown; a write of the whole file does not.
    const isWhole = exact?.changes[0]?.kind === 'all'
    const isUnknown = !isWhole && last?.believed === null && last.text === old
    // A formatter of the host may have changed the file after the call wrote it.
    const believed = isUnknown || (exact === null && host.formats) ? null : applied.raw
    const isForeign = exact !== null && exact.raw !== text && (isShared || !host.formats)
    const done = { ...file, callID, tool, args, before: old ?? '', applied, textAfterCall, isForeign }
    const failure = await host.failureOf(file.path, applied.raw !== textAfterCall)
    if (text !== undefined || host.formats) {
      known.recordWrite(sessionID, done, { ...real, believed, failure, saved: after!.saved })
    }
  }

  /** Records what a model read. */
  async read({ sessionID, callID }: HostCall, args: Args, output: string): Promise<void> {
    const { directory, formatter, known } = this.#place
    for (const file of readCall('read', args, directory)) {
      const { path } = file
      const real = await realPathOf(path)
      const saved = await readSaved(path)
      if (!saved) continue
      const { text } = saved
      const last = known.of(sessionID).get(real)
      const { believed = null } = last ?? {}
      // The other calls of the message were sent before the model read this: they match the text believed until then.
      const keepsBelieved = last?.text === text && believed !== null && formatter.whenOf(path) === 'save'
        && (believed !== text || last.calls.length > 0)
      if (keepsBelieved && replaceReadOutput(output, args, { shown: text, now: '' }) !== null) {
        const call = {
          ...file,
          callID,
          tool: 'read',
          args: { ...args },
          before: believed,
          textAfterCall: text,
        }
        known.recordReadInStep(last, { ...call, applied: { raw: believed, changes: [] }, isForeign: false })
      } else known.recordRead(sessionID, { path, real, text })
    }
  }
}

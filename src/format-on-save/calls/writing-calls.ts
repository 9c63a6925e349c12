import { extname } from 'node:path'
import { realPathOf } from '../../paths/real-path.ts'
import { readCall } from '../../steps/call.ts'
import { readSaved, watchFiles, withText } from '../../steps/saved-file.ts'
import type { CallFile, HostCall, StepCall } from '../../steps/step-call.ts'
import { putBack } from '../run/put-back.ts'
import type { Formatting } from './known-files.ts'
import { readAgain } from './read-output.ts'

type Args = Record<string, unknown>

/** Follows the calls that read and write files, and notes what each session's model believes of them. */
export class WritingCalls {
  readonly #place: Formatting
  /** Lists, for a call, which other files were written since it began: the host may change them within it. */
  readonly #changedOthers = new WeakMap<StepCall, () => Promise<Array<string>>>()
  /** The extensions of files with which a formatter of the host has changed others: such calls run alone. */
  readonly #changing = new Set<string>()

  constructor(place: Formatting) {
    this.#place = place
  }

  /** Waits for a call's turn on its files and for their formatters; has them say what the call's arguments fit. */
  async start(host: HostCall, args: Args): Promise<void> {
    const { formatter, known, steps } = this.#place
    const call = await steps.start(host, args, (call) => this.#alsoHeld(call))
    const followed = call.files.filter((one) => this.#isFollowed(host, one))
    const named = host.tool === 'apply_patch' || followed.length > 0 ? call.named : []
    const paths = named.map(({ path }) => path)
    call.whenEnded(await formatter.startCall(paths))
    call.assertRuns()
    if (!call.isFollowed || host.tool === 'read') return
    const isChanging = paths.some((path) => this.#place.host.reachOf(path) !== 'none')
    const others = isChanging ? known.pathsWithout(named.map(({ real }) => real)) : []
    this.#changedOthers.set(call, await watchFiles(others))
    for (const one of followed) await this.#exchangeBefore(call, one)
  }

  /** Whether a file of a call may be formatted: what nothing formats may be changed by a command for another file. */
  #isFollowed({ sessionID }: HostCall, { file, real }: CallFile): boolean {
    const { formatter, known } = this.#place
    return formatter.isFormatted(file.path) || known.of(sessionID).has(real.from)
  }

  /** Lists what a call needs for itself: else a file would be formatted while another call writes it, which may be lost. */
  #alsoHeld({ host: { tool, sessionID }, named }: StepCall): Array<string> {
    const { host, known } = this.#place
    const changesOthers = ({ path }: { path: string }) =>
      host.reachOf(path) === 'project' || this.#changing.has(extname(path))
    return tool !== 'read' && named.some(changesOthers) ? ['alone', ...known.of(sessionID).keys()] : []
  }

  /**
   * Where the model was not shown how a file was formatted, the call's arguments fit the text that it believes: the file
   * says that while the call runs.
   */
  async #exchangeBefore(call: StepCall, one: CallFile): Promise<void> {
    const { known, steps } = this.#place
    const { file, real: { from } } = one
    const { sessionID } = call.host
    await steps.readBefore(one)
    if (one.isShared) known.markChanged(from)
    const { believed = null, text: now = null } = known.of(sessionID).get(from) ?? {}
    // A shell may have shown the file as it is.
    const isAsShown = believed !== now && file.apply(believed) === null && file.apply(now) !== null
    if (!isAsShown) one.before = { ...one.before!, text: await this.#exchange(sessionID, from, 'text', one) }
    call.whenFailed(async () => void await this.#exchange(sessionID, from, 'believed'))
  }

  /**
   * Writes one of the two texts that are known of a file where it says the other; what somebody else wrote stays. Gives
   * what it says then.
   */
  async #exchange(sessionID: string, real: string, from: 'text' | 'believed', one?: CallFile) {
    const saved = one ? one.before?.saved : await readSaved(real)
    const to = from === 'text' ? 'believed' : 'text'
    const { [from]: old = null, [to]: now = null, calls = [] } = this.#place.known.of(sessionID).get(real)
      ?? {}
    const isForeign = calls.some((call) => call.isForeign)
    if (!saved || isForeign || now === null || saved.text !== old || now === old) return one?.before?.text
    await putBack(withText(saved, now), saved)
    return now
  }

  /** Notes how a call changed its files. */
  async finish(host: HostCall, args: Args): Promise<void> {
    const call = await this.#place.steps.finish(host, args)
    for (const one of call?.files ?? []) if (one.after) await this.#noteWritten(one, host)
    for (const real of await (call && this.#changedOthers.get(call)?.()) ?? []) {
      await this.#noteChanged(host.sessionID, real, call!)
    }
  }

  /** Notes that the host's formatter changed a file next to those that a call wrote. */
  async #noteChanged(sessionID: string, real: string, { files }: StepCall): Promise<void> {
    const { known, steps } = this.#place
    // Its own call notes that.
    if (steps.runningFiles.some((one) => one.real.to === real)) return
    const own = known.of(sessionID).get(real)
    const isChanging = own?.state !== 'written'
    for (const { file, isWritten } of isChanging ? files : []) {
      if (isWritten) this.#changing.add(extname(file.path))
    }
    if (own) own.text = (await readSaved(real))?.text ?? own.text
    known.markChanged(real)
  }

  async #noteWritten(
    { real, before, after, made, isShared }: CallFile,
    { tool, sessionID, callID }: HostCall,
  ) {
    const { host, known, log } = this.#place
    const { text, error } = after!
    const { file, args } = made!
    if (text === null) return
    if (text === undefined) log('warn', `A file was not formatted: ${error}`, { file: file.path })
    const checked = text ?? ''
    const last = known.of(sessionID).get(real.from)
    const exact = text === undefined ? null : made!.applied
    const applied = exact ?? { raw: checked, changes: [] }
    const old = before!.text ?? null
    // What the model did not know before the call, it does not know after it.
    const isUnknown = last?.believed === null && last.text === old
    // With a formatter of the host, what the file says is not what the call made of it.
    const believed = isUnknown || (exact === null && host.formats) ? null : applied.raw
    const isForeign = exact !== null && exact.raw !== text && (isShared || !host.formats)
    const done = { ...file, callID, tool, args, before: old ?? '', applied, checked, isForeign }
    const failure = await host.failureOf(file.path, applied.raw !== checked)
    if (text !== undefined || host.formats) {
      known.wrote(sessionID, done, { ...real, believed, failure, saved: after!.saved })
    }
  }

  /** Notes what a model read. */
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
      // Other calls of the message were sent before the model read this: they go by what it believed until then.
      const isNext = last?.text === text && believed !== null && formatter.whenOf(path) === 'save'
        && (believed !== text || last.calls.length > 0)
      if (isNext && readAgain(output, args, { shown: text, now: '' }) !== null) {
        const call = { ...file, callID, tool: 'read', args: { ...args }, before: believed, checked: text }
        known.readNext(last, { ...call, applied: { raw: believed, changes: [] }, isForeign: false })
      } else known.read(sessionID, { path, real, text })
    }
  }
}

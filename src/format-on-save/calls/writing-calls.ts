import { extname, resolve } from 'node:path'
import { filesOfCall } from '../../host/file-tools.ts'
import { RefusedCall } from '../../host/join-hooks.ts'
import { realPathOf } from '../../paths/real-path.ts'
import { NO_SUCH_FILE } from '../../safe.ts'
import { type ChangedFile, exactArgs, fileOf, readCall } from '../../steps/call.ts'
import { readSaved, watchFiles, withText } from '../../steps/saved-file.ts'
import { readText } from '../../text/read.ts'
import { KeyedLock, type Release } from '../../writing/keyed-lock.ts'
import { putBack } from '../run/put-back.ts'
import type { Formatting, RealPaths } from './known-files.ts'
import { readAgain } from './read-output.ts'

const STOPPED = 'The turn was stopped before this call ran: nothing was changed.'

/** A file that a call is about to change, where it is, its text, and whether another session's call runs on it, too. */
type Before = { file: ChangedFile; real: RealPaths; text: string | null; isShared: boolean }

/** A running call. */
type Started = {
  before: Array<Before>
  /** Lists other files that were written since, where the host may change them within the call. */
  changedOthers: () => Promise<Array<string>>
  release: Release
  isEnded: boolean
}

/** A call as the host's hooks name it. */
type HostCall = { tool: string; sessionID: string; callID: string }

const keyOf = (sessionID: string, name: string): string => `${sessionID} ${name}`

const realPathsOf = async ({ from, path }: ChangedFile): Promise<RealPaths> => ({
  from: await realPathOf(from),
  to: await realPathOf(path),
})

/** Follows the calls that read and write files, and notes what each session's model believes of them. */
export class WritingCalls {
  readonly #place: Formatting
  readonly #locks = new KeyedLock()
  /** Held, by session, until a call has its place in the queues of its files. */
  readonly #queueing = new KeyedLock()
  readonly #started = new Map<string, Started>()
  /** The extensions of files with which a formatter of the host has changed others: such calls run alone. */
  readonly #changing = new Set<string>()

  constructor(place: Formatting) {
    this.#place = place
  }

  /**
   * Waits, before a call, until the calls of its session on its files have ended, and reads the files. They may wait for
   * the person: of two patches on a file that are both answered later, the host would lose hunks.
   */
  async start(call: HostCall, args: Record<string, unknown>): Promise<void> {
    const { formatter, host, known } = this.#place
    const key = keyOf(call.sessionID, call.callID)
    const started: Started = {
      before: [],
      changedOthers: async () => [],
      release: () => {},
      isEnded: false,
    }
    this.#started.set(key, started)
    const { followed, paths, reals, turn } = await this.#queue(call, args)
    const release = await turn
    const end = await formatter.startCall(paths)
    started.release = () => {
      end()
      release()
    }
    const isFollowed = this.#started.get(key) === started
    // Nobody else would release the files.
    if (!isFollowed) started.release()
    // The turn was aborted meanwhile: the host runs what has waited all the same.
    if (started.isEnded) throw new RefusedCall(STOPPED)
    // Another call of the message has the same id.
    if (!isFollowed) return
    if (call.tool === 'read') return
    started.changedOthers = await watchFiles(
      paths.some((path) => host.reachOf(path) !== 'none') ? known.pathsWithout(reals) : [],
    )
    // Where the model was not shown how a file was formatted, the call's arguments fit the text that it believes.
    for (const { file, real } of followed) {
      const { believed = null, text: now = null } = known.of(call.sessionID).get(real.from) ?? {}
      // A shell may have shown the file as it is.
      const isAsShown = believed !== now && file.apply(believed) === null && file.apply(now) !== null
      const to = isAsShown ? 'text' : 'believed'
      const before: Before = { file, real, text: null, isShared: false }
      this.#noteShared(before)
      started.before.push(before)
      before.text = await this.#exchange(call.sessionID, real.from, 'text', to)
    }
  }

  /** Notes which calls run on a file at the same time: one may read what another has written, and not reported yet. */
  #noteShared(before: Before): void {
    const all = [...this.#started.values()].flatMap((one) => one.before)
    for (const other of all.filter(({ real }) => real.from === before.real.from)) {
      other.isShared = true
      before.isShared = true
      this.#place.known.markChanged(before.real.from)
    }
  }

  /** Gives a call its place in the queues of its files, in the order of the calls; `followed` are those that it changes. */
  async #queue({ tool, sessionID }: HostCall, args: Record<string, unknown>) {
    const { directory, formatter, host, known } = this.#place
    const next = await this.#queueing.take([sessionID])
    const files = readCall(tool, args, directory)
    const all = await Promise.all(files.map(async (file) => ({ file, real: await realPathsOf(file) })))
    // What nothing formats may be changed by a command for another file.
    const isKnown = (real: string) => known.of(sessionID).has(real)
    const followed = all.filter(({ file, real }) => formatter.isFormatted(file.path) || isKnown(real.from))
    // Of several patches in one message on one file the host loses hunks, and a file that one removes and another adds.
    const named = tool === 'apply_patch' || followed.length > 0 ? filesOfCall(tool, args) : []
    const paths = named.map((name) => resolve(directory, name))
    const reals = await Promise.all(paths.map((path) => realPathOf(path)))
    // Else one would be formatted while another writes it, which may be lost.
    const changesOthers = (path: string) =>
      host.reachOf(path) === 'project' || this.#changing.has(extname(path))
    const isAlone = tool !== 'read' && paths.some(changesOthers)
    const locked = isAlone ? [...reals, 'alone', ...known.of(sessionID).keys()] : reals
    const turn = this.#locks.take(locked.map((real) => keyOf(sessionID, real)))
    next()
    return { followed, paths, reals, turn }
  }

  /**
   * Reads a file before a call, or after a failed one. Where it says one of the two texts that are known of it, the other
   * is written; what somebody else wrote stays.
   */
  async #exchange(sessionID: string, real: string, from: 'text' | 'believed', to: 'text' | 'believed') {
    const saved = await readSaved(real)
    const { [from]: old = null, [to]: now = null, calls = [] } = this.#place.known.of(sessionID).get(real)
      ?? {}
    const isForeign = calls.some((call) => call.isForeign)
    if (!saved || isForeign || now === null || saved.text !== old || now === old) return saved?.text ?? null
    await putBack(withText(saved, now), saved)
    return now
  }

  /** Notes how a call changed its files. */
  async finish(call: HostCall, args: Record<string, unknown>): Promise<void> {
    const key = keyOf(call.sessionID, call.callID)
    const started = this.#started.get(key)
    if (!started) return
    try {
      for (const before of started.before) await this.#noteWritten(before, call, { ...args })
      for (const real of await started.changedOthers()) await this.#noteChanged(call.sessionID, real, started)
    } finally {
      this.#end(key)
    }
  }

  #end(key: string): void {
    const started = this.#started.get(key)
    if (!started) return
    this.#started.delete(key)
    started.isEnded = true
    started.release()
  }

  /** Notes that the host's formatter changed a file next to those that a call wrote. */
  async #noteChanged(sessionID: string, real: string, { before }: Started): Promise<void> {
    const running = [...this.#started.values()].flatMap((one) => one.before)
    // Its own call notes that.
    if (running.some((one) => one.real.to === real)) return
    const { known } = this.#place
    const own = known.of(sessionID).get(real)
    const isChanging = own?.state !== 'written'
    for (const { file } of isChanging ? before : []) this.#changing.add(extname(file.path))
    if (own) own.text = (await readSaved(real))?.text ?? own.text
    known.markChanged(real)
  }

  async #noteWritten(
    { file, real, text: before, isShared }: Before,
    { tool, sessionID, callID }: HostCall,
    sent: Record<string, unknown>,
  ): Promise<void> {
    const { directory, host, known, log } = this.#place
    const text = (await readSaved(file.path))?.text
    if (text === undefined) {
      const { error } = await readText(file.path)
      if (error === null || error === NO_SUCH_FILE) return
      log('warn', `A file was not formatted: ${error}`, { file: file.path })
    }
    const checked = text ?? ''
    const last = known.of(sessionID).get(real.from)
    const args = file.apply(before) ? sent : exactArgs(sent, before ?? '', checked)
    const exact = fileOf({ tool, args, path: file.path }, directory) ?? file
    const made = text === undefined ? null : exact.apply(before)
    const applied = made ?? { raw: checked, changes: [] }
    // What the model did not know before the call, it does not know after it.
    const isUnknown = last?.believed === null && last.text === before
    // With a formatter of the host, what the file says is not what the call made of it.
    const believed = isUnknown || (made === null && host.formats) ? null : applied.raw
    const isForeign = made !== null && made.raw !== text && (isShared || !host.formats)
    const done = { ...exact, callID, tool, args, before: before ?? '', applied, checked, isForeign }
    const failure = await host.failureOf(file.path, applied.raw !== checked)
    if (text !== undefined || host.formats) known.wrote(sessionID, done, { ...real, believed, failure })
  }

  /** Notes what a model read. */
  async read(call: HostCall, args: Record<string, unknown>, output: string): Promise<void> {
    try {
      await this.#noteRead(call, args, output)
    } finally {
      this.#end(keyOf(call.sessionID, call.callID))
    }
  }

  async #noteRead({ sessionID, callID }: HostCall, args: Record<string, unknown>, output: string) {
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

  /** Ends a failed call: restores the formatted text from before it. */
  async drop(callID: string, sessionID: string): Promise<void> {
    const key = keyOf(sessionID, callID)
    const started = this.#started.get(key)
    if (!started) return
    for (const { real } of started.before) await this.#exchange(sessionID, real.from, 'believed', 'text')
    this.#end(key)
  }

  /** Ends the calls of a session none of which runs any more: an event of a failed one may still be on its way. */
  async dropSession(sessionID: string): Promise<void> {
    for (const key of this.#started.keys()) {
      if (key.startsWith(`${sessionID} `)) await this.drop(key.slice(sessionID.length + 1), sessionID)
    }
  }
}

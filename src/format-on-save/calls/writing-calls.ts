import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { filesOfCall } from '../../host/file-tools.ts'
import type { Log } from '../../host/log.ts'
import type { When } from '../../host/options.ts'
import { BYTE_ORDER_MARK } from '../../text/read.ts'
import { KeyedLock, type Release } from '../../writing/lock.ts'
import type { Failure, FormatFiles } from '../run/format-files.ts'
import type { HostFormatter } from '../run/host-formatter.ts'
import { readSaved, type SavedFile, signatureOf, whyNotFormatted } from '../run/saved-file.ts'
import { type Call, type ChangedFile, readCall } from './call.ts'
import { filesShownIn, type Messages } from './history.ts'
import { type KnownFile, KnownFiles } from './known-files.ts'

export type WritingCallsPlace = {
  directory: string
  formatter: FormatFiles
  /** The formatters that the host runs inside its tools. */
  host: HostFormatter
  log: Log
}

// A call may wait for the person's permission: others of its session on the file wait no longer than this.
const CALL_LIMIT_MS = 60_000

/** A file before a call: on the disk, and as the model believes it is; null where that is not sure. */
type Before = { disk: string | null; believed: string | null; isUnknown: boolean }

/** A running call, and the formatted files that were replaced by the text that the model believes. */
type Started = {
  sessionID: string
  tool: string
  call: Call
  before: Map<string, Before>
  formatted: Map<string, SavedFile>
  /** The signatures of other files, where the host may change them within the call. */
  others: Map<string, string>
  release: Release
}

const keyOf = (sessionID: string, callID: string): string => `${sessionID} ${callID}`

const MAX_FILES_SEEN = 150

/** Follows the calls that write files, and what each session's model believes of them. */
export class WritingCalls {
  readonly #place: WritingCallsPlace
  readonly #locks = new KeyedLock()
  readonly #waiting = new Set<string>()
  readonly #started = new Map<string, Started>()
  readonly known = new KnownFiles()
  /** How the formatter of a file failed last, until the model has read it. */
  readonly failures = new Map<KnownFile, Failure>()
  /** The commands that failed when they ran last, and those that work again. */
  readonly failing = new Set<string>()
  readonly mended = new Set<string>()

  constructor(place: WritingCallsPlace) {
    this.#place = place
  }

  /** Waits, before a call, until the calls of its session on its files have ended, and reads the files. */
  async start(callID: string, sessionID: string, tool: string, args: Record<string, unknown>): Promise<void> {
    const { directory, formatter } = this.#place
    const call = readCall(tool, args, directory)
    if (!call) return
    const isFollowed = ({ path }: ChangedFile) => formatter.isFormatted(path)
    // The host loses hunks of several patches in one message on one file.
    const paths = call.files.filter((file) => tool === 'apply_patch' || isFollowed(file))
      .flatMap(({ path, from }) => [path, from])
    if (paths.length === 0) return
    const key = keyOf(sessionID, callID)
    this.#waiting.add(key)
    const release = await this.#locks.take(paths.map((path) => keyOf(sessionID, path)), CALL_LIMIT_MS)
    await formatter.whenFree(paths)
    // The turn was aborted meanwhile: nobody would release the files.
    if (!this.#waiting.delete(key)) return release()
    const others = new Map<string, string>()
    const mayChangeOthers = paths.some(this.#place.host.changesOthers)
    for (const path of mayChangeOthers ? this.known.paths : []) others.set(path, await signatureOf(path))
    const maps = { before: new Map(), formatted: new Map() }
    const started: Started = { sessionID, tool, call, ...maps, others, release }
    this.#started.set(key, started)
    for (const file of call.files.filter(isFollowed)) {
      started.before.set(file.path, await this.#beforeCall(sessionID, file.from, started.formatted))
    }
  }

  /**
   * Reads a file. Where the host formatted it in this step, or removed blank lines were not reported, the text that the
   * model believes is restored first.
   */
  async #beforeCall(sessionID: string, path: string, formatted: Map<string, SavedFile>): Promise<Before> {
    const saved = await readSaved(path)
    const known = this.known.of(sessionID).get(path)
    const disk = saved?.text ?? null
    if (!saved || !known || known.text !== disk) return { disk, believed: disk, isUnknown: false }
    const { believed } = known
    if (believed === null || believed === disk) return { disk, believed: disk, isUnknown: believed === null }
    if (known.state !== 'written' && known.state !== 'known') return { disk, believed, isUnknown: false }
    const mark = saved.bytes.toString('utf8', 0, 3) === BYTE_ORDER_MARK ? BYTE_ORDER_MARK : ''
    await writeFile(path, mark + believed)
    formatted.set(path, saved)
    return { disk: believed, believed, isUnknown: false }
  }

  /** Notes how a call changed its files. */
  async finish(callID: string, sessionID: string, args: Record<string, unknown>): Promise<void> {
    const key = keyOf(sessionID, callID)
    const started = this.#started.get(key)
    if (!started) return
    try {
      for (const file of started.call.files) {
        const before = started.before.get(file.path)
        started.others.delete(file.path)
        if (before) await this.#noteWritten(started, { callID, args: { ...args }, file, before })
      }
      for (const [path, signature] of started.others) {
        if (await signatureOf(path) !== signature) await this.#noteChanged(sessionID, path)
      }
    } finally {
      started.release()
      this.#started.delete(key)
    }
  }

  /** Notes that the host's formatter changed a file next to the one that a call wrote. */
  async #noteChanged(sessionID: string, path: string): Promise<void> {
    const text = (await readSaved(path))?.text
    const own = this.known.of(sessionID).get(path)
    if (own && text !== undefined) Object.assign(own, { text, state: 'written' })
    this.#markChanged(path)
  }

  #markChanged(path: string): void {
    for (const file of this.known.withPath(path)) if (file.state === 'known') file.state = 'changed'
  }

  async #noteWritten(
    { sessionID, tool, formatted }: Started,
    { callID, args, file, before }: {
      callID: string
      args: Record<string, unknown>
      file: ChangedFile
      before: Before
    },
  ): Promise<void> {
    const { host, log } = this.#place
    const text = (await readSaved(file.path))?.text
    const disk = formatted.get(file.path)?.text ?? before.disk
    const done = { callID, tool, args, file, disk, isSettled: false, checked: text ?? '' }
    if (text === undefined) {
      const reason = await whyNotFormatted(file.path)
      if (reason === null) return
      log('warn', `A file was not formatted: ${reason}`, { file: file.path })
      const applied = { raw: '', changes: [] }
      if (host.formats) this.known.wrote(sessionID, { ...done, before: '', applied }, null, '')
      return
    }
    const made = file.apply(before.disk)
    const isFollowed = made !== null && (made.raw === text || host.formats)
    const isSame = before.believed === before.disk
    const applied = isFollowed ? isSame ? made : file.apply(before.believed) : file.locate(before.disk, text)
    const base = (isFollowed ? before.believed : before.disk) ?? ''
    // What the model did not know before the call, it does not know of the call's result.
    const isUnknown = before.isUnknown || (!isFollowed && !isSame)
      || (applied === null && (isFollowed || host.formats))
    const call = { ...done, before: base, applied: applied ?? { raw: text, changes: [] } }
    this.known.wrote(sessionID, call, isUnknown ? null : call.applied.raw, text)
  }

  /** Notes what a model read. */
  async read(sessionID: string, args: Record<string, unknown>): Promise<void> {
    for (const file of filesOfCall('read', args)) {
      await this.#see(sessionID, resolve(this.#place.directory, file))
    }
  }

  async #see(sessionID: string, path: string): Promise<void> {
    const saved = await readSaved(path)
    if (saved) this.known.read(sessionID, path, saved.text)
  }

  /** Notes the files that a history shows and that are not known yet: attachments, and all after a restart. */
  async seeHistory(sessionID: string, messages: Messages): Promise<void> {
    const files = this.known.of(sessionID)
    for (const path of filesShownIn(messages, this.#place.directory)) {
      if (!files.has(path) && files.size < MAX_FILES_SEEN) await this.#see(sessionID, path)
    }
  }

  /** Ends a failed call: restores the formatted text from before it. */
  async drop(callID: string, sessionID: string): Promise<void> {
    const key = keyOf(sessionID, callID)
    this.#waiting.delete(key)
    const started = this.#started.get(key)
    if (!started) return
    this.#started.delete(key)
    for (const [path, saved] of started.formatted) {
      const isUntouched = (await readSaved(path))?.text === this.known.of(sessionID).get(path)?.believed
      if (isUntouched) await writeFile(path, saved.bytes)
    }
    started.release()
  }

  /** Ends all calls of a session that is at rest. */
  async dropSession(sessionID: string): Promise<void> {
    for (const key of [...this.#waiting, ...this.#started.keys()]) {
      if (key.startsWith(`${sessionID} `)) await this.drop(key.slice(sessionID.length + 1), sessionID)
    }
  }

  /** Forgets a session that was deleted. */
  async forget(sessionID: string): Promise<void> {
    await this.dropSession(sessionID)
    this.known.forget(sessionID)
  }

  /** Forgets what the person's undo removed from a session, and stops formatters from writing it again. */
  async undo(sessionID: string): Promise<void> {
    const files = [...this.known.of(sessionID).values()]
    this.known.forget(sessionID)
    await Promise.all(files.map(({ path, state, calls }) => {
      const texts = state === 'formatted' ? calls.flatMap(({ disk }) => disk ?? []) : []
      return this.#place.formatter.undo(path, texts)
    }))
  }

  /** Formats the files that a session wrote and that are due, each once. */
  async format(sessionID: string, whens: Array<When>): Promise<void> {
    const { formatter } = this.#place
    const due = [...this.known.of(sessionID).values()].filter(({ path, state }) =>
      state === 'written' && whens.includes(formatter.whenOf(path))
    )
    if (due.length === 0) return
    for (const file of due) file.state = 'formatted'
    const { failures, worked, others } = await formatter.format(due.map(({ path }) => path), this.known.paths)
    for (const failure of failures) {
      const file = due.find(({ path }) => path === failure.path)
      if (file) this.failures.set(file, failure)
      this.failing.add(failure.command)
    }
    for (const command of worked) if (this.failing.delete(command)) this.mended.add(command)
    for (const path of [...others, ...due.map((file) => file.path)]) {
      this.#markChanged(path)
    }
  }
}

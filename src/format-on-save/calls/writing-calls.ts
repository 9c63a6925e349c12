import { resolve } from 'node:path'
import { filesOfCall } from '../../host/file-tools.ts'
import type { History } from '../../host/message-parts.ts'
import { NO_SUCH_FILE } from '../../safe.ts'
import { readText } from '../../text/read.ts'
import { KeyedLock, type Release } from '../../writing/keyed-lock.ts'
import { putBack } from '../run/put-back.ts'
import { readSaved, watchFiles, withText } from '../run/saved-file.ts'
import { type ChangedFile, exactArgs, readCall } from './call.ts'
import { filesShownIn } from './history.ts'
import type { Formatting } from './known-files.ts'

// A call may wait for the person's permission: others of its session on the file wait no longer than this.
const CALL_LIMIT_MS = 60_000

const MAX_FILES_SEEN = 150

/** A file that a call is about to change, and its text. */
type Before = { file: ChangedFile; text: string | null }

/** A running call. */
type Started = {
  before: Array<Before>
  /** Lists other files that were written since, where the host may change them within the call. */
  changedOthers: () => Promise<Array<string>>
  release: Release
}

/** A call as the host's hooks name it. */
type HostCall = { tool: string; sessionID: string; callID: string }

const keyOf = (sessionID: string, name: string): string => `${sessionID} ${name}`

/** Follows the calls that write files, and notes what each session's model believes of them. */
export class WritingCalls {
  readonly #place: Formatting
  readonly #locks = new KeyedLock()
  readonly #started = new Map<string, Started>()

  constructor(place: Formatting) {
    this.#place = place
  }

  /** Waits, before a call, until the calls of its session on its files have ended, and reads the files. */
  async start({ tool, sessionID, callID }: HostCall, args: Record<string, unknown>): Promise<void> {
    const { directory, formatter, host, known } = this.#place
    const { files = [] } = readCall(tool, args, directory) ?? {}
    // What nothing formats may be changed by a command for another file.
    const isKnown = (path: string) => known.of(sessionID).has(path)
    const formatted = files.filter(({ path, from }) => formatter.isFormatted(path) || isKnown(from))
    // Of several patches in one message on one file the host loses hunks, and a file that one removes and another adds.
    const isFollowed = tool === 'apply_patch' || formatted.length > 0
    const paths = isFollowed ? filesOfCall(tool, args).map((file) => resolve(directory, file)) : []
    if (paths.length === 0) return
    const key = keyOf(sessionID, callID)
    const started: Started = { before: [], changedOthers: async () => [], release: () => {} }
    this.#started.set(key, started)
    const release = await this.#locks.take(paths.map((path) => keyOf(sessionID, path)), CALL_LIMIT_MS)
    await formatter.whenFree(paths)
    // The turn was aborted meanwhile: nobody would release the files.
    if (this.#started.get(key) !== started) return release()
    started.release = release
    const others = paths.some(host.changesOthers) ? known.paths.filter((path) => !paths.includes(path)) : []
    started.changedOthers = await watchFiles(others)
    // Where the model was not shown how a file was formatted, the call's arguments fit the text that it believes.
    for (const file of formatted) {
      started.before.push({ file, text: await this.#exchange(sessionID, file.from, 'text', 'believed') })
    }
  }

  /**
   * Reads a file before a call, or after a failed one. Where it says one of the two texts that are known of it, the other
   * is written; what somebody else wrote stays.
   */
  async #exchange(sessionID: string, path: string, from: 'text' | 'believed', to: 'text' | 'believed') {
    const saved = await readSaved(path)
    const { [from]: old = null, [to]: now = null } = this.#place.known.of(sessionID).get(path) ?? {}
    if (!saved || now === null || saved.text !== old || now === old) return saved?.text ?? null
    await putBack(path, withText(saved, now), saved)
    return now
  }

  /** Notes how a call changed its files. */
  async finish(call: HostCall, args: Record<string, unknown>): Promise<void> {
    const key = keyOf(call.sessionID, call.callID)
    const started = this.#started.get(key)
    if (!started) return
    try {
      for (const before of started.before) await this.#noteWritten(before, call, { ...args })
      for (const path of await started.changedOthers()) await this.#noteChanged(call.sessionID, path)
    } finally {
      this.#started.delete(key)
      started.release()
    }
  }

  /** Notes that the host's formatter changed a file next to the one that a call wrote. */
  async #noteChanged(sessionID: string, path: string): Promise<void> {
    const own = this.#place.known.of(sessionID).get(path)
    if (own) own.text = (await readSaved(path))?.text ?? own.text
    this.#place.known.markChanged(path)
  }

  async #noteWritten(
    { file, text: before }: Before,
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
    const sure = file.apply(before)
    const args = sure ? sent : exactArgs(sent, before ?? '', checked)
    const read = args === sent ? undefined : readCall(tool, args, directory)?.files[0]
    const made = text === undefined ? null : sure ?? read?.apply(before) ?? null
    const isSure = made !== null && (made.raw === text || host.formats)
    const applied = isSure ? made : { raw: checked, changes: [] }
    // What the model did not know before the call, it does not know after it.
    const last = known.of(sessionID).get(file.from)
    const isUnknown = last?.believed === null && last.text === before
    // With a formatter of the host, what the file says is not what the call made of it.
    const believed = isUnknown || (!isSure && host.formats) ? null : applied.raw
    const { path, from } = file
    const done = { callID, tool, args, path, from, before: before ?? '', applied, checked, isSettled: false }
    if (text !== undefined || host.formats) known.wrote(sessionID, done, believed)
  }

  /** Notes what a model read. */
  async read(sessionID: string, args: Record<string, unknown>): Promise<void> {
    for (const file of filesOfCall('read', args)) {
      await this.#see(sessionID, resolve(this.#place.directory, file))
    }
  }

  async #see(sessionID: string, path: string): Promise<void> {
    const saved = await readSaved(path)
    if (saved) this.#place.known.read(sessionID, path, saved.text)
  }

  /** Notes the files that a history shows and that are not known yet: attachments, and all after a restart. */
  async seeHistory(sessionID: string, messages: History): Promise<void> {
    const files = this.#place.known.of(sessionID)
    const added = messages.slice(files.messages.note(messages))
    for (const path of filesShownIn(added, this.#place.directory)) {
      if (!files.has(path) && files.size < MAX_FILES_SEEN) await this.#see(sessionID, path)
    }
  }

  /** Ends a failed call: restores the formatted text from before it. */
  async drop(callID: string, sessionID: string): Promise<void> {
    const key = keyOf(sessionID, callID)
    const started = this.#started.get(key)
    if (!started) return
    for (const { file } of started.before) await this.#exchange(sessionID, file.from, 'believed', 'text')
    this.#started.delete(key)
    started.release()
  }

  /** Ends the calls of a session none of which runs any more: an event of a failed one may still be on its way. */
  async dropSession(sessionID: string): Promise<void> {
    for (const key of this.#started.keys()) {
      if (key.startsWith(`${sessionID} `)) await this.drop(key.slice(sessionID.length + 1), sessionID)
    }
  }
}

import type { KeyedLock, Release } from '../../files/lock.ts'
import { readSaved } from '../run/saved-file.ts'
import { type Call, readCall } from './call.ts'
import type { UnseenFormatting } from './carry-old-string.ts'

/** A call under way as it is run and as it was sent, and its files as they were before it. */
export type Started = {
  call: Call
  asSent: Call
  tool: string
  sessionID: string
  sent: Record<string, unknown>
  before: Map<string, string | null>
  release: Release
}

export type StartedCallsPlace = {
  directory: string
  /** Whether files at a path may be formatted. */
  isFormatted: (path: string) => boolean
  /** KeyedLock of calls and formatters on single files. */
  files: KeyedLock
  unseen: UnseenFormatting
}

/** Some models count their calls anew in each session. */
const keyOf = (sessionID: string, callID: string): string => `${sessionID} ${callID}`

// A call may wait for the person's permission; others on its file do not wait for ever.
const CALL_LIMIT_MS = 60_000

/** The calls under way on files that may be formatted; each has its files to itself. */
export class StartedCalls {
  readonly #place: StartedCallsPlace
  readonly #started = new Map<string, Started>()

  constructor(place: StartedCallsPlace) {
    this.#place = place
  }

  /**
   * Waits until a call's files are its own, and reads them. An `oldString` that was made from the text before a
   * formatting which the model has not seen is changed in place to what it has become.
   */
  async start(callID: string, sessionID: string, tool: string, args: Record<string, unknown>): Promise<void> {
    const { directory, isFormatted, files: lock, unseen } = this.#place
    const asSent = readCall(tool, args, directory)
    const files = asSent?.files.filter(({ path }) => isFormatted(path))
    if (!asSent || !files || files.length === 0) return
    const sent = { ...args }
    const release = await lock.take(files.flatMap(({ path, from }) => [path, from]), CALL_LIMIT_MS)
    const before = new Map<string, string | null>()
    for (const { path, from } of files) before.set(path, (await readSaved(from))?.text ?? null)
    const { path } = files[0]!
    const oldString = tool === 'edit' && args['replaceAll'] !== true
      ? unseen.carry(sessionID, path, String(args['oldString']), before.get(path) ?? '')
      : null
    if (oldString !== null) args['oldString'] = oldString
    const call = oldString === null
      ? asSent
      : readCall(tool, args, directory, String(sent['oldString'])) ?? asSent
    this.#started.set(keyOf(sessionID, callID), { call, asSent, tool, sessionID, sent, before, release })
  }

  get(callID: string, sessionID: string): Started | undefined {
    return this.#started.get(keyOf(sessionID, callID))
  }

  /** The files of all calls under way. */
  get paths(): Set<string> {
    return new Set([...this.#started.values()].flatMap(({ before }) => [...before.keys()]))
  }

  /** A call ends here: its files are free. */
  drop(callID: string, sessionID: string): void {
    const key = keyOf(sessionID, callID)
    this.#started.get(key)?.release()
    this.#started.delete(key)
  }

  /** A session at rest has no call under way. */
  dropSession(sessionID: string): void {
    for (const [key, started] of this.#started) {
      if (started.sessionID !== sessionID) continue
      started.release()
      this.#started.delete(key)
    }
  }
}

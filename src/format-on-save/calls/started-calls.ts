import type { KeyedLock, Release } from '../../writing/lock.ts'
import { keepFiles, type KeptFiles } from '../run/changed-files.ts'
import { readSaved } from '../run/saved-file.ts'
import { type Call, readCall } from './call.ts'
import { carryArguments } from './carry-arguments.ts'
import type { UnseenFormatting } from './unseen-formatting.ts'

/** A call under way: as it runs, as it was sent, and its files as they were before it. */
export type Started = {
  call: Call
  asSent: Call
  tool: string
  sessionID: string
  sent: Record<string, unknown>
  /** The arguments that the history is to show unless a formatter changes them. */
  said: Record<string, unknown>
  before: Map<string, string | null>
  /** Other files as they were before it, where the host may change them within it. */
  others: KeptFiles
  release: Release
}

export type StartedCallsPlace = {
  directory: string
  /** Whether files at a path may be formatted. */
  isFormatted: (path: string) => boolean
  /** Whether the tools that write a file may change others as well. */
  changesOthers: (path: string) => boolean
  /** Gives the files that sessions were shown. */
  known: () => Set<string>
  /** By which calls and formatters take turns on each file. */
  files: KeyedLock
  unseen: UnseenFormatting
  /** Notes that a call begins on files. */
  onBegin: (key: string, sessionID: string, paths: Array<string>) => void
}

/** Some models count their calls anew in each session. */
export const keyOf = (sessionID: string, callID: string): string => `${sessionID} ${callID}`

// A call may wait for the person's permission; others on its file do not wait for ever.
export const CALL_LIMIT_MS = 60_000

/** The calls under way on files that may be formatted; each has its files to itself. */
export class StartedCalls {
  readonly #place: StartedCallsPlace
  readonly #started = new Map<string, Started>()

  constructor(place: StartedCallsPlace) {
    this.#place = place
  }

  /**
   * Waits until a call's files are free, and reads them. What the call looks for in them is changed in place to what
   * it has become by a formatting that the model has not seen.
   */
  async start(callID: string, sessionID: string, tool: string, args: Record<string, unknown>): Promise<void> {
    const { directory, isFormatted, changesOthers, files: lock, unseen, onBegin } = this.#place
    const asSent = readCall(tool, args, directory)
    const files = asSent?.files.filter(({ path }) => isFormatted(path))
    if (!asSent || !files || files.length === 0) return
    const sent = { ...args }
    const paths = files.flatMap(({ path, from }) => [path, from])
    const mayChangeOthers = paths.some(changesOthers)
    onBegin(keyOf(sessionID, callID), sessionID, paths)
    const release = await lock.take(mayChangeOthers ? 'all' : paths, CALL_LIMIT_MS)
    const known = mayChangeOthers ? [...this.#place.known()] : []
    const others = await keepFiles(known.filter((path) => !paths.includes(path)))
    const before = new Map<string, string | null>()
    const texts = new Map<string, string>()
    for (const { path, from } of files) {
      const text = (await readSaved(from))?.text ?? null
      before.set(path, text)
      texts.set(from, text ?? '')
    }
    const carried = carryArguments(tool, args, {
      directory,
      unseen: (path) => unseen.fileOf(sessionID, path),
      now: (path) => texts.get(path) ?? '',
    })
    if (carried) Object.assign(args, carried.args)
    const sentOldString = carried?.args['oldString'] === undefined ? undefined : String(sent['oldString'])
    const call = carried ? readCall(tool, args, directory, sentOldString, carried.around) : asSent
    // A patch also shows the lines around its own: they are to be true. The old text of an edit is gone, and stays as
    // it was sent.
    const said = carried?.args['patchText'] !== undefined ? { ...args } : sent
    const started = { call: call ?? asSent, asSent, tool, sessionID, sent, said, before, others, release }
    this.#started.set(keyOf(sessionID, callID), started)
  }

  get(callID: string, sessionID: string): Started | undefined {
    return this.#started.get(keyOf(sessionID, callID))
  }

  /** The files of all calls under way. */
  get paths(): Set<string> {
    return new Set([...this.#started.values()].flatMap(({ before }) => [...before.keys()]))
  }

  /** Ends a call: its files are free. */
  drop(callID: string, sessionID: string): void {
    const key = keyOf(sessionID, callID)
    this.#started.get(key)?.release()
    this.#started.delete(key)
  }

  /** Ends all calls of a session that is at rest. */
  dropSession(sessionID: string): void {
    for (const [key, started] of this.#started) {
      if (started.sessionID !== sessionID) continue
      started.release()
      this.#started.delete(key)
    }
  }
}

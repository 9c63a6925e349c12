import type { Log } from '../../host/log.ts'
import type { ChangedFile } from '../../steps/call.ts'
import type { Applied } from '../../steps/edits.ts'
import { readSaved, type SavedFile } from '../../steps/saved-file.ts'
import type { RealPaths } from '../../steps/step-call.ts'
import type { Steps } from '../../steps/steps.ts'
import { LruMap } from '../../text/lru-map.ts'
import { isUntouched } from '../../text/read.ts'
import type { FormatFiles } from '../run/format-files.ts'
import type { HostFormatter } from '../run/host-formatter.ts'
import type { Failure } from '../run/run-formatter.ts'

/** A call on one file, with the file's text before it and what the call made of that, before any formatting. */
export type DoneCall = ChangedFile & {
  callID: string
  tool: string
  args: Record<string, unknown>
  before: string
  applied: Applied
  /** The file right after the call, which the host's language servers saw. */
  checked: string
  /** Whether others than a formatter changed the file while the call ran. */
  isForeign: boolean
}

/** What a session's model knows of a file. */
export type KnownFile = {
  /** As the last call named it. A link and its target are one file, known by its real path. */
  path: string
  real: string
  /** The file as the model believes it is: what it read, with its calls applied; null where that is not sure. */
  believed: string | null
  /** The file on the disk as last seen, which differs where the host formatted it. */
  text: string
  /** As it was read last, until the next request; null where that has gone. */
  saved: SavedFile | null
  /** Whether others changed it before the model's calls, and the model was not shown that. */
  isOutdated: boolean
  /** Its calls on the file since the model was asked last; reads next to other calls of their message included. */
  calls: Array<DoneCall>
  /** Those before them since it was read, as corrected: what changes the file later may correct them again. */
  settled: Array<DoneCall>
  /**
   * `known`: nothing to report. `written`: a call wrote it, and it waits for its formatter. `formatted`: the next
   * request compares it. `changed`: another session, or the formatter of the whole project changed it.
   */
  state: 'known' | 'written' | 'formatted' | 'changed'
  /** How its formatter failed, until the model has read it. */
  failure: Failure | null
  /** What the model read last of a failure; empty once the file was formatted again. */
  toldFailure: string
}

/** Gives the calls that wrote a file since the model was asked last; the last one gets the notes on it. */
export const writersOf = ({ calls }: KnownFile): Array<DoneCall> =>
  calls.filter(({ tool }) => tool !== 'read')

type Written = RealPaths & Pick<KnownFile, 'believed' | 'failure' | 'saved'>

/** What the hooks work with. */
export type Formatting = {
  directory: string
  known: KnownFiles
  formatter: FormatFiles
  /** The formatters that the host runs inside its tools. */
  host: HostFormatter
  steps: Steps
  log: Log
}

/** Gives a file as it is now: read again where the disk says that it changed since. */
export const currentOf = async (file: KnownFile): Promise<SavedFile | null> =>
  file.saved = file.saved && isUntouched(file.saved) ? file.saved : await readSaved(file.path)

const MAX_SESSIONS = 30
const MAX_FILES = 200
const MAX_CALLS = 20

/** The files of a session, by real path, the last written last. */
type SessionFiles = LruMap<string, KnownFile>

/** The files that each session's model knows. */
export class KnownFiles {
  readonly #sessions = new LruMap<string, SessionFiles>(MAX_SESSIONS)

  /** The files of a session, by real path, the last written last. */
  of(sessionID: string): SessionFiles {
    return this.#sessions.getOrCreate(sessionID, () => new LruMap(MAX_FILES))
  }

  /** The files of a session in some of the states. */
  inState(sessionID: string, ...states: Array<KnownFile['state']>): Array<KnownFile> {
    return [...this.#sessions.get(sessionID)?.values() ?? []].filter(({ state }) => states.includes(state))
  }

  get #all(): Array<KnownFile> {
    return [...this.#sessions.values()].flatMap((files) => [...files.values()])
  }

  /** The real paths of all sessions' files, but for some. */
  pathsWithout(some: Array<string>): Array<string> {
    return [...new Set(this.#all.map(({ real }) => real))].filter((real) => !some.includes(real))
  }

  /** Notes that others changed a file: the sessions that know it compare it before their next request. */
  markChanged(real: string): void {
    for (const file of this.#all) if (file.real === real && file.state === 'known') file.state = 'changed'
  }

  forget(sessionID: string): void {
    this.#sessions.delete(sessionID)
  }

  /** Notes what a model saw of a file. A file that waits to be formatted goes on waiting. */
  read(sessionID: string, { path, real, text }: Pick<KnownFile, 'path' | 'real' | 'text'>): void {
    const files = this.of(sessionID)
    const { state = 'known', failure = null, toldFailure = '' } = files.get(real) ?? {}
    const seen = { believed: text, isOutdated: false, text, saved: null, calls: [], settled: [] }
    files.set(real, { path, real, ...seen, state, failure, toldFailure })
  }

  /** Notes a read among the calls of a message, and that the next request compares the file. */
  readNext(file: KnownFile, read: DoneCall): void {
    file.calls.push(read)
    if (file.state === 'known') file.state = 'formatted'
  }

  /**
   * Notes a call.
   *
   * @param believed what the model believes of the file after it
   */
  wrote(sessionID: string, call: DoneCall, { believed, failure, saved, from, to: real }: Written): void {
    const { path, checked: text } = call
    const files = this.of(sessionID)
    const last = files.get(from)
    files.delete(from)
    const isExpected = last?.believed === call.before
    const isSeen = isExpected || last?.text === call.before
    const earlier = isExpected ? last.calls.slice(1 - MAX_CALLS) : []
    this.markChanged(from)
    this.markChanged(real)
    files.set(real, {
      path,
      real,
      believed,
      isOutdated: last !== undefined && (last.isOutdated || (last.state === 'changed' && !isSeen)),
      text,
      saved,
      calls: [...earlier, call],
      settled: isExpected ? last.settled : [],
      state: 'written',
      failure,
      toldFailure: last?.toldFailure ?? '',
    })
  }
}

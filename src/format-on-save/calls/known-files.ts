import type { Log } from '../../host/log.ts'
import type { ChangedFile } from '../../steps/call.ts'
import type { Applied } from '../../steps/edits.ts'
import { readSaved, type SavedFile } from '../../steps/saved-file.ts'
import type { RealPaths } from '../../steps/step-call.ts'
import type { Steps } from '../../steps/steps.ts'
import { LruMap } from '../../text/lru-map.ts'
import { isUnchangedSince } from '../../text/read.ts'
import type { FormatFiles } from '../run/format-files.ts'
import type { HostFormatter } from '../run/host-formatter.ts'
import type { Failure } from '../run/run-formatter.ts'

/** A call that succeeded on one file: the file's text before it, and the call's own changes, before any formatting. */
export type DoneCall = ChangedFile & {
  callID: string
  tool: string
  args: Record<string, unknown>
  before: string
  applied: Applied
  /** The file's text right after the call, on which the host's language servers reported errors. */
  textAfterCall: string
  /** Whether somebody other than a formatter changed the file while the call ran. */
  isForeign: boolean
}

/** What the model of a session knows about a file. */
export type KnownFile = {
  /** The path as the last call named it. A link and its target are one file, known by its real path. */
  path: string
  real: string
  /** The text that the model believes: the text that it read, with its calls applied; null if that is not sure. */
  believed: string | null
  /** The text on the disk when it was last read; it differs from `believed` if the host formatted the file. */
  text: string
  /** The file as it was last read, kept until the next request. */
  saved: SavedFile | null
  /** Whether others changed the file before the model's calls, and the model was not shown the change. */
  isOutdated: boolean
  /** The calls on the file since the last request, including reads in the same message as other calls. */
  calls: Array<DoneCall>
  /** The calls between the read and the last request, as corrected. A later change of the file may correct them again. */
  earlierCalls: Array<DoneCall>
  /**
   * `known`: nothing to report. `written`: a call wrote the file, which is still to be formatted. `toCompare`: it
   * was due for formatting, or read among other calls. `changed`: something else changed it, such as another session, the
   * formatter of another file, or the formatting after a turn. In the last two states, it is compared with `believed`
   * before the next request.
   */
  state: 'known' | 'written' | 'toCompare' | 'changed'
  /** How its formatter failed, until that is reported to the model. */
  failure: Failure | null
  /** The formatter's output that was last reported to the model; empty after the file was formatted again. */
  reportedFailure: string
}

/** Returns the calls that wrote a file since the last request; the last of them gets the notes on the file. */
export const writersOf = ({ calls }: KnownFile): Array<DoneCall> =>
  calls.filter(({ tool }) => tool !== 'read')

/** The paths of a file that a call wrote, and what is known about it after the call. */
type Written = RealPaths & Pick<KnownFile, 'believed' | 'failure' | 'saved'>

/** The objects that the functions of this folder share. */
export type FormattingContext = {
  directory: string
  known: KnownFiles
  formatter: FormatFiles
  /** The formatters that the host runs inside its tools. */
  host: HostFormatter
  steps: Steps
  log: Log
}

/** Returns the present state of a file. Reads it again only if its stats on the disk have changed. */
export const currentOf = async (file: KnownFile): Promise<SavedFile | null> =>
  file.saved = file.saved && isUnchangedSince(file.saved) ? file.saved : await readSaved(file.path)

const MAX_SESSIONS = 30
const MAX_FILES = 200
const MAX_CALLS = 20

/** The files of a session, by real path, the last written last. */
type SessionFiles = LruMap<string, KnownFile>

/** The files that the models of all sessions know. */
export class KnownFiles {
  readonly #sessions = new LruMap<string, SessionFiles>(MAX_SESSIONS)

  /** Returns the files of a session, by real path, the last written last. */
  of(sessionID: string): SessionFiles {
    return this.#sessions.getOrCreate(sessionID, () => new LruMap(MAX_FILES))
  }

  /** Returns the files of a session that are in one of the states. */
  inState(sessionID: string, ...states: Array<KnownFile['state']>): Array<KnownFile> {
    return [...this.#sessions.get(sessionID)?.values() ?? []].filter(({ state }) => states.includes(state))
  }

  get #all(): Array<KnownFile> {
    return [...this.#sessions.values()].flatMap((files) => [...files.values()])
  }

  /** Returns the real paths of the files of all sessions, except those given. */
  pathsWithout(excluded: Array<string>): Array<string> {
    return [...new Set(this.#all.map(({ real }) => real))].filter((real) => !excluded.includes(real))
  }

  /** Marks a file as changed by others in all sessions that know it: it is compared before their next request. */
  markChanged(real: string): void {
    for (const file of this.#all) if (file.real === real && file.state === 'known') file.state = 'changed'
  }

  forget(sessionID: string): void {
    this.#sessions.delete(sessionID)
  }

  /** Records that a model read a file. A file that is still to be formatted stays so. */
  recordRead(sessionID: string, { path, real, text }: Pick<KnownFile, 'path' | 'real' | 'text'>): void {
    const files = this.of(sessionID)
    const { state = 'known', failure = null, reportedFailure = '' } = files.get(real) ?? {}
    const asRead = { believed: text, isOutdated: false, text, saved: null, calls: [], earlierCalls: [] }
    files.set(real, { path, real, ...asRead, state, failure, reportedFailure })
  }

  /** Records a read among other calls of a message: the file is compared before the next request. */
  recordReadInStep(file: KnownFile, read: DoneCall): void {
    file.calls.push(read)
    if (file.state === 'known') file.state = 'toCompare'
  }

  /**
   * Records a call that wrote a file.
   *
   * @param believed the text that the model believes after the call
   */
  recordWrite(
    sessionID: string,
    call: DoneCall,
    { believed, failure, saved, from, to: real }: Written,
  ): void {
    const { path, textAfterCall: text } = call
    const files = this.of(sessionID)
    const last = files.get(from)
    files.delete(from)
    // Whether the call changed the text that the model believed, or at least the text last read from the disk.
    const isExpected = last?.believed === call.before
    const isSeen = isExpected || last?.text === call.before
    const earlier = isExpected ? last.calls.slice(1 - MAX_CALLS) : []
    // For the other sessions; the session of the call gets a new entry below.
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
      earlierCalls: isExpected ? last.earlierCalls : [],
      state: 'written',
      failure,
      reportedFailure: last?.reportedFailure ?? '',
    })
  }
}

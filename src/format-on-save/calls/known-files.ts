/** What the model of each session believes that its files say, and the calls that made it believe so. */
import type { Log } from '../../host/log.ts'
import type { ChangedFile } from '../../steps/call.ts'
import type { Applied } from '../../steps/edits.ts'
import type { RealPaths } from '../../steps/step-call.ts'
import type { Steps } from '../../steps/steps.ts'
import { LruMap } from '../../text/lru-map.ts'
import type { FormatFiles } from '../run/format-files.ts'
import type { HostFormatter } from '../run/host-formatter.ts'
import type { Failure } from '../run/run-formatter.ts'

/** A call that succeeded on one file: a read, or a write. */
export type DoneCall = ChangedFile & {
  callID: string
  tool: string
  args: Record<string, unknown>
  /** The file's text before the call, as the model believed it. */
  before: string
  applied: Applied
  /** The file's text right after the call, to which the errors of the host's language servers refer. */
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
  /** The text last read from the disk, before SAT's formatting. It differs from `believed` if the host formatted. */
  text: string
  /** Whether others changed the file before the model's calls, and the model was not shown the change. */
  isOutdated: boolean
  /** The writes since the last request, and the reads in the same message. */
  calls: Array<DoneCall>
  /** The calls between the last read and the last request, as corrected. A later change may correct them again. */
  earlierCalls: Array<DoneCall>
  /**
   * - `known`: nothing to report.
   * - `written`: a call wrote the file, which is still to be formatted.
   * - `toCompare`: the file was due for formatting, or was read among other calls: before the next request, its text is
   *   compared with `believed`.
   * - `changed`: the same, because something else changed the file: another session, or the formatter of another file.
   */
  state: 'known' | 'written' | 'toCompare' | 'changed'
  /** How its formatter failed, until that is reported to the model. */
  failure: Failure | null
  /** The formatter's output that was last reported to the model; empty after the file was formatted again. */
  reportedFailure: string
}

/** Whether a call read its file. Every other recorded call wrote it. */
export const isRead = ({ tool }: DoneCall): boolean => tool === 'read'
export const isWrite = (call: DoneCall): boolean => !isRead(call)

/** The objects that the functions of this folder share. */
export type FormattingContext = {
  directory: string
  knownFiles: KnownFiles
  formatter: FormatFiles
  /** The formatters that the host runs inside its tools; undefined if it runs none. */
  host: HostFormatter | undefined
  steps: Steps
  log: Log
}

const MAX_SESSIONS = 30
const MAX_FILES = 200
const MAX_CALLS = 20

/** The files that the models of all sessions know. The least recently used sessions and files are dropped. */
export class KnownFiles {
  readonly #sessions = new LruMap<string, LruMap<string, KnownFile>>(MAX_SESSIONS)

  /** Returns the files of a session, by real path. */
  of(sessionID: string): LruMap<string, KnownFile> {
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
    const asRead = { believed: text, isOutdated: false, text, calls: [], earlierCalls: [] }
    files.set(real, { path, real, ...asRead, state, failure, reportedFailure })
  }

  /** Records a call that wrote a file, and what is known about the file after the call. */
  recordWrite(
    sessionID: string,
    call: DoneCall,
    { from, to: real }: RealPaths,
    after: Pick<KnownFile, 'believed' | 'failure'>,
  ): void {
    const files = this.of(sessionID)
    const last = files.get(from)
    files.delete(from)
    const isOnBelieved = last?.believed === call.before
    const isOnDiskText = last?.text === call.before
    const missedChange = last?.state === 'changed' && !isOnBelieved && !isOnDiskText
    // For the other sessions; the session of the call gets a new entry below.
    this.markChanged(from)
    this.markChanged(real)
    files.set(real, {
      ...after,
      path: call.path,
      real,
      isOutdated: missedChange || last?.isOutdated === true,
      text: call.textAfterCall,
      calls: isOnBelieved ? [...last.calls.slice(1 - MAX_CALLS), call] : [call],
      earlierCalls: isOnBelieved ? last.earlierCalls : [],
      state: 'written',
      reportedFailure: last?.reportedFailure ?? '',
    })
  }
}

/** Records what the model of each session believes that files contain, and which of its calls led to this belief. */
import type { Log } from '../../host/log.ts'
import type { ChangedFile } from '../../steps/call.ts'
import type { Applied } from '../../steps/edits.ts'
import type { RealPaths } from '../../steps/step-call.ts'
import type { Steps } from '../../steps/steps.ts'
import { LruMap } from '../../text/lru-map.ts'
import type { FormatFiles } from '../run/format-files.ts'
import type { HostFormatter } from '../run/host-formatter.ts'
import type { Failure } from '../run/run-formatter.ts'

/** A call that succeeded, and one file that it read or wrote. */
export type DoneCall = ChangedFile & {
  callID: string
  tool: string
  args: Record<string, unknown>
  /** The file's text before the call, as the model believed it. */
  before: string
  applied: Applied
  /** The file's text on the disk right after the call. The errors that the host reports in the result refer to it. */
  textAfterCall: string
  /** Whether somebody other than a formatter changed the file while the call ran. */
  isForeign: boolean
}

/** What the model of a session knows about a file. */
export type KnownFile = {
  /** The absolute path as the last call named it. */
  path: string
  /** The path with links resolved, which identifies the file: a link and its target are one file. */
  real: string
  /** What the model believes that the file contains: the text that it read, with its calls applied; null if unsure. */
  believed: string | null
  /** The text last read from the disk, before SAT formatted it. If the host formatted, it differs from `believed`. */
  text: string
  /** Whether others changed the file before `calls`, and the model was not shown their change. */
  isOutdated: boolean
  /** The writes since the last request, and the reads in the same message. */
  calls: Array<DoneCall>
  /** The calls after the last read that earlier requests already showed, as corrected. They may be corrected again. */
  earlierCalls: Array<DoneCall>
  /**
   * - `known`: there is nothing to do.
   * - `written`: a call wrote the file, and it is not formatted yet.
   * - `toCompare`: it was due for formatting, or was read among other calls. Its text must be compared with `believed`.
   * - `changed`: its text must be compared, too, because it may have been changed by something other than this
   *   session's calls and the file's own formatter: by another session, or by the formatter of another file.
   */
  state: 'known' | 'written' | 'toCompare' | 'changed'
  /** How the file's formatter failed, if the model does not know that yet. */
  failure: Failure | null
  /** The output of the failed formatter that the model was last shown; empty once the formatter succeeds. */
  reportedOutput: string
}

/** Whether a call read its file; every other recorded call wrote it. */
export const isRead = ({ tool }: DoneCall): boolean => tool === 'read'
export const isWrite = (call: DoneCall): boolean => !isRead(call)

/** The objects that the functions of this folder share. */
export type FormattingContext = {
  directory: string
  knownFiles: KnownFiles
  formatter: FormatFiles
  /** The formatters that the host runs inside its tools; undefined if it runs none. */
  hostFormatter: HostFormatter | undefined
  steps: Steps
  log: Log
}

const MAX_SESSIONS = 30
const MAX_FILES = 200
const MAX_CALLS = 20

/** Holds the files that the models of all sessions know. Drops the least recently used sessions and files. */
export class KnownFiles {
  readonly #sessions = new LruMap<string, LruMap<string, KnownFile>>(MAX_SESSIONS)

  /** Returns the files of a session, by real path. */
  of(sessionID: string): LruMap<string, KnownFile> {
    return this.#sessions.getOrCreate(sessionID, () => new LruMap(MAX_FILES))
  }

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

  /** Marks a file as changed by others in all sessions that know it, unless they have to compare it anyway. */
  markChanged(real: string): void {
    for (const file of this.#all) if (file.real === real && file.state === 'known') file.state = 'changed'
  }

  forget(sessionID: string): void {
    this.#sessions.delete(sessionID)
  }

  /** Records that a model read a file. A file that is still to be formatted stays so. */
  recordRead(sessionID: string, { path, real, text }: Pick<KnownFile, 'path' | 'real' | 'text'>): void {
    const files = this.of(sessionID)
    const { state = 'known', failure = null, reportedOutput = '' } = files.get(real) ?? {}
    const asRead = { believed: text, isOutdated: false, text, calls: [], earlierCalls: [] }
    files.set(real, { path, real, ...asRead, state, failure, reportedOutput })
  }

  /** Records a call that wrote a file, and what the model believes after the call. */
  recordWrite(
    sessionID: string,
    call: DoneCall,
    { from, to: real }: RealPaths,
    after: Pick<KnownFile, 'believed' | 'failure'>,
  ): void {
    const files = this.of(sessionID)
    const last = files.get(from)
    files.delete(from)
    const continuesBelief = last?.believed === call.before
    const missedChange = last?.state === 'changed' && !continuesBelief && last.text !== call.before
    // This is for the other sessions: the call's own session gets a new entry below.
    this.markChanged(from)
    this.markChanged(real)
    files.set(real, {
      ...after,
      path: call.path,
      real,
      isOutdated: missedChange || last?.isOutdated === true,
      text: call.textAfterCall,
      calls: continuesBelief ? [...last.calls.slice(1 - MAX_CALLS), call] : [call],
      earlierCalls: continuesBelief ? last.earlierCalls : [],
      state: 'written',
      reportedOutput: last?.reportedOutput ?? '',
    })
  }
}

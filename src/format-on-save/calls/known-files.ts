/** Records which text the model of each session believes that a file has, and the calls that led to this belief. */
import type { Log } from '../../host/log.ts'
import type { CallTarget } from '../../steps/call.ts'
import type { Applied } from '../../steps/edits.ts'
import type { RealPaths } from '../../steps/step-call.ts'
import type { Steps } from '../../steps/steps.ts'
import { LruMap } from '../../text/lru-map.ts'
import type { FormatFiles } from '../run/format-files.ts'
import type { HostFormatter } from '../run/host-formatter.ts'
import type { Failure } from '../run/run-formatter.ts'

/** A call that succeeded, and one file that it read or wrote. */
export type DoneCall = CallTarget & {
  callID: string
  tool: string
  args: Record<string, unknown>
  /** The text on which the call ran; for a read, the text that the model believed before it. */
  before: string
  /** What the call made of `before`. A read has no changes, nor has a call whose result is only known from the disk. */
  applied: Applied
  /** The text on the disk right after the call. The errors in the call's result refer to it. */
  textAfterCall: string
  /** Whether somebody other than a formatter may have changed the file while the call ran. */
  hasForeignChange: boolean
}

export type KnownFile = {
  /** Absolute, as the last call named it. */
  path: string
  /** The path with links resolved. */
  real: string
  /** The text that the model read, with its calls applied; null if it is not sure what the model believes. */
  believed: string | null
  /** The text last read from the disk. Once SAT has formatted the file, still the unformatted one until `reconcile`. */
  text: string
  /** Whether others changed the file before `calls`, and the model has not seen how. */
  isOutdated: boolean
  /** The calls since the last `reconcile`: the writes, and the reads whose outputs may have to be corrected. */
  calls: Array<DoneCall>
  /** The calls between the last read and the last `reconcile`, with the corrected arguments that requests show. */
  earlierCalls: Array<DoneCall>
  /**
   * - `known`: there is nothing to do.
   * - `written`: a call wrote the file, and it is not formatted yet.
   * - `toCompare`: `reconcile` must compare the file with `believed`.
   * - `changed`: as `toCompare`, but another session or the formatter of another file may have changed the file.
   */
  state: 'known' | 'written' | 'toCompare' | 'changed'
  /** A failure of the formatter that the model does not know yet. */
  failure: Failure | null
  /** The last output of a failed formatter that the model was shown; empty once the formatter succeeds. */
  reportedOutput: string
}

export const isRead = ({ tool }: DoneCall): boolean => tool === 'read'
export const isWrite = (call: DoneCall): boolean => !isRead(call)

export type FormattingContext = {
  directory: string
  knownFiles: KnownFiles
  formatter: FormatFiles
  hostFormatter: HostFormatter | undefined
  steps: Steps
  log: Log
}

const MAX_SESSIONS = 30
const MAX_FILES = 200
const MAX_CALLS = 20

/** Holds the files that the models of all sessions know; drops the least recently used. */
export class KnownFiles {
  readonly #sessions = new LruMap<string, LruMap<string, KnownFile>>(MAX_SESSIONS)

  /** Returns the files of a session by real path. */
  of(sessionID: string): LruMap<string, KnownFile> {
    return this.#sessions.getOrCreate(sessionID, () => new LruMap(MAX_FILES))
  }

  inState(sessionID: string, ...states: Array<KnownFile['state']>): Array<KnownFile> {
    return [...this.#sessions.get(sessionID)?.values() ?? []].filter(({ state }) => states.includes(state))
  }

  get #all(): Array<KnownFile> {
    return [...this.#sessions.values()].flatMap((files) => [...files.values()])
  }

  realPathsExcept(excluded: Array<string>): Array<string> {
    return [...new Set(this.#all.map(({ real }) => real))].filter((real) => !excluded.includes(real))
  }

  /** Marks a file as changed by others in each session, unless the session has to format or compare it anyway. */
  markChanged(real: string): void {
    for (const file of this.#all) if (file.real === real && file.state === 'known') file.state = 'changed'
  }

  forget(sessionID: string): void {
    this.#sessions.delete(sessionID)
  }

  /** Records that the model has seen the text of a file. Forgets the earlier calls, which no longer matter. */
  recordRead(sessionID: string, { path, real, text }: Pick<KnownFile, 'path' | 'real' | 'text'>): void {
    const files = this.of(sessionID)
    // The read does not change the state: a file that is still to be formatted stays so.
    const { state = 'known', failure = null, reportedOutput = '' } = files.get(real) ?? {}
    const asRead = { believed: text, isOutdated: false, text, calls: [], earlierCalls: [] }
    files.set(real, { path, real, ...asRead, state, failure, reportedOutput })
  }

  /** Records a call that wrote a file. A patch may have moved it, `from` one real path to another. */
  recordWrite(
    sessionID: string,
    call: DoneCall,
    { from, to: real }: RealPaths,
    after: Pick<KnownFile, 'believed' | 'failure'>,
  ): void {
    const files = this.of(sessionID)
    const last = files.get(from)
    files.delete(from)
    const ranOnBelieved = last?.believed === call.before
    // If the call ran on neither `believed` nor `text`, others had changed the file, and the model has not seen how.
    const missedChange = last?.state === 'changed' && !ranOnBelieved && last.text !== call.before
    // The other sessions have to compare the file; the entry of this session is replaced below.
    this.markChanged(from)
    this.markChanged(real)
    files.set(real, {
      ...after,
      path: call.path,
      real,
      isOutdated: missedChange || last?.isOutdated === true,
      text: call.textAfterCall,
      // If the call ran on another text than the model believed, the earlier calls do not lead to its result.
      calls: ranOnBelieved ? [...last.calls.slice(1 - MAX_CALLS), call] : [call],
      earlierCalls: ranOnBelieved ? last.earlierCalls : [],
      state: 'written',
      reportedOutput: last?.reportedOutput ?? '',
    })
  }
}

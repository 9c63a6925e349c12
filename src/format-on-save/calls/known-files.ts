/** Records, for each session, the text that the model believes a file has, and the calls that led to this belief. */
import type { Log } from '../../host/log.ts'
import type { When } from '../../host/options.ts'
import { isInProject, type Workspace } from '../../paths/boundary.ts'
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
  /** The text on which the call ran. For a read, the text that the model believed before it. */
  before: string
  /**
   * The result of the call alone. If it is uncertain, `raw` is `textAfterCall`, and `changes` is empty. For a read,
   * `changes` is empty, too.
   */
  applied: Applied
  /** The text on the disk right after the call. The errors in the call's result refer to this text. */
  textAfterCall: string
  /** Whether somebody other than a formatter may have changed the file while the call ran. */
  hasForeignChange: boolean
}

/**
 * A file that the model has read or written. If the model writes `a=1`, which is then formatted to `a = 1`, `believed`
 * is `a=1` until `reconcile` shows the model the formatted text.
 */
export type KnownFile = {
  /** The absolute path that the last call named, or the real path (see `pathOf`). */
  path: string
  /** The path with links resolved. */
  real: string
  /** The text that the model read, with its later calls applied; null if it is not certain. */
  believed: string | null
  /** The text last read from the disk, before SAT's formatter ran. `reconcile` replaces it with the formatted text. */
  text: string
  /** The texts before and after SAT's formatter ran; missing if it did not run, and after `reconcile`. */
  formatted?: { before: string; after: string } | undefined
  /** Whether others changed the file before `newCalls`, and the model has not seen how. */
  missedChange: boolean
  /** The calls since the last `reconcile`: the writes, and the reads whose outputs may have to be corrected. */
  newCalls: Array<DoneCall>
  /** The calls before `newCalls`, but after the last read, with the arguments that the model sees now. */
  shownCalls: Array<DoneCall>
  /**
   * What to do next. After a write, a file is `written`; once formatted, `toCompare`; once reconciled, `known`.
   * - `known`: nothing.
   * - `written`: format the file, because a call wrote it.
   * - `toCompare`: compare the file with `believed`, in `reconcile`.
   * - `changed`: compare the file, which another session or the formatter of another file may have changed.
   */
  state: 'known' | 'written' | 'toCompare' | 'changed'
  /** Whether the file is `changed` because formatting at the end of a turn may have changed it. */
  isChangedAtTurnEnd?: boolean
  /** A formatter's failure that the model does not know yet. */
  failure: Failure | null
  /** The failed formatter's output that the model saw last; empty once the formatter succeeds. */
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

/** Returns when to show a file's change: in the calls (`save`), or in a note at the start of the next turn (`turn`). */
export const whenToShow = (
  { formatter }: FormattingContext,
  { path, isChangedAtTurnEnd }: KnownFile,
): When => isChangedAtTurnEnd ? 'turn' : formatter.whenOf(path)

const MAX_SESSIONS = 30
const MAX_FILES = 200
const MAX_CALLS = 20

/** Holds the files that the models of all sessions know; drops the least recently used. */
export class KnownFiles {
  readonly #workspace: Workspace
  readonly #hasCommand: (path: string) => boolean
  readonly #sessions = new LruMap<string, LruMap<string, KnownFile>>(MAX_SESSIONS)

  constructor(workspace: Workspace, hasCommand: (path: string) => boolean) {
    this.#workspace = workspace
    this.#hasCommand = hasCommand
  }

  /** Returns the path by which a file is formatted: the first that is in the project and has a command. */
  pathOf({ path, real }: Pick<KnownFile, 'path' | 'real'>): string {
    const inProject = [path, real].filter((each) => isInProject(this.#workspace, each))
    return inProject.find(this.#hasCommand) ?? inProject[0] ?? path
  }

  /** Returns the files of a session, with their real paths as keys. */
  of(sessionID: string): LruMap<string, KnownFile> {
    return this.#sessions.getOrCreate(
      sessionID,
      () => new LruMap(MAX_FILES, ({ state }) => state === 'written'),
    )
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

  /** Marks a file as `changed` in each session where it is `known`. In any other state, the file is compared anyway. */
  markChanged(real: string, when: When = 'save'): void {
    for (const file of this.#all) {
      if (file.real !== real || file.state !== 'known') continue
      Object.assign(file, { state: 'changed', isChangedAtTurnEnd: when === 'turn' })
    }
  }

  forget(sessionID: string): void {
    this.#sessions.delete(sessionID)
  }

  /** Records that the model has seen the text of a file. Forgets the earlier calls, which no longer matter. */
  recordRead(sessionID: string, { path, real, text }: Pick<KnownFile, 'path' | 'real' | 'text'>): void {
    const files = this.of(sessionID)
    // A read does not change the state, because the file may still have to be formatted.
    const { state = 'known', failure = null, reportedOutput = '' } = files.get(real) ?? {}
    const asRead = { believed: text, missedChange: false, text, newCalls: [], shownCalls: [] }
    files.set(real, { path: this.pathOf({ path, real }), real, ...asRead, state, failure, reportedOutput })
  }

  /** Records a call that wrote a file. A patch may have moved the file from one real path to another. */
  recordWrite(
    sessionID: string,
    call: DoneCall,
    { from, to: real }: RealPaths,
    after: Pick<KnownFile, 'believed' | 'failure'>,
  ): void {
    const files = this.of(sessionID)
    const last = files.get(from)
    files.delete(from)
    // The other sessions have to compare the file. The entry of this session is replaced below.
    this.markChanged(from)
    this.markChanged(real)
    const ranOnBelieved = last?.believed === call.before
    // In the state `changed`, others may have changed the file. They did if the call ran on an unknown text.
    const isChangedByOthers = last?.state === 'changed' && ![last.believed, last.text].includes(call.before)
    files.set(real, {
      ...after,
      path: this.pathOf({ path: call.path, real }),
      real,
      missedChange: last?.missedChange === true || isChangedByOthers,
      text: call.textAfterCall,
      // If the call did not run on the believed text, the calls before it do not lead to its result.
      newCalls: ranOnBelieved ? [...last.newCalls.slice(1 - MAX_CALLS), call] : [call],
      shownCalls: ranOnBelieved ? last.shownCalls : [],
      state: 'written',
      reportedOutput: last?.reportedOutput ?? '',
    })
  }
}

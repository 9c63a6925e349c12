/** Records, for each session, the text that the model believes a file has, and the calls that led to this belief. */
import type { Log } from '../../host/log.ts'
import type { When } from '../../host/options.ts'
import { isInProject, type Workspace } from '../../paths/boundary.ts'
import type { CallTarget } from '../../steps/call.ts'
import type { Applied } from '../../steps/edits.ts'
import type { CallFile } from '../../steps/step-call.ts'
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
  /** For a write, the file's text before the call. For a read, the text that the model believed the file had. */
  before: string
  /** The call's result before any formatting. If it is unknown, `applied.raw` is `textAfterCall`. */
  applied: Applied
  /** The text on the disk, which the host's formatter may have changed. */
  textAfterCall: string
  /** Whether somebody other than a formatter may have changed the file while the call ran. */
  hasForeignChange: boolean
}

/** A file that the model has read or written. */
export type KnownFile = {
  path: string
  real: string
  /** The text that the model last read, with the model's later calls applied. Null if this text is uncertain. */
  believed: string | null
  /** The text last read from the disk, before SAT's formatter ran. */
  text: string
  /** The texts before and after SAT's formatter ran. `reconcile` (in `reconcile.ts`) removes them. */
  formatted?: { before: string; after: string } | undefined
  /** Whether others changed the file before `newCalls`, and the model has not seen their change. */
  missedChange: boolean
  /** The calls since the last `reconcile`. */
  newCalls: Array<DoneCall>
  /** The earlier calls since the last read, with the arguments that the model sees now. */
  shownCalls: Array<DoneCall>
  /**
   * - `known`: needs nothing.
   * - `written`: needs formatting.
   * - `toCompare`: needs `reconcile`, which compares it with `believed`.
   * - `changed`: needs `reconcile`, because another session or another file's formatter may have changed it.
   */
  state: 'known' | 'written' | 'toCompare' | 'changed'
  isChangedAtTurnEnd?: boolean
  /** A formatter's failure that the model does not know yet. */
  failure: Failure | null
  /** The failed formatter's output that the model saw last. */
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

type Formatter = Pick<FormatFiles, 'hasCommand' | 'whenOf'>

const MAX_SESSIONS = 30
const MAX_FILES = 200
const MAX_CALLS = 20

export class KnownFiles {
  readonly #workspace: Workspace
  readonly #formatter: Formatter
  readonly #sessions = new LruMap<string, LruMap<string, KnownFile>>(MAX_SESSIONS)

  constructor(workspace: Workspace, formatter: Formatter) {
    this.#workspace = workspace
    this.#formatter = formatter
  }

  /** Returns the path by which a file is formatted: if possible, a path in the project for which a command exists. */
  pathOf({ path, real }: Pick<KnownFile, 'path' | 'real'>): string {
    const inProject = [path, real].filter((each) => isInProject(this.#workspace, each))
    return inProject.find((each) => this.#formatter.hasCommand(each)) ?? inProject[0] ?? path
  }

  /** Returns the files of a session, with their real paths as keys. */
  of(sessionID: string): LruMap<string, KnownFile> {
    const mustKeep = ({ state }: KnownFile) => state === 'written'
    return this.#sessions.getOrCreate(sessionID, () => new LruMap(MAX_FILES, mustKeep))
  }

  inState(sessionID: string, ...states: Array<KnownFile['state']>): Array<KnownFile> {
    return [...this.#sessions.get(sessionID)?.values() ?? []].filter(({ state }) => states.includes(state))
  }

  /** Whether to show a file's change in the calls (`save`), or in a note at the start of the next turn (`turn`). */
  whenToShow({ path, isChangedAtTurnEnd }: KnownFile): When {
    return isChangedAtTurnEnd ? 'turn' : this.#formatter.whenOf(path)
  }

  /** Lists the files that must still be compared with the text that the model believes. */
  toShow(sessionID: string, when?: When): Array<KnownFile> {
    const files = this.inState(sessionID, 'toCompare', 'changed')
    return files.filter((file) => when === undefined || this.whenToShow(file) === when)
  }

  get #all(): Array<KnownFile> {
    return [...this.#sessions.values()].flatMap((files) => [...files.values()])
  }

  realPathsExcept(excluded: Array<string>): Array<string> {
    return [...new Set(this.#all.map(({ real }) => real))].filter((real) => !excluded.includes(real))
  }

  /** Marks only `known` files, because files in other states are compared anyway. */
  markChanged(real: string, when: When = 'save'): void {
    for (const file of this.#all) {
      if (file.real !== real || file.state !== 'known') continue
      Object.assign(file, { state: 'changed', isChangedAtTurnEnd: when === 'turn' })
    }
  }

  forget(sessionID: string): void {
    this.#sessions.delete(sessionID)
  }

  recordRead(sessionID: string, { path, real, text }: Pick<KnownFile, 'path' | 'real' | 'text'>): void {
    const files = this.of(sessionID)
    // A read does not change the state, because the file may still have to be formatted.
    const { state = 'known', failure = null, reportedOutput = '' } = files.get(real) ?? {}
    const asRead = { believed: text, missedChange: false, text, newCalls: [], shownCalls: [] }
    files.set(real, { path: this.pathOf({ path, real }), real, ...asRead, state, failure, reportedOutput })
  }

  recordWrite(
    sessionID: string,
    call: DoneCall,
    { from, to: real }: CallFile['real'],
    after: Pick<KnownFile, 'believed' | 'failure'>,
  ): void {
    const files = this.of(sessionID)
    const last = files.get(from)
    files.delete(from)
    // The other sessions have to compare the file.
    this.markChanged(from)
    this.markChanged(real)
    const ranOnBelieved = last?.believed === call.before
    // If a file is `changed`, and the call ran on neither `believed` nor `text`, somebody else changed the file.
    const isChangedByOthers = last?.state === 'changed' && ![last.believed, last.text].includes(call.before)
    files.set(real, {
      ...after,
      path: this.pathOf({ path: call.path, real }),
      real,
      missedChange: last?.missedChange === true || isChangedByOthers,
      text: call.textAfterCall,
      // If the call did not run on the believed text, the earlier calls do not lead to the call's result.
      newCalls: ranOnBelieved ? [...last.newCalls.slice(1 - MAX_CALLS), call] : [call],
      shownCalls: ranOnBelieved ? last.shownCalls : [],
      state: 'written',
      reportedOutput: last?.reportedOutput ?? '',
    })
  }
}

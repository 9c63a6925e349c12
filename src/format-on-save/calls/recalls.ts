import { setImmediate } from 'node:timers/promises'
import type { FileChange } from '../run/changed-files.ts'
import type { Outcome } from '../run/format-queue.ts'
import type { AppliedCall } from './applied-calls.ts'
import type { CallsAtWork } from './calls-at-work.ts'
import type { FilesInContext } from './files-in-context.ts'
import type { Corrections } from './history-corrections.ts'
import { recallChange } from './recall-change.ts'
import type { UnseenFormatting } from './unseen-formatting.ts'

export type RecallsPlace = {
  directory: string
  shown: FilesInContext
  corrections: Corrections
  unseen: UnseenFormatting
  atWork: CallsAtWork
}

/** Corrects the earlier calls of sessions that know a file which a formatter changed behind them. */
export class Recalls {
  readonly #place: RecallsPlace
  /** The outcomes that other sessions were told of: one run may serve several calls. */
  readonly #told = new WeakSet<Outcome>()

  constructor(place: RecallsPlace) {
    this.#place = place
  }

  /** Corrects the calls of all sessions that know the files; `current` is the call whose formatting changed them. */
  async inAllSessions(changes: Array<FileChange>, current: AppliedCall | null): Promise<void> {
    for (const change of changes.filter(({ before, after }) => before !== after)) {
      await this.#recall(change, this.#place.shown.sessionsWith(change.path), current)
    }
  }

  /** Does so for the file of a session's own call in the others, but for those whose own calls are at work on it. */
  async inOtherSessions(path: string, outcome: Outcome, sessionID: string): Promise<void> {
    if (this.#told.has(outcome)) return
    this.#told.add(outcome)
    const { shown, atWork } = this.#place
    const others = shown.sessionsWith(path).filter((id) => id !== sessionID && !atWork.isAtWork(id, path))
    await this.#recall({ path, ...outcome }, others, null)
  }

  /** What a session at work sends before it has seen the change is carried over. */
  async #recall(change: FileChange, sessions: Array<string>, current: AppliedCall | null): Promise<void> {
    const { unseen } = this.#place
    for (const sessionID of sessions) {
      recallChange(change, sessionID, current, this.#place)
      if (sessionID === current?.sessionID || unseen.isAtWork(sessionID)) unseen.add(sessionID, change)
      // Other sessions of the host go on between two pieces of work on a large file.
      await setImmediate()
    }
  }
}

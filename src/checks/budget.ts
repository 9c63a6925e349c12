/** Limits what the rules of a project may cost: `Budget` when they are read, `TimeBudget` when they check a step. */
import { setImmediate } from 'node:timers/promises'

/** What reading the rules of a session may still cost: those of a cloned repository must not slow the session down. */
export type Budget = {
  /** The milliseconds that are left. */
  ms: number
  /** How many more patterns for checks the headers of the rules may have. */
  patterns: number
  /** How many more instructions these patterns may have when they are compiled, by estimate. */
  instructions: number
  /** To how many more patterns the globs of the rules may expand: `{a,b}` expands to two. */
  globs: number
}

/** Creates the budget for all rules of a session. A usual project spends a hundredth of it. */
export const sessionBudget = (): Budget => ({ ms: 300, patterns: 200, instructions: 20_000, globs: 10_000 })

/** The reason why a rule is not compiled when the time is spent. */
export const NO_TIME = `reading the rules before it took ${sessionBudget().ms} ms, the limit of a session`

/** The reason why a rule is not compiled when the globs of other rules have expanded to too many patterns. */
export const NO_ROOM =
  `the globs of the rules before it expand to ${sessionBudget().globs} patterns, the limit of a session`

/**
 * Returns how many milliseconds work took: its wall time or the processor time since `cpuBefore`, whichever is smaller.
 * Other programs prolong the wall time. Other threads of the host prolong the processor time.
 */
const elapsedMs = (wallMs: number, cpuBefore: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(cpuBefore)
  return Math.min(wallMs, (user + system) / 1_000)
}

/** Runs synchronous work and deducts its time from a budget. */
export const spend = <T>(budget: Pick<Budget, 'ms'>, work: () => T): T => {
  const [start, cpuBefore] = [performance.now(), process.cpuUsage()]
  try {
    return work()
  } finally {
    budget.ms -= elapsedMs(performance.now() - start, cpuBefore)
  }
}

const MAX_MS = 300
// Checks block the host's main thread. After each slice of this length, the host may do other work.
const SLICE_MS = 20

/** The time that all checks of a step may take together. The host's work between two slices does not count. */
export class TimeBudget {
  /** How many earlier violations were not checked again because time ran out. Callers count them here. */
  uncheckedViolations = 0
  readonly #limitMs: number
  /** The time of the slices that have ended. */
  #spentMs = 0
  /** The wall time of the work in the current slice. A call of `forEach` adds its own when it or the slice ends. */
  #sliceMs = 0
  /** The processor time at the start of the current slice. */
  #cpuAtStart = process.cpuUsage()

  constructor(limitMs = MAX_MS) {
    this.#limitMs = limitMs
  }

  /** Ends the slice, lets the host do other work, and starts the next slice. */
  async #endSlice(): Promise<void> {
    this.#spentMs += elapsedMs(this.#sliceMs, this.#cpuAtStart)
    await setImmediate()
    this.#sliceMs = 0
    this.#cpuAtStart = process.cpuUsage()
  }

  /** Runs work that cannot be interrupted, and returns its result; returns undefined if no time is left. */
  async run<T>(work: () => T): Promise<T | undefined> {
    let result: T | undefined
    await this.forEach([work], () => result = work())
    return result
  }

  /** Returns the items that pass a test, and the number of items left untested because time ran out. */
  async filter<T>(
    items: Array<T>,
    test: (item: T) => boolean,
  ): Promise<{ kept: Array<T>; untested: number }> {
    const kept: Array<T> = []
    const untested = await this.forEach(items, (item) => {
      if (test(item)) kept.push(item)
    })
    return { kept, untested }
  }

  /** Calls a function for each item, until time runs out. Returns the number of items for which no time was left. */
  async forEach<T>(items: Array<T>, work: (item: T) => unknown): Promise<number> {
    // The time since `start` is not in `#sliceMs` yet.
    let start = performance.now()
    let done = 0
    for (const item of items) {
      const notAddedMs = performance.now() - start
      if (this.#sliceMs + notAddedMs >= SLICE_MS) {
        this.#sliceMs += notAddedMs
        await this.#endSlice()
        start = performance.now()
      }
      if (this.#spentMs >= this.#limitMs) break
      work(item)
      done += 1
    }
    this.#sliceMs += performance.now() - start
    return items.length - done
  }
}

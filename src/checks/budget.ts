/** Limits what the rules of a project may cost: `Budget` when they are read, `TimeBudget` when they check a step. */
import { setImmediate } from 'node:timers/promises'

/** What reading the rules of a session may still cost: those of a cloned repository must not slow the session down. */
export type Budget = {
  ms: number
  /** The patterns in the headers, for checks. */
  patterns: number
  /** The estimated instructions of the compiled patterns. */
  instructions: number
  /** The patterns to which the globs of the rules expand: `{a,b}` expands to two. */
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
 * Returns how many milliseconds work took: its wall time or its processor time, whichever is smaller. Other programs
 * prolong the wall time; other threads of the host, the processor time.
 */
const elapsedMs = (wallMs: number, before: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before)
  return Math.min(wallMs, (user + system) / 1_000)
}

/** Runs synchronous work and deducts its time from a budget. */
export const spend = <T>(budget: Pick<Budget, 'ms'>, work: () => T): T => {
  const [start, before] = [performance.now(), process.cpuUsage()]
  try {
    return work()
  } finally {
    budget.ms -= elapsedMs(performance.now() - start, before)
  }
}

const MAX_MS = 300
// Checks run on the host's only thread. After each slice of this length, the host may do other work.
const SLICE_MS = 20

/** The time that all checks of a step may take together. The host's work between two slices does not count. */
export class TimeBudget {
  /** How many earlier violations were not checked again because time ran out. Callers count them here. */
  uncheckedViolations = 0
  readonly #limitMs: number
  #spentMs = 0
  /** The wall time of the work in the current slice. */
  #sliceMs = 0
  /** The processor time at the start of the current slice. */
  #cpuAtStart = process.cpuUsage()

  constructor(limitMs = MAX_MS) {
    this.#limitMs = limitMs
  }

  /** Ends the slice and lets the host run. */
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

  /** Calls a function for each item. Returns the number of items for which no time was left. */
  async forEach<T>(items: Array<T>, work: (item: T) => unknown): Promise<number> {
    let start = performance.now()
    let done = 0
    for (const item of items) {
      const ms = performance.now() - start
      if (this.#sliceMs + ms >= SLICE_MS) {
        this.#sliceMs += ms
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

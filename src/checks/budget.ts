import { setImmediate } from 'node:timers/promises'

/** What compiling the rules of a session may still cost: the rules of a cloned repository must not slow it down. */
export type Budget = { ms: number; patterns: number; instructions: number; globs: number }

/** Creates the budget for all rules of a session. A usual project spends a hundredth of it. */
export const sessionBudget = (): Budget => ({ ms: 300, patterns: 200, instructions: 20_000, globs: 10_000 })

/** Reason why a rule is not compiled once the time is spent. */
export const NO_TIME =
  `reading the rules before it took ${sessionBudget().ms} ms, which is all that a session gives`

/** Reason why a rule is not compiled once the globs of others have used up the number of patterns. */
export const NO_ROOM =
  `the globs of the rules before it stand for the ${sessionBudget().globs} patterns that a session takes`

/**
 * Returns the time that work took: wall time includes what other programs ran meanwhile, processor time what other
 * threads ran, so the smaller one counts.
 */
const msOf = (byClock: number, before: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before)
  return Math.min(byClock, (user + system) / 1_000)
}

/** Runs synchronous work and deducts its time from a budget. */
export const spend = <T>(budget: Pick<Budget, 'ms'>, work: () => T): T => {
  const [start, before] = [performance.now(), process.cpuUsage()]
  try {
    return work()
  } finally {
    budget.ms -= msOf(performance.now() - start, before)
  }
}

// Checks run on the host's only thread, which does other work between two slices.
const MAX_MS = 300
const SLICE_MS = 20

/** The time that all checks of a step may take together. The host's work between two slices does not count. */
export class TimeBudget {
  /** How many violations were not looked for again. */
  unseen = 0
  readonly #limit: number
  #spent = 0
  // The wall time of the present slice's work, and the processor time before the slice.
  #slice = 0
  #before = process.cpuUsage()

  constructor(limit = MAX_MS) {
    this.#limit = limit
  }

  /** Ends the slice and lets the host run. */
  async #rest(): Promise<void> {
    this.#spent += msOf(this.#slice, this.#before)
    await setImmediate()
    this.#slice = 0
    this.#before = process.cpuUsage()
  }

  /** Runs work that cannot be interrupted; returns undefined if no time is left. */
  async run<T>(work: () => T): Promise<T | undefined> {
    const results: Array<T> = []
    await this.filter([work], () => results.push(work()) > 0)
    return results[0]
  }

  /** Returns the items that pass a test, and the number of items left untested because time ran out. */
  async filter<T>(
    items: Array<T>,
    test: (item: T) => boolean,
  ): Promise<{ kept: Array<T>; untested: number }> {
    const kept: Array<T> = []
    let start = performance.now()
    let tested = 0
    for (; tested < items.length; tested += 1) {
      const ms = performance.now() - start
      if (this.#slice + ms >= SLICE_MS) {
        this.#slice += ms
        await this.#rest()
        start = performance.now()
      }
      if (this.#spent >= this.#limit) break
      if (test(items[tested]!)) kept.push(items[tested]!)
    }
    this.#slice += performance.now() - start
    return { kept, untested: items.length - tested }
  }
}

import { setImmediate } from 'node:timers/promises'

/** What compiling the rules of a session may still take, so that a cloned repository costs nothing. */
export type Budget = { ms: number; patterns: number; instructions: number; globs: number }

/** Makes the budget for all rules of a session. The rules of a usual project take a hundredth of it. */
export const sessionBudget = (): Budget => ({ ms: 300, patterns: 200, instructions: 20_000, globs: 10_000 })

/** Why a rule is not compiled that comes after the time is used up. */
export const NO_TIME =
  `reading the rules before it took ${sessionBudget().ms} ms, which is all that a session gives`

/** Why a rule is not compiled whose globs have no room. */
export const NO_ROOM =
  `the globs of the rules before it stand for the ${sessionBudget().globs} patterns that a session takes`

/** Gives what work took: the less of the clock's time, which other programs hold up, and the processor's, to which other threads add. */
const msOf = (byClock: number, before: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before)
  return Math.min(byClock, (user + system) / 1_000)
}

/** Runs work, and takes its time off a budget. What waits for a disk is not run here. */
export const spend = <T>(budget: Pick<Budget, 'ms'>, work: () => T): T => {
  const [start, before] = [performance.now(), process.cpuUsage()]
  try {
    return work()
  } finally {
    budget.ms -= msOf(performance.now() - start, before)
  }
}

// Checks run on the host's only thread, which goes on after each slice.
const MAX_MS = 300
const SLICE_MS = 20

/** The time that all checks of a step may take together. What the host does between two slices does not count. */
export class TimeBudget {
  /** How many marks were not looked at again. */
  unseen = 0
  readonly #limit: number
  #spent = 0
  // Of the present slice: what its work took by the clock, and what the processor had done before it.
  #slice = 0
  #before = process.cpuUsage()

  constructor(limit = MAX_MS) {
    this.#limit = limit
  }

  /** Ends a slice. */
  async #rest(): Promise<void> {
    this.#spent += msOf(this.#slice, this.#before)
    await setImmediate()
    this.#slice = 0
    this.#before = process.cpuUsage()
  }

  /** Runs work that cannot be interrupted; undefined where no time is left. */
  async run<T>(work: () => T): Promise<T | undefined> {
    const results: Array<T> = []
    await this.filter([work], (one) => results.push(one()) > 0)
    return results[0]
  }

  /** Gives those of some items that pass a test, and the number of those for whose test no time was left. */
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

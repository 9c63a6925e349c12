import { setImmediate } from 'node:timers/promises'

// Checks run on the host's only thread, which goes on after each slice.
const MAX_MS = 300
const SLICE_MS = 20

/** The time that all checks of a step may take together. What the host does between two slices does not count. */
export class TimeBudget {
  /** How many marks were not looked at again. */
  unseen = 0
  readonly #limit: number
  #spent = 0
  #sinceRest = 0

  constructor(limit = MAX_MS) {
    this.#limit = limit
  }

  // The less of what the clock and the processor say: other programs hold up the first, other threads add to the second.
  #spend(start: number, before: NodeJS.CpuUsage): void {
    const { user, system } = process.cpuUsage(before)
    const ms = performance.now() - start
    this.#spent += Math.min(ms, (user + system) / 1_000)
    this.#sinceRest += ms
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
    let [start, before] = [performance.now(), process.cpuUsage()]
    let tested = 0
    for (; tested < items.length && this.#spent < this.#limit; tested += 1) {
      if (this.#sinceRest + performance.now() - start >= SLICE_MS) {
        this.#spend(start, before)
        await setImmediate()
        this.#sinceRest = 0
        ;[start, before] = [performance.now(), process.cpuUsage()]
      }
      if (test(items[tested]!)) kept.push(items[tested]!)
    }
    this.#spend(start, before)
    return { kept, untested: items.length - tested }
  }
}

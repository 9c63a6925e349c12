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
  // Of the present slice: what its work took by the clock, and what the processor had done before it.
  #slice = 0
  #before = process.cpuUsage()

  constructor(limit = MAX_MS) {
    this.#limit = limit
  }

  /** Ends a slice. Other programs hold up the clock, other threads add to the processor's time: the less of both counts. */
  async #rest(): Promise<void> {
    const { user, system } = process.cpuUsage(this.#before)
    this.#spent += Math.min(this.#slice, (user + system) / 1_000)
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

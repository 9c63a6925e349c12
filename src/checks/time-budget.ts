import { setImmediate } from 'node:timers/promises'

// Checks run on the host's only thread, which goes on after each slice.
const MAX_MS = 300
const SLICE_MS = 20

/** The time that all checks of a step may take together. What the host does between two slices does not count. */
export class TimeBudget {
  /** How many marks were not looked at again. */
  unseen = 0
  #spent = 0
  #sinceRest = 0

  #add(ms: number): void {
    this.#spent += ms
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
    let start = performance.now()
    let tested = 0
    for (; tested < items.length; tested += 1) {
      const ms = performance.now() - start
      if (this.#spent + ms >= MAX_MS) break
      if (this.#sinceRest + ms >= SLICE_MS) {
        this.#add(ms)
        await setImmediate()
        this.#sinceRest = 0
        start = performance.now()
      }
      if (test(items[tested]!)) kept.push(items[tested]!)
    }
    this.#add(performance.now() - start)
    return { kept, untested: items.length - tested }
  }
}

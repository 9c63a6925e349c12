/** Releases the keys that a holder acquired. A second call does nothing. */
export type Release = () => void

/** The keys that work needs exclusively, such as files or sessions, or all of them. */
export type Keys = Array<string> | 'all'

const overlaps = (a: Keys, b: Keys): boolean => a === 'all' || b === 'all' || a.some((key) => b.includes(key))

/**
 * A lock with keys: work that needs a common key runs one after the other, in the order of the calls. `'all'` excludes
 * all other work. A call acquires all its keys at once, so that two waiters cannot deadlock.
 */
export class KeyedLock {
  /** Those that hold their keys and those that wait for them, in the order of the calls. */
  readonly #holders = new Set<{ keys: Keys; ended: Promise<void> }>()

  /** Waits for the keys; returns the function that releases them. */
  async acquire(keys: Keys): Promise<Release> {
    const earlier = [...this.#holders].filter((other) => overlaps(other.keys, keys))
    let end: Release = () => {}
    const holder = { keys, ended: new Promise<void>((resolve) => end = resolve) }
    this.#holders.add(holder)
    await Promise.all(earlier.map(({ ended }) => ended))
    return () => {
      this.#holders.delete(holder)
      end()
    }
  }
}

/** Releases the keys of a lock. A second call does nothing. */
export type Release = () => void

/** The keys that work needs exclusively, such as files or sessions, or all of them. */
export type Keys = Array<string> | 'all'

const overlaps = (a: Keys, b: Keys): boolean => a === 'all' || b === 'all' || a.some((key) => b.includes(key))

/**
 * Runs work on the same keys one after the other, in the order of the calls. `'all'` excludes everything else. All keys
 * are acquired at once, so that two waiters cannot deadlock.
 */
export class KeyedLock {
  readonly #works = new Set<{ keys: Keys; ended: Promise<void> }>()

  /** Waits for the keys; returns the function that releases them. */
  async acquire(keys: Keys): Promise<Release> {
    const ahead = [...this.#works].filter((other) => overlaps(other.keys, keys)).map(({ ended }) => ended)
    let end: Release = () => {}
    const ended = new Promise<void>((resolve) => end = resolve)
    const work = { keys, ended }
    this.#works.add(work)
    await Promise.all(ahead)
    return () => {
      this.#works.delete(work)
      end()
    }
  }
}

/** Gives the keys of a lock back. A second call does nothing. */
export type Release = () => void

/** What work needs exclusively: some files or sessions, or everything. */
export type Keys = Array<string> | 'all'

const conflict = (one: Keys, other: Keys): boolean =>
  one === 'all' || other === 'all' || one.some((key) => other.includes(key))

/**
 * Runs work on the same keys (files, sessions) one after the other, in the order of the calls. `'all'` excludes all
 * others. All keys are taken at once, so that no two waiters can block each other.
 */
export class KeyedLock {
  readonly #works = new Set<{ keys: Keys; ended: Promise<void> }>()

  /** Waits for the keys; gives the function that releases them. */
  async take(keys: Keys): Promise<Release> {
    const ahead = [...this.#works].filter((work) => conflict(work.keys, keys)).map(({ ended }) => ended)
    let end: Release = () => {}
    const ended = new Promise<void>((resolve) => end = resolve)
    const own = { keys, ended }
    this.#works.add(own)
    await Promise.all(ahead)
    return () => {
      this.#works.delete(own)
      end()
    }
  }
}

import { within } from '../safe.ts'

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

  /**
   * Waits for the keys; gives the function that releases them. After `limit` milliseconds, if given, it resolves without
   * them: a formatter that starts too early is better than a session that hangs.
   */
  async take(keys: Keys, limit?: number): Promise<Release> {
    const ahead = [...this.#works].filter((work) => conflict(work.keys, keys)).map(({ ended }) => ended)
    let end: Release = () => {}
    const ended = new Promise<void>((resolve) => end = resolve)
    const own = { keys, ended }
    this.#works.add(own)
    const release = () => {
      this.#works.delete(own)
      end()
    }
    const turn = Promise.all(ahead)
    if (limit === undefined) await turn
    else if ((await within(limit, turn)).error !== null) release()
    return release
  }
}

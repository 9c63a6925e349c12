import { within } from '../safe.ts'

/** Gives the keys of a lock back. A second call does nothing. */
export type Release = () => void

/** What a piece of work needs for itself: some files or sessions, or everything. */
export type Keys = Array<string> | 'all'

const conflict = (one: Keys, other: Keys): boolean =>
  one === 'all' || other === 'all' || one.some((key) => other.includes(key))

/**
 * Lets work on the same keys (files, sessions) wait for its turn, first come, first served. `'all'` shares its turn with
 * nothing else. All keys of one piece of work are taken at once, so that no two pieces can wait for each other.
 */
export class KeyedLock {
  readonly #works = new Set<{ keys: Keys; ended: Promise<void> }>()

  /**
   * Waits for the turn; gives the function that ends it. After `limit` milliseconds, if that is given, it resolves
   * without the turn: a formatter that starts too early is better than a session that hangs.
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

const shared = new KeyedLock()

/** Runs `work` after all earlier work under the same key has settled; gives its result, or throws what it throws. */
export const withLock = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
  const release = await shared.take([key])
  return work().finally(release)
}

/** Gives the keys of a lock back. A second call does nothing. */
export type Release = () => void

/** What a piece of work needs for itself: some files or sessions, or everything. */
export type Keys = Array<string> | 'all'

type Wait = { keys: Keys; grant: () => void }

const conflict = (one: Keys, other: Keys): boolean =>
  one === 'all' || other === 'all' || one.some((key) => other.includes(key))

/**
 * Lets work on the same keys (files, sessions) wait for its turn, first come, first served. `'all'` shares its turn with
 * nothing else. All keys of one piece of work are taken at once, so that no two pieces can wait for each other.
 */
export class KeyedLock {
  readonly #held = new Set<Wait>()
  #waiting: Array<Wait> = []

  /**
   * Waits for the turn; gives the function that ends it. After `limit` milliseconds, if that is given, it resolves
   * without the turn: a formatter that starts too early is better than a session that hangs.
   */
  take(keys: Keys, limit?: number): Promise<Release> {
    return new Promise((resolve) => {
      const giveUp = () => {
        this.#waiting = this.#waiting.filter((other) => other !== wait)
        this.#next()
        resolve(() => {})
      }
      const timer = limit === undefined ? undefined : setTimeout(giveUp, limit)
      const wait: Wait = {
        keys,
        grant: () => {
          clearTimeout(timer)
          this.#held.add(wait)
          resolve(() => {
            if (this.#held.delete(wait)) this.#next()
          })
        },
      }
      this.#waiting.push(wait)
      this.#next()
    })
  }

  #next(): void {
    const still: Array<Wait> = []
    for (const wait of this.#waiting) {
      const ahead = [...this.#held, ...still]
      if (ahead.some(({ keys }) => conflict(keys, wait.keys))) still.push(wait)
      else wait.grant()
    }
    this.#waiting = still
  }
}

const shared = new KeyedLock()

/** Runs `work` after all earlier work under the same key has settled; gives its result, or throws what it throws. */
export const withLock = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
  const release = await shared.take([key])
  try {
    return await work()
  } finally {
    release()
  }
}

/** Gives the keys back; to give them back twice does nothing. */
export type Release = () => void

export type Keys = Array<string> | 'all'

type Wait = { keys: Keys; grant: () => void }

const conflict = (one: Keys, other: Keys): boolean =>
  one === 'all' || other === 'all' || one.some((key) => other.includes(key))

/**
 * Lets work on the same keys (files, sessions) wait for its turn, first come, first served. `'all'` waits until nothing
 * else has a turn, and nothing else has one meanwhile. All keys of one piece of work are taken at once, so that no two
 * pieces can wait for each other.
 */
export class KeyedLock {
  readonly #held = new Set<Wait>()
  #waiting: Array<Wait> = []

  /**
   * Resolves with the way to give the turn back, once it has come. Where it has not come after `limit` milliseconds,
   * if that is given, the work goes on without: better a formatter too early than a session that stands still.
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

/** Runs `work` after all earlier work under the same key has settled; gives what it gives, or throws what it throws. */
export const withLock = async <T>(key: string, work: () => Promise<T>): Promise<T> => {
  const release = await shared.take([key])
  try {
    return await work()
  } finally {
    release()
  }
}

/** Gives a turn back; to give it back twice does nothing. */
export type Release = () => void

type Wait = { keys: Array<string> | 'all'; grant: () => void }

const conflict = (one: Wait['keys'], other: Wait['keys']): boolean =>
  one === 'all' || other === 'all' || one.some((key) => other.includes(key))

/**
 * Lets work on the same files wait for its turn, first come, first served. `'all'` waits until nothing else has a
 * turn, and nothing else has one meanwhile. All keys of one piece of work are taken at once, so that none of two
 * pieces can wait for the other.
 */
export class Turns {
  readonly #held = new Set<Wait>()
  #waiting: Array<Wait> = []

  /** Resolves with the way to give the turn back, once it has come. */
  take(keys: Wait['keys']): Promise<Release> {
    return new Promise((resolve) => {
      const wait: Wait = {
        keys,
        grant: () => {
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

export type Release = () => void
export type Keys = Array<string> | 'all'

const overlaps = (a: Keys, b: Keys): boolean => a === 'all' || b === 'all' || a.some((key) => b.includes(key))

/**
 * Calls that share a key run one after another, in the order of their arrival. A call acquires all its keys at
 * once, so that two waiting calls cannot deadlock.
 */
export class KeyedLock {
  readonly #calls = new Set<{ keys: Keys; ended: Promise<void> }>()

  async acquire(keys: Keys): Promise<Release> {
    const earlier = [...this.#calls].filter((other) => overlaps(other.keys, keys))
    let end: Release = () => {}
    const call = { keys, ended: new Promise<void>((resolve) => end = resolve) }
    this.#calls.add(call)
    await Promise.all(earlier.map(({ ended }) => ended))
    return () => {
      this.#calls.delete(call)
      end()
    }
  }
}

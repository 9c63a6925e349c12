/**
 * A map of at most `limit` entries, for what is remembered of sessions that come and go: where one more would not
 * fit, the entry that was read or set the longest ago is dropped. Twenty lines stand here instead of a library
 * because a host's start reads them.
 */
export class LruMap<Key, Value> {
  readonly #limit: number
  readonly #entries = new Map<Key, Value>()

  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#entries.size
  }

  /** Gives the value of a key and counts as its use; `undefined` where there is none. */
  get(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  set(key: Key, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#limit) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }

  /** The keys, the longest unused first. */
  keys(): Array<Key> {
    return [...this.#entries.keys()]
  }

  values(): Array<Value> {
    return [...this.#entries.values()]
  }

  delete(key: Key): void {
    this.#entries.delete(key)
  }
}

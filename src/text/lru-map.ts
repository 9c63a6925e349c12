/**
 * A map of at most `limit` entries, for what is remembered of sessions that come and go: one more drops the entry that
 * was read or set the longest ago. A library would be read at each start of the host.
 */
export class LruMap<Key, Value> {
  readonly #limit: number
  readonly #entries = new Map<Key, Value>()

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Gives the value of a key, `undefined` where there is none. The entry is then the newest. */
  get(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  /** Sets the value of a key. The entry is then the newest. */
  set(key: Key, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    if (this.#entries.size <= this.#limit) return
    for (const oldest of this.#entries.keys()) {
      this.#entries.delete(oldest)
      return
    }
  }

  /** Lists the keys, the longest unused first. */
  keys(): Array<Key> {
    return [...this.#entries.keys()]
  }

  /** Lists the values, the longest unused first. */
  values(): Array<Value> {
    return [...this.#entries.values()]
  }

  /** Drops the entry of a key, if there is one. */
  delete(key: Key): void {
    this.#entries.delete(key)
  }
}

/**
 * A map of at most `limit` entries, for the memory of sessions: one more drops the least recently used entry. Not a
 * library, which would be loaded at each start of the host.
 */
export class LruMap<Key, Value> extends Map<Key, Value> {
  readonly #limit: number

  constructor(limit: number) {
    super()
    this.#limit = limit
  }

  /** Gives the value of a key, `undefined` where there is none. The entry is then the newest. */
  override get(key: Key): Value | undefined {
    const value = super.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  /** Gives the value of a key; sets a new one where there is none. The entry is then the newest. */
  getOr(key: Key, make: () => Value): Value {
    const value = this.get(key) ?? make()
    this.set(key, value)
    return value
  }

  /** Sets the value of a key. The entry is then the newest. */
  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    const [oldest] = this.keys()
    if (this.size > this.#limit && oldest !== undefined) this.delete(oldest)
    return this
  }
}

/** A map that keeps only the `limit` most recently used entries. A library would slow the host's start. */
export class LruMap<Key, Value> extends Map<Key, Value> {
  readonly #limit: number

  constructor(limit: number) {
    super()
    this.#limit = limit
  }

  override get(key: Key): Value | undefined {
    const value = super.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  getOrCreate(key: Key, make: () => Value): Value {
    const value = this.get(key) ?? make()
    this.set(key, value)
    return value
  }

  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    const [oldest] = this.keys()
    if (this.size > this.#limit && oldest !== undefined) this.delete(oldest)
    return this
  }
}

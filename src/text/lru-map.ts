/**
 * A map that drops the least recently used entries beyond `limit`, except entries for which `mustKeep` is true. SAT
 * uses no library for this, because loading a library would slow the host's start.
 */
export class LruMap<Key, Value> extends Map<Key, Value> {
  readonly #limit: number
  readonly #mustKeep: (value: Value) => boolean

  constructor(limit: number, mustKeep = (_: Value): boolean => false) {
    super()
    this.#limit = limit
    this.#mustKeep = mustKeep
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
    const dropped = this.size > this.#limit && [...this].find(([, other]) => !this.#mustKeep(other))
    if (dropped) this.delete(dropped[0])
    return this
  }
}

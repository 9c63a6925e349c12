/** Draws random numbers, the same ones for the same seed. */
export type Random = {
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number
  /** Returns true once in so many draws. */
  oneIn(count: number): boolean
  pick<Item>(items: ReadonlyArray<Item>): Item
}

/** Creates a generator (mulberry32) that draws the same numbers for the same seed. */
export const randomOf = (seed: number): Random => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b_79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return {
    below,
    oneIn: (count) => below(count) === 0,
    pick: (items) => items[below(items.length)]!,
  }
}

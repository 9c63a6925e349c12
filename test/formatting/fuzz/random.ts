export type Random = ReturnType<typeof randomOf>

/** Creates a random number generator (mulberry32). The same seed draws the same numbers. */
export const randomOf = (seed: number) => {
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
    oneIn: (count: number): boolean => below(count) === 0,
    pick: <Item>(items: ReadonlyArray<Item>): Item => items[below(items.length)]!,
  }
}

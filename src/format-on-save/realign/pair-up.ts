/**
 * `pairOf[i]` is the place of the first list's item `i` in the second list, or -1; `edits` counts the items that are
 * in one list only.
 */
export type Pairs = { pairOf: Array<number>; edits: number }

/** Gives equal words of two lists the same number. */
const toNumbers = (lists: [Array<string>, Array<string>]): [Int32Array, Int32Array] => {
  const numbers = new Map<string, number>()
  const numberOf = (word: string): number => {
    const number = numbers.get(word) ?? numbers.size
    numbers.set(word, number)
    return number
  }
  return [Int32Array.from(lists[0], numberOf), Int32Array.from(lists[1], numberOf)]
}

/** Whether the farthest path to a diagonal ends with an item that only the second list has. */
const comesFromAbove = (reached: Int32Array, middle: number, diagonal: number, edits: number): boolean =>
  diagonal === -edits
  || (diagonal !== edits && reached[middle + diagonal - 1]! < reached[middle + diagonal + 1]!)

/** Collects the pairs from the paths that were kept, from the end of both lists back. */
const tracePairs = (
  { length }: Int32Array,
  lastDiagonal: number,
  paths: Array<Int32Array>,
): Array<number> => {
  const pairOf = Array.from({ length }, () => -1)
  let at = length
  let diagonal = lastDiagonal
  for (let edits = paths.length - 1; edits >= 0; edits -= 1) {
    const reached = paths[edits]!
    const isAdded = comesFromAbove(reached, edits + 1, diagonal, edits)
    const from = reached[edits + 1 + diagonal + (isAdded ? 1 : -1)]!
    const start = isAdded ? from : from + 1
    while (at > start) {
      at -= 1
      pairOf[at] = at - diagonal
    }
    at = from
    diagonal += isAdded ? 1 : -1
  }
  return pairOf
}

/**
 * Pairs the equal items of two lists, in their order, by the shortest edit script (Myers' greedy diff). The `diff`
 * library takes 110 ms for 800 edits, 16 times as long.
 *
 * @returns null where more than `maxEdits` items are in one list only
 */
export const pairUp = (old: Array<string>, now: Array<string>, maxEdits: number): Pairs | null => {
  const [ours, theirs] = toNumbers([old, now])
  const most = Math.min(maxEdits, ours.length + theirs.length)
  const middle = most + 1
  const reached = new Int32Array(2 * most + 3)
  const paths: Array<Int32Array> = []
  for (let edits = 0; edits <= most; edits += 1) {
    paths.push(reached.slice(middle - edits - 1, middle + edits + 2))
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let at = comesFromAbove(reached, middle, diagonal, edits)
        ? reached[middle + diagonal + 1]!
        : reached[middle + diagonal - 1]! + 1
      while (at < ours.length && at - diagonal < theirs.length && ours[at] === theirs[at - diagonal]) at += 1
      reached[middle + diagonal] = at
      if (at >= ours.length && at - diagonal >= theirs.length) {
        return { pairOf: tracePairs(ours, diagonal, paths), edits }
      }
    }
  }
  return null
}

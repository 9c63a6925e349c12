import { changedStretch, type Range, type Stretch } from '../../text/changed-stretch.ts'
import { firstIndexWhere } from './binary-search.ts'

/** A line; `key` is a hash of what formatters leave alone of it, 0 for a blank one. */
type Line = Range & { key: number }

const SPACE = 32
const FEED = 10
const SINGLE_QUOTE = 39
const DOUBLE_QUOTE = 34
const SEPARATORS = [44, 59]

/**
 * Splits a stretch into lines. The hash leaves out white space and a separator at the end, and takes both kinds of
 * quotes for one. It is made unit by unit: to make a string of each line takes five times as long.
 */
const linesOf = (text: string, { start, end }: Range): Array<Line> => {
  const lines: Array<Line> = []
  for (let at = start; at < end;) {
    const from = at
    let low = 0
    let high = 0
    let key = 0
    for (let unit = 0; unit !== FEED && at < end; at += 1) {
      unit = text.charCodeAt(at)
      if (unit <= SPACE) continue
      low = Math.imul(low ^ (unit === SINGLE_QUOTE ? DOUBLE_QUOTE : unit), 0x0100_0193) + 1
      high = Math.imul(high ^ low, 0x85eb_ca6b)
      if (!SEPARATORS.includes(unit)) key = (high >>> 11) * 2 ** 32 + (low >>> 0)
    }
    lines.push({ start: from, end: at, key })
  }
  return lines
}

/** Gives the index of each line by its key, in their order; -1 for a key that occurs more than once. */
const uniqueOf = (lines: Array<Line>): Map<number, number> => {
  const found = new Map<number, number>()
  for (const [index, { key }] of lines.entries()) found.set(key, found.has(key) ? -1 : index)
  return found
}

/** Picks the most pairs, in their order, whose second numbers rise as well: the longest increasing subsequence. */
const longestIncreasingSubsequence = (pairs: Array<[number, number]>): Array<[number, number]> => {
  const tails: Array<number> = []
  const previous: Array<number> = []
  for (const [index, [, value]] of pairs.entries()) {
    const low = firstIndexWhere(tails.length, (tail) => pairs[tails[tail]!]![1] >= value)
    previous.push(low > 0 ? tails[low - 1]! : -1)
    tails[low] = index
  }
  const run: Array<[number, number]> = []
  for (let index = tails.at(-1) ?? -1; index >= 0; index = previous[index]!) run.push(pairs[index]!)
  return run.reverse()
}

/** Finds the stretch around a token in which its counterpart must stand. */
export type Narrow = (token: Range) => Stretch

const shifted = ({ start, end }: Range, by: number): Range => ({ start: start + by, end: end + by })

/**
 * Aligns the lines of two texts by a patience diff. Anchors are the lines that occur once in both, but for white
 * space, quotes and separators, and that keep their order. A token's counterpart is to be looked for between the
 * anchors around it. The work is linear but for the longest increasing subsequence.
 */
export const alignLines = (before: string, after: string): Narrow => {
  const changed = changedStretch(before, after)
  const old = linesOf(before, changed.before)
  const now = linesOf(after, changed.after)
  const ofNow = uniqueOf(now)
  const pairs: Array<[number, number]> = []
  for (const [key, index] of uniqueOf(old)) {
    const other = ofNow.get(key) ?? -1
    if (index >= 0 && other >= 0 && key !== 0) pairs.push([index, other])
  }
  const anchors = longestIncreasingSubsequence(pairs)
  const firstFrom = (offset: number): number =>
    firstIndexWhere(anchors.length, (anchor) => old[anchors[anchor]![0]]!.start >= offset)
  return (token) => {
    if (token.end <= changed.before.start) return { before: token, after: token }
    if (token.start >= changed.before.end) {
      return { before: token, after: shifted(token, after.length - before.length) }
    }
    const right = firstFrom(token.end)
    const near = anchors[right - 1]
    // A token in an anchor is in that line now as well.
    const inLine = near !== undefined && old[near[0]]!.end > token.start
    const from = near
    const to = inLine ? near : anchors[right]
    return {
      before: {
        start: from ? old[from[0]]!.start : changed.before.start,
        end: to ? old[to[0]]!.end : changed.before.end,
      },
      after: {
        start: from ? now[from[1]]!.start : changed.after.start,
        end: to ? now[to[1]]!.end : changed.after.end,
      },
    }
  }
}

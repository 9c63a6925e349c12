import { commonEnds, type Range } from './range.ts'

/** A stretch of the text before formatting and its counterpart after it. */
export type Stretch = { before: Range; after: Range }

type Line = Range & { key: string }

/** The lines of a stretch, each with what formatters leave alone: no white space, one kind of quotes, no separator. */
const linesOf = (text: string, { start, end }: Range): Array<Line> => {
  const lines: Array<Line> = []
  for (let at = start; at < end;) {
    const feed = text.indexOf('\n', at)
    const next = feed < 0 || feed >= end ? end : feed + 1
    const key = text.slice(at, next).replace(/\s+/g, '').replaceAll("'", '"').replace(/[,;]$/, '')
    lines.push({ start: at, end: next, key })
    at = next
  }
  return lines
}

/** The lines whose key occurs once, by key. */
const uniqueOf = (lines: Array<Line>): Map<string, number> => {
  const found = new Map<string, number>()
  for (const [index, { key }] of lines.entries()) found.set(key, found.has(key) ? -1 : index)
  return found
}

/** The longest run of pairs whose second numbers rise as their first ones do. */
const longestRising = (pairs: Array<[number, number]>): Array<[number, number]> => {
  const tails: Array<number> = []
  const previous: Array<number> = []
  for (const [index, [, value]] of pairs.entries()) {
    let low = 0
    for (let high = tails.length; low < high;) {
      const middle = (low + high) >> 1
      if (pairs[tails[middle]!]![1] < value) low = middle + 1
      else high = middle
    }
    previous.push(low > 0 ? tails[low - 1]! : -1)
    tails[low] = index
  }
  const run: Array<[number, number]> = []
  for (let index = tails.at(-1) ?? -1; index >= 0; index = previous[index]!) run.push(pairs[index]!)
  return run.reverse()
}

/** What two texts do not share at their ends, widened to whole lines. */
const changedStretch = (before: string, after: string): Stretch => {
  const { prefix, suffix } = commonEnds(before, after)
  const start = before.lastIndexOf('\n', prefix - 1) + 1
  const lineEnd = before.indexOf('\n', before.length - suffix)
  const end = suffix === 0 || lineEnd < 0 ? before.length : lineEnd + 1
  return {
    before: { start: prefix === 0 ? 0 : start, end },
    after: { start: prefix === 0 ? 0 : start, end: end + after.length - before.length },
  }
}

/** Finds the stretch around a token in which its counterpart must stand. */
export type Narrow = (token: Range) => Stretch

const shifted = ({ start, end }: Range, by: number): Range => ({ start: start + by, end: end + by })

/**
 * Sets two texts side by side: lines that occur once in both, whatever their white space, quotes and separators,
 * and that keep their order, are anchors. A token's counterpart is to be sought between the anchors around it. The
 * work is linear but for finding the longest run in order.
 */
export const alignLines = (before: string, after: string): Narrow => {
  const changed = changedStretch(before, after)
  const old = linesOf(before, changed.before)
  const now = linesOf(after, changed.after)
  const ofNow = uniqueOf(now)
  const pairs: Array<[number, number]> = []
  for (const [key, index] of uniqueOf(old)) {
    const other = ofNow.get(key) ?? -1
    if (index >= 0 && other >= 0 && key !== '') pairs.push([index, other])
  }
  pairs.sort(([one], [other]) => one - other)
  const anchors = longestRising(pairs)
  const firstFrom = (offset: number): number => {
    const index = anchors.findIndex(([line]) => old[line]!.start >= offset)
    return index < 0 ? anchors.length : index
  }
  return (token) => {
    if (token.end <= changed.before.start) return { before: token, after: token }
    if (token.start >= changed.before.end) {
      return { before: token, after: shifted(token, after.length - before.length) }
    }
    const right = firstFrom(token.end)
    const near = anchors[right - 1]
    // A token in an anchor is found in that line; its neighbours in other lines are none that matter.
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

/**
 * Finds a range of a text again after a formatter has changed the text: `⟦b=2⟧` → `⟦b = 2;⟧`.
 * 1. Formatters leave the "bare" characters alone: all but whitespace, separators and round brackets. So the bare
 *    characters of the range (`b=2`) are found first.
 * 2. The range begins in the gap before its first bare character, and ends in the gap after its last one. In each gap,
 *    `gap.ts` lists the offsets that are possible.
 * 3. `chooseRange` picks a start and an end so that the range has as many open brackets as before the formatting.
 */
import { type ChangedRange, changedRange, type Span } from '../../text/changed-range.ts'
import { barePairOf, counterpartOf, gapBefore, shift } from './bare-pair.ts'
import { countBefore } from './bare-text.ts'
import { endsIn, type Gap, startsIn } from './gap.ts'

/** Finds a range of one text in another text; returns null if its place is uncertain. */
export type Realign = (range: Span) => Span | null

// The search blocks the host's only thread, so a longer changed stretch is not searched.
const MAX_CHANGED = 2_000_000
const UNCHANGED_LINES_AROUND = 3

/** Counts the round brackets open at the end of a text, and finds the lowest count at any place: `)(` → 0, -1. */
const openBrackets = (text: string): { atEnd: number; fewest: number } => {
  let [atEnd, fewest] = [0, 0]
  for (const bracket of text.match(/[()]/g) ?? []) {
    atEnd += bracket === '(' ? 1 : -1
    fewest = Math.min(fewest, atEnd)
  }
  return { atEnd, fewest }
}

/**
 * Chooses the first of these ranges that exists; null if none exists:
 * 1. a range in `likely` that has as many open brackets as `original`
 * 2. a range in `likely` that has fewer open brackets than `original`
 * 3. a range in `fallback` that has as many open brackets as `original`
 */
const chooseRange = (
  original: string,
  after: string,
  { likely, fallback }: { likely: Array<Span>; fallback: Array<Span> },
): Span | null => {
  const open = openBrackets(original)
  const openNow = ({ from, to }: Span) => openBrackets(after.slice(from, to))
  const hasAsManyOpen = (range: Span) => {
    const { atEnd, fewest } = openNow(range)
    return atEnd === open.atEnd && fewest >= open.fewest
  }
  // A formatter may remove a pair of brackets when only one of them is in the range: `⟦(a⟧ + b)` → `⟦a⟧ + b`.
  const hasFewerOpen = (range: Span) => Math.abs(openNow(range).atEnd) < Math.abs(open.atEnd)
  return likely.find(hasAsManyOpen) ?? likely.find(hasFewerOpen) ?? fallback.find(hasAsManyOpen) ?? null
}

/** Ends a range before a `\r\n` rather than within it. */
const outsideLineEnding = (text: string, { from, to }: Span): Span => ({
  from,
  to: to > from && text[to - 1] === '\r' && text[to] === '\n' ? to - 1 : to,
})

/** Creates the function that maps ranges within the changed stretch. */
const realignWithin = (before: string, after: string, stretch: ChangedRange): Realign => {
  const pair = barePairOf(before, after, stretch)
  const { old, now } = pair
  /**
   * Returns the gap that contains the offset `edge` of `before`. The first bare character after the gap has the index
   * `oldIndex` in `old`, and `nowIndex` in `now`.
   */
  const gapAround = (edge: number, oldIndex: number, nowIndex: number): Gap => {
    const { from, to } = gapBefore(old, oldIndex, stretch.before)
    const { from: offset, to: end } = gapBefore(now, nowIndex, stretch.after)
    const [left, right] = [before.slice(from, edge), before.slice(edge, to)]
    return { left, right, formatted: after.slice(offset, end), offset }
  }
  return ({ from, to }) => {
    const isEmpty = from === to
    const bare = { from: countBefore(old, from), to: countBefore(old, to) }
    // A range is found by its bare characters, so only an empty range may lack them.
    if (bare.from === bare.to && !isEmpty) return null
    const bareNow = counterpartOf(pair, bare)
    if (!bareNow || (bareNow.from === bareNow.to && !isEmpty)) return null

    const endGap = gapAround(to, bare.to, bareNow.to)
    const ends = endsIn(endGap)
    if (isEmpty) return { from: ends[0]!, to: ends[0]! }
    const starts = startsIn(gapAround(from, bare.from, bareNow.from))
    const rangesTo = (someEnds: Array<number>): Array<Span> =>
      starts.flatMap((start) => someEnds.map((end) => ({ from: start, to: end })))
    const chosen = chooseRange(before.slice(from, to), after, {
      likely: rangesTo(ends),
      // If a formatter moved a bracket up from the next line (`⟦a⟧\n)` → `⟦a⟧)`), all likely ends may be after this
      // bracket. The fallback ends before the bracket.
      fallback: rangesTo([endGap.offset + endGap.left.length]),
    })
    return chosen && outsideLineEnding(after, chosen)
  }
}

/**
 * Returns a function that maps ranges of `before` to `after`. A range maps to null if it was removed, is ambiguous, or
 * would take too long to find. A range that contains all changes maps to all text between its unchanged neighbours.
 */
export const realign = (before: string, after: string): Realign => {
  if (before === after) return (range) => range
  const lengthChange = after.length - before.length
  const stretch = changedRange(before, after, UNCHANGED_LINES_AROUND)
  const { before: oldStretch, after: newStretch, shared } = stretch
  const stretchLength = oldStretch.to - oldStretch.from + newStretch.to - newStretch.from
  let within: Realign | undefined
  return (range) => {
    const { from, to } = range
    const isAbove = to <= oldStretch.from
    if (isAbove) return range
    const isBelow = from >= oldStretch.to
    if (isBelow) return shift(range, lengthChange)
    const hasAllChanges = from <= shared.prefix && before.length - to <= shared.suffix
    // In `aaaa` → `aa`, the shared prefix `aa` and suffix `aa` overlap. The third letter alone then seems to contain
    // all changes, but two letters were removed, so the new end of this range would be before its start.
    const wouldEndBeforeStart = to + lengthChange < from
    if (hasAllChanges && !wouldEndBeforeStart) {
      return outsideLineEnding(after, { from, to: to + lengthChange })
    }

    if (stretchLength > MAX_CHANGED) return null
    within ??= realignWithin(before, after, stretch)
    const found = within({ from: Math.max(from, oldStretch.from), to: Math.min(to, oldStretch.to) })
    if (!found) return null
    // If a range extends beyond an edge of the stretch, `found` must reach that edge of the new stretch.
    const beginsAbove = from < oldStretch.from
    if (beginsAbove && found.from > newStretch.from) return null
    const endsBelow = to > oldStretch.to
    if (endsBelow && found.to < newStretch.to) return null
    return { from: beginsAbove ? from : found.from, to: endsBelow ? to + lengthChange : found.to }
  }
}

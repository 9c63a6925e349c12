/**
 * Finds a range of a text again after a formatter has changed the text: `⟦b=2⟧` → `⟦b = 2;⟧`.
 * 1. Finds the range's "bare" characters (`b=2`). Formatters leave them alone, unlike whitespace, separators and round
 *    brackets.
 * 2. Lists the offsets at which the range may begin and end in the gaps around its bare characters.
 * 3. Chooses a start and an end so that the range has as many open brackets as before the formatting.
 */
import { type ChangedRange, changedRange, type Span } from '../../text/changed-range.ts'
import { barePairOf, counterpartOf, gapBefore, shift } from './bare-pair.ts'
import { countBefore } from './bare-text.ts'

/** Returns null if the range's place is uncertain. */
export type Realign = (range: Span) => Span | null

// A search in a longer changed stretch would block the host's only thread.
const MAX_CHANGED = 2_000_000
const UNCHANGED_LINES_AROUND = 3

/**
 * The whitespace, separators and round brackets around an edge (start or end) of a range. Example: for the end of
 * `⟦a;⟧ b`, formatted as `a;\nb`, the gap is `{ left: ';', right: ' ', formatted: ';\n', offset: 1 }`.
 */
type Gap = { left: string; right: string; formatted: string; offset: number }

/** Lists the offsets in the formatted text at which a range may begin or end in a gap, the most likely one first. */
const edgesIn = ({ left, right, formatted, offset }: Gap) => {
  // An inserted separator or closing bracket belongs to the text before it: `⟦a⟧` → `⟦a;⟧`.
  const hadSome = /^[,;)]/.test(right)
  const insertedLength = hadSome ? 0 : /^[,;)]*/.exec(formatted.slice(left.length))![0].length
  const afterLeft = formatted.startsWith(left) ? [left.length + insertedLength] : []
  const beforeRight = formatted.endsWith(right) ? [formatted.length - right.length] : []
  // A formatter may have inserted a bracket at the start of the next line: `⟦a\n⟧b` → `⟦a;\n⟧(b)`.
  const afterLine = left.endsWith('\n') ? [formatted.lastIndexOf('\n') + 1] : []
  const beforeBare = formatted.length
  const beforeBrackets = formatted.length - formatted.trimStart().length
  // The formatter may have removed the range's own separator: `⟦a;⟧` → `⟦a⟧`.
  const afterBare = /^[,;]\s*$/.test(left) ? [0] : []
  const afterBrackets = formatted.trimEnd().length
  const starts = [...beforeRight, ...afterLeft, ...afterLine, beforeBare, beforeBrackets]
  const ends = [...afterLeft, ...beforeRight, ...afterLine, ...afterBare, afterBrackets]
  const inText = (edge: number) => offset + edge
  return { starts: starts.map(inText), ends: ends.map(inText) }
}

const openBrackets = (text: string): { atEnd: number; fewest: number } => {
  let [atEnd, fewest] = [0, 0]
  for (const bracket of text.match(/[()]/g) ?? []) {
    atEnd += bracket === '(' ? 1 : -1
    fewest = Math.min(fewest, atEnd)
  }
  return { atEnd, fewest }
}

const chooseRange = (
  original: string,
  after: string,
  likely: Array<Span>,
  fallback: Array<Span>,
): Span | null => {
  const open = openBrackets(original)
  const openNow = ({ from, to }: Span) => openBrackets(after.slice(from, to))
  const hasAsManyOpen = (range: Span) => {
    const { atEnd, fewest } = openNow(range)
    return atEnd === open.atEnd && fewest >= open.fewest
  }
  // The formatter may have removed a pair of brackets of which the range had only one: `⟦(a⟧ + b)` → `⟦a⟧ + b`.
  const hasFewerOpen = (range: Span) => Math.abs(openNow(range).atEnd) < Math.abs(open.atEnd)
  return likely.find(hasAsManyOpen) ?? likely.find(hasFewerOpen) ?? fallback.find(hasAsManyOpen) ?? null
}

const outsideLineEnding = (text: string, { from, to }: Span): Span => ({
  from,
  to: to > from && text[to - 1] === '\r' && text[to] === '\n' ? to - 1 : to,
})

const realignWithin = (before: string, after: string, stretch: ChangedRange): Realign => {
  const pair = barePairOf(before, after, stretch)
  const { old, now } = pair
  const gapAround = (edge: number, oldIndex: number, nowIndex: number): Gap => {
    const { from, to } = gapBefore(old, oldIndex, stretch.before)
    const { from: offset, to: end } = gapBefore(now, nowIndex, stretch.after)
    const [left, right] = [before.slice(from, edge), before.slice(edge, to)]
    return { left, right, formatted: after.slice(offset, end), offset }
  }
  return ({ from, to }) => {
    const isEmpty = from === to
    const bare = { from: countBefore(old, from), to: countBefore(old, to) }
    if (bare.from === bare.to && !isEmpty) return null
    const bareNow = counterpartOf(pair, bare)
    if (!bareNow || (bareNow.from === bareNow.to && !isEmpty)) return null

    const endGap = gapAround(to, bare.to, bareNow.to)
    const { ends } = edgesIn(endGap)
    if (isEmpty) return { from: ends[0]!, to: ends[0]! }
    const { starts } = edgesIn(gapAround(from, bare.from, bareNow.from))
    const rangesTo = (someEnds: Array<number>): Array<Span> =>
      starts.flatMap((start) => someEnds.map((end) => ({ from: start, to: end })))
    // Ends the range before a bracket that the formatter moved up from the next line: `⟦a⟧\n)` → `⟦a⟧)`.
    const fallback = rangesTo([endGap.offset + endGap.left.length])
    const chosen = chooseRange(before.slice(from, to), after, rangesTo(ends), fallback)
    return chosen && outsideLineEnding(after, chosen)
  }
}

/** Returns a function that maps ranges of `before` to `after`. */
export const realign = (before: string, after: string): Realign => {
  if (before === after) return (range) => range
  const lengthChange = after.length - before.length
  const stretch = changedRange(before, after, UNCHANGED_LINES_AROUND)
  const { before: oldStretch, after: newStretch, shared } = stretch
  const stretchLength = oldStretch.to - oldStretch.from + newStretch.to - newStretch.from
  let within: Realign | undefined
  return (range) => {
    const { from, to } = range
    if (to <= oldStretch.from) return range
    if (from >= oldStretch.to) return shift(range, lengthChange)
    const hasAllChanges = from <= shared.prefix && before.length - to <= shared.suffix
    // In `aa⟦a⟧a` → `aa`, prefix and suffix overlap: `hasAllChanges` holds, but the range is shorter than the removed text.
    const wouldEndBeforeStart = to + lengthChange < from
    if (hasAllChanges && !wouldEndBeforeStart) {
      return outsideLineEnding(after, { from, to: to + lengthChange })
    }

    if (stretchLength > MAX_CHANGED) return null
    within ??= realignWithin(before, after, stretch)
    const found = within({ from: Math.max(from, oldStretch.from), to: Math.min(to, oldStretch.to) })
    if (!found) return null
    // If a range extends beyond an edge of the old stretch, `found` must reach the same edge of the new stretch.
    const beginsAbove = from < oldStretch.from
    if (beginsAbove && found.from > newStretch.from) return null
    const endsBelow = to > oldStretch.to
    if (endsBelow && found.to < newStretch.to) return null
    return { from: beginsAbove ? from : found.from, to: endsBelow ? to + lengthChange : found.to }
  }
}

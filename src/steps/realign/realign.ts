/**
 * Finds a range of a text again after a formatter has changed the text: `⟦b=2⟧` → `⟦b = 2;⟧`. First finds the "bare"
 * characters of the range, those that formatters leave alone: all but whitespace, separators and round brackets. The
 * range may begin at several offsets in the gap before its first bare character, and end at several in the gap after
 * its last. Chooses a start and an end between which as many brackets stay open as before.
 */
import {
  type ChangedRange,
  changedRange,
  commonPrefixLength,
  commonSuffixLength,
  type Span,
} from '../../text/changed-range.ts'
import { type BareText, bareTextOf, countBefore, onlyIndexOf } from './bare-text.ts'

/** Maps a range of one text to another text; null if that is not certain. */
export type Realign = (range: Span) => Span | null

// The search runs on the host's only thread: a longer changed stretch is not searched.
const MAX_CHANGED = 2_000_000
const UNCHANGED_LINES_AROUND = 3

// How many bare characters on each side are added to a range, step by step, until it occurs only once.
const CONTEXTS = [0, 8, 20, 80]
const MIN_SEARCH_LENGTH = 3

const shift = ({ from, to }: Span, by: number): Span => ({ from: from + by, to: to + by })

/** The bare characters of the changed stretch in both texts, and how many they share at the start and at the end. */
type BarePair = { old: BareText; now: BareText; prefix: number; suffix: number }

const barePairOf = (before: string, after: string, stretch: ChangedRange): BarePair => {
  const [old, now] = [bareTextOf(before, stretch.before), bareTextOf(after, stretch.after)]
  const prefix = commonPrefixLength(old.text, now.text)
  const maxSuffix = Math.min(old.text.length, now.text.length) - prefix
  return { old, now, prefix, suffix: Math.min(commonSuffixLength(old.text, now.text), maxSuffix) }
}

/** Maps bare characters that occur exactly once in each text, if need be together with characters around them. */
const findOnce = ({ old, now }: BarePair, bare: Span): Span | null => {
  for (const context of CONTEXTS) {
    const start = Math.max(0, bare.from - context)
    const words = old.text.slice(start, bare.to + context)
    if (words.length < MIN_SEARCH_LENGTH || onlyIndexOf(old.text, words) < 0) continue
    const at = onlyIndexOf(now.text, words)
    if (at >= 0) return shift(bare, at - start)
  }
  return null
}

/** Maps a range of bare characters: by its position if it is before, after or around all changes; else by a search. */
const counterpartOf = (pair: BarePair, bare: Span): Span | null => {
  const { old, now, prefix, suffix } = pair
  const lengthChange = now.text.length - old.text.length
  const changesEnd = old.text.length - suffix
  if (bare.to <= prefix) return bare
  if (bare.from >= changesEnd) return shift(bare, lengthChange)
  if (bare.from <= prefix && bare.to >= changesEnd) return { from: bare.from, to: bare.to + lengthChange }
  return findOnce(pair, bare)
}

/**
 * The text between two neighbouring bare characters, in which an edge (the start or the end) of a range lies. In the
 * old text, `left` is before the edge, and `right` after it. In the formatted text, the gap is `formatted`, and begins
 * at `offset`. Example: at the end of `⟦a;⟧ b`, which became `a;\nb`, `left` is `;`, `right` is a space, `formatted` is
 * `;\n`, and `offset` is 1.
 */
type Gap = { left: string; right: string; formatted: string; offset: number }

/** Lists the offsets in `formatted` at which the edge may be. A list is empty if its case does not apply. */
const edgesOf = ({ left, right, formatted }: Gap) => {
  // Separators and closing brackets that a formatter inserted belong to the text before them: `⟦a⟧` → `⟦a;⟧`.
  const insertedLength = /^[,;)]/.test(right) ? 0 : /^[,;)]*/.exec(formatted.slice(left.length))![0].length
  return {
    afterLeft: formatted.startsWith(left) ? [left.length + insertedLength] : [],
    beforeRight: formatted.endsWith(right) ? [formatted.length - right.length] : [],
    // A formatter may have inserted a bracket at the start of the next line: `⟦a\n⟧b` → `⟦a;\n⟧(b)`.
    afterLine: left.endsWith('\n') ? [formatted.lastIndexOf('\n') + 1] : [],
  }
}

/** Lists the offsets in the formatted text at which a range may begin in a gap, the most likely one first. */
const startsIn = (gap: Gap): Array<number> => {
  const { formatted, offset } = gap
  const { afterLeft, beforeRight, afterLine } = edgesOf(gap)
  const beforeBare = formatted.length
  const beforeBrackets = formatted.length - formatted.trimStart().length
  return [...beforeRight, ...afterLeft, ...afterLine, beforeBare, beforeBrackets].map((edge) => offset + edge)
}

/** Lists the offsets in the formatted text at which a range may end in a gap, the most likely one first. */
const endsIn = (gap: Gap): Array<number> => {
  const { left, formatted, offset } = gap
  const { afterLeft, beforeRight, afterLine } = edgesOf(gap)
  // The formatter may have removed the range's own separator: `⟦a;⟧` → `⟦a⟧`.
  const afterBare = /^[,;]\s*$/.test(left) ? [0] : []
  const afterBrackets = formatted.trimEnd().length
  const edges = [...afterLeft, ...beforeRight, ...afterLine, ...afterBare, afterBrackets]
  return edges.map((edge) => offset + edge)
}

/** Counts the round brackets that are open at the end of a text, and the fewest at any place in it: `)(` → 0, -1. */
const openBrackets = (text: string): { atEnd: number; fewest: number } => {
  let [atEnd, fewest] = [0, 0]
  for (const bracket of text.match(/[()]/g) ?? []) {
    atEnd += bracket === '(' ? 1 : -1
    fewest = Math.min(fewest, atEnd)
  }
  return { atEnd, fewest }
}

/**
 * Chooses the first likely range with as many open brackets as before; else the first likely one with fewer; else the
 * first fallback with as many.
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

/** Creates the function that finds ranges again which lie within the changed stretch. */
const realignWithin = (before: string, after: string, stretch: ChangedRange): Realign => {
  const pair = barePairOf(before, after, stretch)
  const { old, now } = pair
  /** Returns the gap around an edge. It ends at a bare character: `bareIndex` in the old text, now `bareIndexNow`. */
  const gapWith = (edge: number, bareIndex: number, bareIndexNow: number): Gap => {
    const start = bareIndex > 0 ? old.at[bareIndex - 1]! + 1 : stretch.before.from
    const end = old.at[bareIndex] ?? stretch.before.to
    const offset = bareIndexNow > 0 ? now.at[bareIndexNow - 1]! + 1 : stretch.after.from
    const endNow = now.at[bareIndexNow] ?? stretch.after.to
    const [left, right] = [before.slice(start, edge), before.slice(edge, end)]
    return { left, right, formatted: after.slice(offset, endNow), offset }
  }
  return ({ from, to }) => {
    const isEmpty = from === to
    const bare = { from: countBefore(old, from), to: countBefore(old, to) }
    // A range is found by its bare characters; only an empty range may have none.
    if (bare.from === bare.to && !isEmpty) return null
    const bareNow = counterpartOf(pair, bare)
    if (!bareNow || (bareNow.from === bareNow.to && !isEmpty)) return null

    const endGap = gapWith(to, bare.to, bareNow.to)
    const ends = endsIn(endGap)
    if (isEmpty) return { from: ends[0]!, to: ends[0]! }
    const starts = startsIn(gapWith(from, bare.from, bareNow.from))
    const rangesTo = (someEnds: Array<number>): Array<Span> =>
      starts.flatMap((start) => someEnds.map((end) => ({ from: start, to: end })))
    const chosen = chooseRange(before.slice(from, to), after, {
      likely: rangesTo(ends),
      // All likely ends may be after a bracket that only moved up from the next line: `⟦a⟧\n)` → `⟦a⟧)`.
      fallback: rangesTo([endGap.offset + endGap.left.length]),
    })
    return chosen && outsideLineEnding(after, chosen)
  }
}

/**
 * Returns a function that maps a range of a text to the formatted text: to null if the range was removed, is ambiguous,
 * or would take too long to find. A range with all changes in it maps to all text between its unchanged neighbours.
 */
export const realign = (before: string, after: string): Realign => {
  if (before === after) return (range) => range
  const lengthChange = after.length - before.length
  const stretch = changedRange(before, after, UNCHANGED_LINES_AROUND)
  const { before: stretchBefore, after: stretchAfter, shared } = stretch
  const stretchLength = stretchBefore.to - stretchBefore.from + stretchAfter.to - stretchAfter.from
  let within: Realign | undefined
  return (range) => {
    const { from, to } = range
    if (to <= stretchBefore.from) return range
    if (from >= stretchBefore.to) return shift(range, lengthChange)
    // If the shared prefix and suffix overlap (`aaaa` → `aa`), a range may be shorter than the removed text, and `to`
    // would get smaller than `from`.
    const hasAllChanges = from <= shared.prefix && before.length - to <= shared.suffix
      && to + lengthChange >= from
    if (hasAllChanges) return outsideLineEnding(after, { from, to: to + lengthChange })

    if (stretchLength > MAX_CHANGED) return null
    within ??= realignWithin(before, after, stretch)
    const beginsAbove = from < stretchBefore.from
    const endsBelow = to > stretchBefore.to
    const found = within({ from: Math.max(from, stretchBefore.from), to: Math.min(to, stretchBefore.to) })
    if (!found) return null
    // A range that begins above the stretch must reach the top of the new stretch; one that ends below, the bottom.
    if (beginsAbove && found.from > stretchAfter.from) return null
    if (endsBelow && found.to < stretchAfter.to) return null
    return { from: beginsAbove ? from : found.from, to: endsBelow ? to + lengthChange : found.to }
  }
}

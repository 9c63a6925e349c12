/** Finds a range of a text again after a formatter has changed the text. */
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

// How many bare characters around a range are added to it, step by step, until it occurs only once.
const CONTEXTS = [0, 8, 20, 80]
// The minimum number of bare characters that are searched for.
const MIN_SEARCH = 3
// The changed stretch includes this many unchanged lines on both sides.
const STRETCH_LINES = 3

/** The bare characters of the changed stretch of two texts, and how many they share at the start and at the end. */
type Pair = { old: BareText; now: BareText; prefix: number; suffix: number }

const shift = ({ from, to }: Span, by: number): Span => ({ from: from + by, to: to + by })

const pairOf = (before: string, after: string, stretch: ChangedRange): Pair => {
  const [old, now] = [bareTextOf(before, stretch.before), bareTextOf(after, stretch.after)]
  const prefix = commonPrefixLength(old.text, now.text)
  const maxSuffix = Math.min(old.text.length, now.text.length) - prefix
  return { old, now, prefix, suffix: Math.min(commonSuffixLength(old.text, now.text), maxSuffix) }
}

/** Finds a range of bare characters that occurs only once in both texts, if need be with characters around it. */
const findOnce = ({ old, now }: Pair, bare: Span): Span | null => {
  for (const context of CONTEXTS) {
    const start = Math.max(0, bare.from - context)
    const words = old.text.slice(start, bare.to + context)
    if (words.length < MIN_SEARCH || onlyIndexOf(old.text, words) < 0) continue
    const at = onlyIndexOf(now.text, words)
    if (at >= 0) return shift(bare, at - start)
  }
  return null
}

/** Maps a range of bare characters: before all changes, after all changes, around all of them, or else by search. */
const counterpartOf = (pair: Pair, bare: Span): Span | null => {
  const { old, now, prefix, suffix } = pair
  const grown = now.text.length - old.text.length
  const changesEnd = old.text.length - suffix
  if (bare.to <= prefix) return bare
  if (bare.from >= changesEnd) return shift(bare, grown)
  if (bare.from <= prefix && bare.to >= changesEnd) return { from: bare.from, to: bare.to + grown }
  return findOnce(pair, bare)
}

/**
 * The characters between two neighbouring bare ones, where a range has an edge: `left` and `right` of the edge. `now`
 * is what the formatted text has there, at `offset`.
 */
type Gap = { left: string; right: string; now: string; offset: number }

/** Lists the offsets in the formatted gap, `now`, at which the edge of a range may be, the most likely first. */
const splitsOf = ({ left, right, now }: Gap, edge: 'start' | 'end'): Array<number> => {
  // Separators and closing brackets that a formatter inserted belong to the text before them.
  const inserted = /^[,;)]/.test(right) ? 0 : /^[,;)]*/.exec(now.slice(left.length))![0].length
  const afterLeft = now.startsWith(left) ? [left.length + inserted] : []
  const beforeRight = now.endsWith(right) ? [now.length - right.length] : []
  // A formatter may have inserted a bracket at the start of the next line.
  const afterLine = left.endsWith('\n') ? [now.lastIndexOf('\n') + 1] : []
  if (edge === 'start') {
    return [...beforeRight, ...afterLeft, ...afterLine, now.length, now.length - now.trimStart().length]
  }
  // The formatter may have removed the range's own separator.
  const removed = /^[,;]\s*$/.test(left) ? [0] : []
  return [...afterLeft, ...beforeRight, ...afterLine, ...removed, now.trimEnd().length]
}

/** How many round brackets are open at the end of a text, and the lowest such number in it; can be negative. */
type Open = { atEnd: number; fewest: number }

const openBrackets = (text: string): Open => {
  let [atEnd, fewest] = [0, 0]
  for (const bracket of text.match(/[()]/g) ?? []) {
    atEnd += bracket === '(' ? 1 : -1
    fewest = Math.min(fewest, atEnd)
  }
  return { atEnd, fewest }
}

/**
 * Chooses a range of the formatted text in which as many brackets are open as in the original range; null if there is
 * none.
 *
 * @param likely possible ranges, the most likely first
 * @param further ranges that may be right if none of these is
 */
const chooseRange = (
  original: string,
  after: string,
  { likely, further }: { likely: Array<Span>; further: Array<Span> },
): Span | null => {
  const open = openBrackets(original)
  const openNow = ({ from, to }: Span) => openBrackets(after.slice(from, to))
  const isAsOpen = (range: Span) => {
    const { atEnd, fewest } = openNow(range)
    return atEnd === open.atEnd && fewest >= open.fewest
  }
  // A formatter may remove a pair of brackets when only one of them is in the range.
  const isLessOpen = (range: Span) => Math.abs(openNow(range).atEnd) < Math.abs(open.atEnd)
  return likely.find(isAsOpen) ?? likely.find(isLessOpen) ?? further.find(isAsOpen) ?? null
}

/** Ends a range before a `\r\n` rather than within it. */
const outsideLineEnding = (text: string, { from, to }: Span): Span => ({
  from,
  to: to > from && text[to - 1] === '\r' && text[to] === '\n' ? to - 1 : to,
})

/** Returns a function that maps ranges within a changed stretch. */
const realignWithin = (before: string, after: string, stretch: ChangedRange): Realign => {
  const pair = pairOf(before, after, stretch)
  const { old, now } = pair
  /** Returns the gap before a bare character, by its index in the old text and its index in the formatted text. */
  const gapAt = (index: number, edge: number, indexNow: number): Gap => {
    const start = index > 0 ? old.at[index - 1]! + 1 : stretch.before.from
    const offset = indexNow > 0 ? now.at[indexNow - 1]! + 1 : stretch.after.from
    return {
      left: before.slice(start, edge),
      right: before.slice(edge, old.at[index] ?? stretch.before.to),
      now: after.slice(offset, now.at[indexNow] ?? stretch.after.to),
      offset,
    }
  }
  return ({ from: start, to: end }) => {
    const bare = { from: countBefore(old, start), to: countBefore(old, end) }
    const isEmpty = start === end
    if (bare.from === bare.to && !isEmpty) return null
    const bareNow = counterpartOf(pair, bare)
    if (!bareNow || (bareNow.from === bareNow.to && !isEmpty)) return null
    const tail = gapAt(bare.to, end, bareNow.to)
    if (isEmpty) {
      const at = tail.offset + splitsOf(tail, 'end')[0]!
      return { from: at, to: at }
    }
    const head = gapAt(bare.from, start, bareNow.from)
    const starts = splitsOf(head, 'start').map((split) => head.offset + split)
    const rangesTo = (splits: Array<number>): Array<Span> =>
      starts.flatMap((from) => splits.map((split) => ({ from, to: tail.offset + split })))
    const chosen = chooseRange(before.slice(start, end), after, {
      likely: rangesTo(splitsOf(tail, 'end')),
      // The bracket that closes others may have been on the next line.
      further: rangesTo([tail.left.length]),
    })
    return chosen && outsideLineEnding(after, chosen)
  }
}

/**
 * Returns a function that maps a range of a text to the formatted text, such as `b=2` in `a=1\nb=2` to `b = 2;` in `a =
 * 1;\nb = 2;`. It compares the "bare" characters, which formatters leave alone: all but whitespace, separators and
 * round brackets. If the text on both sides of the range did not change, the range is the text between them. The
 * function returns null if the range was removed, is ambiguous, or would take too long to find.
 */
export const realign = (before: string, after: string): Realign => {
  if (before === after) return (range) => range
  const grown = after.length - before.length
  const stretch = changedRange(before, after, STRETCH_LINES)
  const { before: old, after: now, shared } = stretch
  let within: Realign | undefined
  return (range) => {
    const { from, to } = range
    if (to <= old.from) return range
    if (from >= old.to) return shift(range, grown)
    const isBetween = from <= shared.prefix && before.length - to <= shared.suffix && to + grown >= from
    if (isBetween) return outsideLineEnding(after, { from, to: to + grown })
    if (old.to - old.from + now.to - now.from > MAX_CHANGED) return null
    within ??= realignWithin(before, after, stretch)
    const inStretch = within({ from: Math.max(from, old.from), to: Math.min(to, old.to) })
    if (!inStretch) return null
    // An edge outside the changed stretch must stay outside.
    if ((from < old.from && inStretch.from > now.from) || (to > old.to && inStretch.to < now.to)) return null
    return { from: from < old.from ? from : inStretch.from, to: to > old.to ? to + grown : inStretch.to }
  }
}

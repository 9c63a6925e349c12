import { diffArrays } from 'diff'
import { absorbBrackets, type End } from './absorb-brackets.ts'
import { alignLines, type Narrow } from './patience-diff.ts'
import { betweenStable, changedStretch, outsideLineEnd, type Range, type Stretch } from './range.ts'
import { findOnce } from './same-words.ts'
import { closes, opens, separates, type Token, tokenize, wordCounts } from './tokens.ts'
import { withSpace } from './white-space.ts'

// The host waits for this, every session of it: 50 ms is the bound for all of it. A stretch without anchors that is
// longer or shares less, a text of more than that to look through, or more changed lines are given up.
const MAX_STRETCH = 40_000
const MAX_EDIT_LENGTH = 800
const MAX_TEXT = 150_000
const MAX_CHANGED = 2_500_000

const lengthOf = ({ before, after }: Stretch): number => before.end - before.start + after.end - after.start

/** The tokens of a stretch on both sides; `pairOf[i]` is the place of `before[i]` in `after`, or -1. */
type Alignment = { before: Array<Token>; after: Array<Token>; pairOf: Array<number> }

const alignTokens = (before: string, after: string, stretch: Stretch): Alignment | null => {
  if (lengthOf(stretch) > MAX_STRETCH) return null
  const old = tokenize(before, stretch.before.start, stretch.before.end)
  const now = tokenize(after, stretch.after.start, stretch.after.end)
  const changes = diffArrays(old.map(({ key }) => key), now.map(({ key }) => key), {
    maxEditLength: MAX_EDIT_LENGTH,
  })
  if (!changes) return null
  const pairOf: Array<number> = []
  let at = 0
  for (const { added, removed, count } of changes) {
    if (added) at += count
    else {
      for (let index = 0; index < count; index += 1) pairOf.push(removed ? -1 : at + index)
      if (!removed) at += count
    }
  }
  return { before: old, after: now, pairOf }
}

/** Where the range's first token stands after formatting; null where that cannot be told. */
const startOf = ({ before, after, pairOf }: Alignment, { start, end }: Range): End | null => {
  const first = before.findIndex((token) => token.end > start)
  const last = before.findLastIndex((token) => token.start < end)
  const outer = first > 0 ? pairOf[first - 1]! : -1
  if (first > 0 && outer < 0 && pairOf[first]! < 0) return null
  const pair = pairOf[first]!
  if (pair >= 0) {
    const cut = Math.max(0, start - before[first]!.start)
    const beside = outer >= 0 || first === 0 ? after.slice(outer + 1, pair) : []
    return { offset: after[pair]!.start + cut, beside: cut > 0 ? [] : beside }
  }
  if (before[first]!.start < start) return null
  // The first words were replaced: what came in their place begins behind the neighbour outside.
  const next = pairOf.findIndex((index, place) => place > first && place <= last && index >= 0)
  if (next < 0) return null
  const came = after.slice(outer + 1, pairOf[next]!).filter((token) => !closes(token) && !separates(token))
  return { offset: (came[0] ?? after[pairOf[next]!]!).start, beside: [] }
}

/** Where the range's last token ends after formatting; null where that cannot be told. */
const endOf = ({ before, after, pairOf }: Alignment, { start, end }: Range): End | null => {
  const first = before.findIndex((token) => token.end > start)
  const last = before.findLastIndex((token) => token.start < end)
  const isOutermost = last === before.length - 1
  const outer = isOutermost ? after.length : pairOf[last + 1]!
  const pair = pairOf[last]!
  if (outer < 0 && pair < 0) return null
  if (pair >= 0) {
    const cut = Math.max(0, before[last]!.end - end)
    const beside = outer >= 0 ? after.slice(pair + 1, outer) : []
    return { offset: after[pair]!.end - cut, beside: cut > 0 ? [] : beside }
  }
  if (before[last]!.end > end) return null
  const previous = pairOf.findLastIndex((index, place) => place < last && place >= first && index >= 0)
  if (previous < 0) return null
  const came = after.slice(pairOf[previous]! + 1, outer).filter((token) => !opens(token))
  return { offset: (came.at(-1) ?? after[pairOf[previous]!]!).end, beside: [] }
}

const surplus = (counts: Map<string, number>, than: Map<string, number>): Array<string> =>
  [...counts].filter(([word, count]) => count > (than.get(word) ?? 0)).map(([word]) => word)

/** Whether words seem to have crossed the range's border, as they do where a formatter sorts lines. */
const wordsCross = (before: string, after: string, old: Range, now: Range): boolean => {
  const inside = wordCounts(tokenize(before, old.start, old.end))
  const insideNow = wordCounts(tokenize(after, now.start, now.end))
  const came = surplus(insideNow, inside)
  const went = surplus(inside, insideNow)
  if (came.length + went.length === 0) return false
  if (before.length + after.length > MAX_TEXT) return true
  const all = wordCounts(tokenize(before, 0, before.length))
  const allNow = wordCounts(tokenize(after, 0, after.length))
  const outside = (word: string) => (all.get(word) ?? 0) - (inside.get(word) ?? 0)
  const outsideNow = (word: string) => (allNow.get(word) ?? 0) - (insideNow.get(word) ?? 0)
  return came.some((word) => outsideNow(word) < outside(word))
    || went.some((word) => outsideNow(word) > outside(word))
}

const between = (
  before: string,
  after: string,
  words: Range,
  first: Stretch,
  last: Stretch,
): Range | null => {
  const alignment = alignTokens(before, after, first)
  const same = first.before.start === last.before.start && first.before.end === last.before.end
  const alignmentOfLast = same ? alignment : alignTokens(before, after, last)
  const from = alignment && startOf(alignment, words)
  const to = alignmentOfLast && endOf(alignmentOfLast, words)
  if (!from || !to || from.offset >= to.offset) return null
  const taken = absorbBrackets(before, after, words, from, to)
  return taken && !wordsCross(before, after, words, taken) ? taken : null
}

const inPlace = (before: string, after: string, words: Range, narrow: Narrow): Range | null => {
  const tokens = tokenize(before, words.start, words.end)
  return between(before, after, words, narrow(tokens[0]!), narrow(tokens.at(-1)!))
}

/** The counterpart of words whose lines stand elsewhere now. */
const inMovedLines = (before: string, after: string, words: Range): Range | null => {
  const feed = before.indexOf('\n', words.end)
  const lines = {
    start: before.lastIndexOf('\n', words.start - 1) + 1,
    end: feed < 0 ? before.length : feed,
  }
  const moved = findOnce(before, after, lines)
  if (!moved) return null
  const stretch = { before: lines, after: moved }
  return between(before, after, words, stretch, stretch)
}

/** The words in a pair of round brackets, which a formatter may drop; null where they are in none. */
const unwrapped = (text: string, words: Range): Range | null => {
  const tokens = tokenize(text, words.start, words.end)
  const inner = tokens.slice(1, -1)
  const isWrapped = tokens[0]!.key === '(' && tokens.at(-1)!.key === ')' && inner.length > 0
  return isWrapped ? { start: inner[0]!.start, end: inner.at(-1)!.end } : null
}

/** The counterparts of ranges of one text in another; made once a pair of texts. */
export type Realign = (range: Range) => Range | null

/**
 * Finds, in a text after formatting, what a range of the text before it has become (format-on-save.md, Stable Range
 * Extraction). Where the text on both sides is as it was, it is what stands between them.
 *
 * Elsewhere the range's first and last word are carried over by a diff of the words around them, so that white space, quotes,
 * separators and brackets may change anywhere. Signs that were put in beside the range and belong to it are taken
 * in. Null where an end's words are gone, where the texts are too long to look through in the time of a session,
 * or where words seem to have come in or gone out: it never guesses.
 */
export const realign = (before: string, after: string): Realign => {
  let narrow: Narrow | undefined
  const isShort = before.length + after.length <= MAX_TEXT
  const isTooLong = !isShort && lengthOf(changedStretch(before, after)) > MAX_CHANGED
  return (range) => {
    if (before === after) return range
    const stable = betweenStable(before, after, range)
    if (stable) return stable
    const text = before.slice(range.start, range.end)
    const words = {
      start: range.end - text.trimStart().length,
      end: range.start + text.trimEnd().length,
    }
    if (words.start >= words.end || isTooLong || words.end - words.start > MAX_STRETCH) return null
    narrow ??= alignLines(before, after)
    const align = narrow
    const find = (sought: Range): Range | null =>
      inPlace(before, after, sought, align) ?? (isShort ? inMovedLines(before, after, sought) : null)
        ?? (isShort ? findOnce(before, after, sought) : null)
    const inner = unwrapped(before, words)
    const found = find(words) ?? (inner && find(inner))
    return found && outsideLineEnd(after, withSpace(before, after, range, words, found))
  }
}

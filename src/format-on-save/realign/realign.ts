import {
  changedStretch,
  commonPrefix,
  commonSuffix,
  lineStart,
  type Range,
  type Stretch,
} from '../../text/changed-stretch.ts'
import { absorbBrackets, type End } from './absorb-brackets.ts'
import { firstIndexWhere } from './binary-search.ts'
import { alignLines, type Narrow } from './patience-diff.ts'
import { betweenStable, outsideLineEnd } from './range.ts'
import { findOnce } from './same-words.ts'
import { type Alignment, TextPair } from './text-pair.ts'
import { closes, opens, separates, type Token, tokenCounts, tokenize } from './tokens.ts'
import { withSpace } from './white-space.ts'

// In longer texts, words are not looked for elsewhere; where more than this changed, lines are not aligned.
const MAX_TEXT = 150_000
const MAX_CHANGED = 2_500_000

/** Finds the first and the last token that a range touches. */
const endsIn = (tokens: Array<Token>, { start, end }: Range): { first: number; last: number } => ({
  first: firstIndexWhere(tokens.length, (index) => tokens[index]!.end > start),
  last: firstIndexWhere(tokens.length, (index) => tokens[index]!.start >= end) - 1,
})

/** Finds where a range starts after formatting; null where that cannot be told. */
const startOf = ({ before, after, pairOf }: Alignment, range: Range): End | null => {
  const { start } = range
  const { first, last } = endsIn(before, range)
  const outer = first > 0 ? pairOf[first - 1]! : -1
  if (first > 0 && outer < 0 && pairOf[first]! < 0) return null
  const pair = pairOf[first]!
  if (pair >= 0) {
    const cut = Math.max(0, start - before[first]!.start)
    const beside = outer >= 0 || first === 0 ? after.slice(outer + 1, pair) : []
    return { offset: after[pair]!.start + cut, beside: cut > 0 ? [] : beside }
  }
  if (before[first]!.start < start) return null
  // The first words were replaced: the new ones start behind the counterpart of the token before the range.
  const next = pairOf.slice(first + 1, last + 1).find((place) => place >= 0)
  if (next === undefined) return null
  const came = after.slice(outer + 1, next).filter((token) => !closes(token) && !separates(token))
  return { offset: (came[0] ?? after[next]!).start, beside: [] }
}

/** Finds where a range ends after formatting; null where that cannot be told. */
const endOf = ({ before, after, pairOf }: Alignment, range: Range): End | null => {
  const { end } = range
  const { first, last } = endsIn(before, range)
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
  const previous = pairOf.slice(first, last).findLast((place) => place >= 0)
  if (previous === undefined) return null
  const came = after.slice(previous + 1, outer).filter((token) => !opens(token))
  return { offset: (came.at(-1) ?? after[previous]!).end, beside: [] }
}

const surplus = (counts: Map<string, number>, than: Map<string, number>): Array<string> =>
  [...counts].filter(([word, count]) => count > (than.get(word) ?? 0)).map(([word]) => word)

/**
 * Whether words or signs seem to have crossed the range's border, as they do where a formatter sorts lines or lets a
 * comment jump over a separator.
 */
const tokensCross = (texts: TextPair, old: Range, now: Range): boolean => {
  const { before, after } = texts
  const inside = tokenCounts(tokenize(before, old.start, old.end))
  const insideNow = tokenCounts(tokenize(after, now.start, now.end))
  const came = surplus(insideNow, inside)
  const went = surplus(inside, insideNow)
  if (came.length + went.length === 0) return false
  if (before.length + after.length > MAX_TEXT) return true
  const all = texts.tokenCounts()
  const outside = (word: string) => (all.old.get(word) ?? 0) - (inside.get(word) ?? 0)
  const outsideNow = (word: string) => (all.now.get(word) ?? 0) - (insideNow.get(word) ?? 0)
  return came.some((word) => outsideNow(word) < outside(word))
    || went.some((word) => outsideNow(word) > outside(word))
}

/** Finds the counterpart of words whose first token is to be looked for in one stretch and whose last in another. */
const between = (texts: TextPair, words: Range, first: Stretch, last: Stretch): Range | null => {
  const [alignment, alignmentOfLast] = [texts.align(first), texts.align(last)]
  const from = alignment && startOf(alignment, words)
  const to = alignmentOfLast && endOf(alignmentOfLast, words)
  if (!from || !to || from.offset >= to.offset) return null
  const taken = absorbBrackets(texts.before, texts.after, words, from, to)
  return taken && !tokensCross(texts, words, taken) ? taken : null
}

const inPlace = (texts: TextPair, words: Range, narrow: Narrow): Range | null => {
  const tokens = tokenize(texts.before, words.start, words.end)
  return between(texts, words, narrow(tokens[0]!), narrow(tokens.at(-1)!))
}

/** Finds the counterpart of words whose whole lines were moved. */
const inMovedLines = (texts: TextPair, words: Range): Range | null => {
  const feed = texts.before.indexOf('\n', words.end)
  const lines = {
    start: lineStart(texts.before, words.start),
    end: feed < 0 ? texts.before.length : feed,
  }
  const moved = findOnce(texts, lines)
  if (!moved) return null
  const stretch = { before: lines, after: moved }
  return between(texts, words, stretch, stretch)
}

/** Gives the words in a pair of round brackets, which a formatter may drop; null where there is no such pair. */
const unwrapped = (text: string, words: Range): Range | null => {
  const tokens = tokenize(text, words.start, words.end)
  const inner = tokens.slice(1, -1)
  const isWrapped = tokens[0]!.key === '(' && tokens.at(-1)!.key === ')' && inner.length > 0
  return isWrapped ? { start: inner[0]!.start, end: inner.at(-1)!.end } : null
}

/** Finds the counterpart of a range of one text in another. */
export type Realign = (range: Range) => Range | null

/** Finds the counterparts of words by a diff of the tokens around them, or else by the same words elsewhere. */
const realignWords = (before: string, after: string): Realign => {
  const texts = new TextPair(before, after)
  const isShort = before.length + after.length <= MAX_TEXT
  const { before: old, after: now } = changedStretch(before, after)
  if (!isShort && old.end - old.start + now.end - now.start > MAX_CHANGED) return () => null
  const narrow = alignLines(before, after)
  const elsewhere = (words: Range): Range | null => {
    const found = inMovedLines(texts, words) ?? findOnce(texts, words)
    return found && !tokensCross(texts, words, found) ? found : null
  }
  const find = (words: Range): Range | null =>
    inPlace(texts, words, narrow) ?? (isShort ? elsewhere(words) : null)
  return (words) => {
    if (!texts.mayCarry(words)) return null
    const inner = unwrapped(before, words)
    return find(words) ?? (inner && find(inner))
  }
}

/**
 * Finds what a range of a text has become in the formatted text (format-on-save.md, Stable Range Extraction). Where
 * the text on both sides of the range did not change, it is what stands between.
 *
 * Elsewhere the range's first and last token are found by a diff of the tokens around them, so that white space,
 * quotes, separators and brackets may change anywhere. A bracket or separator that was put in beside the range and
 * belongs to it is taken in. Null where the tokens at an end are gone, where words or signs crossed an end, or where
 * it is too much work: it never guesses.
 */
export const realign = (before: string, after: string): Realign => {
  if (before === after) return (range) => range
  const shared = { prefix: commonPrefix(before, after), suffix: commonSuffix(before, after) }
  let realigned: Realign | undefined
  return (range) => {
    const stable = betweenStable(before, after, range, shared)
    if (stable) return stable
    const text = before.slice(range.start, range.end)
    const words = {
      start: range.end - text.trimStart().length,
      end: range.start + text.trimEnd().length,
    }
    if (words.start >= words.end) return null
    realigned ??= realignWords(before, after)
    const found = realigned(words)
    return found && outsideLineEnd(after, withSpace(before, after, range, words, found))
  }
}

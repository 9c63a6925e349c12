import type { Range } from '../../files/changed-stretch.ts'
import { absorbBrackets } from './absorb-brackets.ts'
import { bareOf, type TextPair } from './text-pair.ts'
import { separates, type Token, tokenize } from './tokens.ts'

// A few signs may occur once by chance.
const MIN_LENGTH = 8

// What a formatter puts in beside a range is a bracket or two and a separator.
const BESIDE = 12

/** The tokens that were put in before an offset: those behind the neighbour that the words had before. */
const putInBefore = (before: string, after: string, wordsStart: number, offset: number): Array<Token> => {
  const neighbour = tokenize(before, Math.max(0, wordsStart - BESIDE), wordsStart).at(-1)?.key
  const beside = tokenize(after, Math.max(0, offset - BESIDE), offset)
  return beside.slice(beside.findLastIndex(({ key }) => key === neighbour) + 1)
}

/** The tokens behind an offset, without a separator that the words had behind them before. */
const behind = (before: string, after: string, wordsEnd: number, offset: number): Array<Token> => {
  const neighbour = tokenize(before, wordsEnd, wordsEnd + BESIDE)[0]
  const beside = tokenize(after, offset, offset + BESIDE)
  return neighbour && separates(neighbour) ? beside.filter((token) => !separates(token)) : beside
}

/** How often a text stands in another: 0, 1, or 2 for more than once; and the first place. */
const countUpToTwo = (text: string, wanted: string): { count: number; first: number } => {
  const first = text.indexOf(wanted)
  return { first, count: first < 0 ? 0 : text.indexOf(wanted, first + 1) < 0 ? 1 : 2 }
}

/**
 * Finds text that was moved as a whole, such as a sorted import: the range's words in their order, whatever white
 * space, quotes, separators and round brackets are among them. They must occur once before formatting and once after.
 */
export const findOnce = (texts: TextPair, words: Range): Range | null => {
  const { before, after } = texts
  const bare = texts.mayCarry(words) ? texts.bare() : null
  const wanted = bare && bareOf(before, words).text
  if (!bare || !wanted || wanted.length < MIN_LENGTH) return null
  const { old, now } = bare
  if (countUpToTwo(old.text, wanted).count !== 1) return null
  const { first, count } = countUpToTwo(now.text, wanted)
  if (count !== 1) return null
  const start = now.places[first]!
  const end = now.places[first + wanted.length - 1]! + 1
  return absorbBrackets(
    before,
    after,
    words,
    { offset: start, beside: putInBefore(before, after, words.start, start) },
    { offset: end, beside: behind(before, after, words.end, end) },
  )
}

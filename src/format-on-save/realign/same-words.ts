import type { Range } from '../../text/changed-stretch.ts'
import { absorbBrackets } from './absorb-brackets.ts'
import { bareOf, type TextPair } from './text-pair.ts'
import { separates, type Token, tokenize } from './tokens.ts'

// Fewer characters may stand there by chance.
const MIN_LENGTH = 8

// A formatter puts in at most a bracket or two and a separator.
const BESIDE = 12

/** Gives the tokens that were put in before an offset: those behind the token that stood before the words. */
const putInBefore = (before: string, after: string, wordsStart: number, offset: number): Array<Token> => {
  const neighbour = tokenize(before, Math.max(0, wordsStart - BESIDE), wordsStart).at(-1)?.key
  const beside = tokenize(after, Math.max(0, offset - BESIDE), offset)
  return beside.slice(beside.findLastIndex(({ key }) => key === neighbour) + 1)
}

/** Gives the tokens behind an offset, without separators where one stood behind the words before. */
const behind = (before: string, after: string, wordsEnd: number, offset: number): Array<Token> => {
  const neighbour = tokenize(before, wordsEnd, wordsEnd + BESIDE)[0]
  const beside = tokenize(after, offset, offset + BESIDE)
  return neighbour && separates(neighbour) ? beside.filter((token) => !separates(token)) : beside
}

/** Counts a text in another up to two, and gives its first place. */
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

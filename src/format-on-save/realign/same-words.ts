import { absorbBrackets } from './absorb-brackets.ts'
import type { Range } from './range.ts'
import { separates, type Token, tokenize } from './tokens.ts'

/** A text without what formatters change, and where each of its units stood. */
type Bare = { text: string; places: Array<number> }

const bareOf = (text: string, { start, end }: Range): Bare => {
  const kept: Array<string> = []
  const places: Array<number> = []
  for (let at = start; at < end; at += 1) {
    const unit = text[at]!
    if (/[\s,;()]/.test(unit)) continue
    kept.push(unit === "'" ? '"' : unit)
    places.push(at)
  }
  return { text: kept.join(''), places }
}

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

/**
 * Finds text that was moved as a whole, such as a sorted import: the range's words in their order, whatever white
 * space, quotes, separators and round brackets are among them. They must occur once before formatting and once after.
 */
export const findOnce = (before: string, after: string, words: Range): Range | null => {
  const wanted = bareOf(before, words).text
  if (wanted.length < MIN_LENGTH) return null
  const old = bareOf(before, { start: 0, end: before.length }).text
  const first = old.indexOf(wanted)
  if (old.indexOf(wanted, first + 1) >= 0) return null
  const now = bareOf(after, { start: 0, end: after.length })
  const found = now.text.indexOf(wanted)
  if (found < 0 || now.text.indexOf(wanted, found + 1) >= 0) return null
  const start = now.places[found]!
  const end = now.places[found + wanted.length - 1]! + 1
  return absorbBrackets(
    before,
    after,
    words,
    { offset: start, beside: putInBefore(before, after, words.start, start) },
    { offset: end, beside: behind(before, after, words.end, end) },
  )
}

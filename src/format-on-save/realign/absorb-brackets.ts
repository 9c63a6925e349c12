import type { Range } from '../../text/changed-stretch.ts'
import { closes, depthOf, keepsDepths, opens, separates, type Token, tokenize } from './tokens.ts'

/** An end of a range in the formatted text, and the tokens just outside it that a formatter put in. */
export type End = { offset: number; beside: Array<Token> }

/**
 * Widens a counterpart by signs that the formatter put in beside it and that belong to it: a bracket whose other half
 * is in the range or was put in at its other end, and the separator behind it. Null where it would then open or close
 * other brackets than the range did.
 *
 * Example: the range `a && b` became `(\n a && b\n);`, with both brackets and the semicolon.
 */
export const absorbBrackets = (
  before: string,
  after: string,
  words: Range,
  from: End,
  to: End,
): Range | null => {
  const own = tokenize(before, words.start, words.end)
  const openers = from.beside.slice(from.beside.findLastIndex((token) => !opens(token)) + 1)
  const foreign = to.beside.findIndex((token) => !closes(token) && !separates(token))
  const followers = foreign < 0 ? to.beside : to.beside.slice(0, foreign)
  let { offset: start } = from
  let { offset: end } = to
  let depth = depthOf(tokenize(after, start, end)) - depthOf(own)
  const closers = followers.filter(closes).length
  const wanted = depth < 0 ? -depth : Math.min(openers.length, closers - depth)
  for (const opener of wanted > 0 ? openers.slice(-wanted) : []) {
    start = Math.min(start, opener.start)
    depth += 1
  }
  for (const token of followers) {
    if (closes(token) && depth <= 0) break
    if (closes(token)) depth -= 1
    ;({ end } = token)
  }
  return keepsDepths(own, tokenize(after, start, end)) ? { start, end } : null
}

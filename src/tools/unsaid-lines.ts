/** Compares texts by the words of their lines, to report what a rewrite or a restored backup no longer says. */
import { splitFrontmatter } from '../markdown/frontmatter.ts'
import { namesInBackticks } from '../meaning/lost-details.ts'
import { linesOf } from '../text/line-ending.ts'
import { hasWords } from '../text/words.ts'

// Any text has short words, so they prove nothing. In scripts without spaces, each character counts as a word.
const LONG_WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}_]{4,}/gu
const ANY_WORD = /[\p{L}\p{N}]+/gu

// Every rule in SAT's form has a label.
const LABEL = /^(?:Rule|Reason):\s*/

// Each name is searched in the whole other text. No answer lists as many.
const MAX_NAMES = 1_000

// A text says a line if it has this share of the line's words.
const MIN_SHARE = 0.5

/** Lists the lines that a text does not say. A line without a word of the pattern must be in the text as it is. */
const linesUnsaid = (lines: Array<string>, text: string, pattern: RegExp): Array<string> => {
  const wordsOf = (words: string): Array<string> => words.toLowerCase().match(pattern) ?? []
  const textWords = new Set(wordsOf(text))
  return lines.filter((line) => {
    const bare = line.replace(LABEL, '')
    const words = wordsOf(bare)
    if (words.length === 0) return !text.includes(bare)
    return words.filter((word) => textWords.has(word)).length < words.length * MIN_SHARE
  })
}

/**
 * Finds what a text says below its frontmatter and another text does not: lines, and the names in backticks in these lines
 * that the other text does not contain.
 */
export const unsaidOf = (text: string, other: string): { lines: Array<string>; names: Array<string> } => {
  const { frontmatter } = splitFrontmatter(text)
  const worded = linesOf(text.slice(frontmatter.length)).map((line) => line.trim())
    .filter(hasWords)
  const lines = linesUnsaid(worded, other, LONG_WORD)
  const names = [...new Set(lines.flatMap(namesInBackticks))].slice(0, MAX_NAMES)
  return { lines, names: names.filter((name) => !other.includes(name)) }
}

/** Lists the lines of a text that another text does not say, even if short words count. */
export const goneLines = (text: string, other: string): Array<string> =>
  linesUnsaid(unsaidOf(text, other).lines, other, ANY_WORD)

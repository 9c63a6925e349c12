import { splitFrontmatter } from '../markdown/frontmatter.ts'
import { namesIn } from '../meaning/lost-details.ts'
import { linesOf } from '../text/line-ending.ts'

// Short words are in any text. In scripts without spaces each character counts as a word.
const LONG_WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}_]{4,}/gu
const ANY_WORD = /[\p{L}\p{N}]+/gu

// In all rules of SAT's form.
const LABEL = /^(?:Rule|Reason):\s*/

// Each is looked for in the whole other text; no answer lists as many.
const MAX_NAMES = 1_000

// The share of a line's words that another text must have to count as saying it.
const SAID = 0.5

/** Lists the lines of which a text has too few words, of those that a pattern finds; one without any must stand in it. */
const linesUnsaid = (lines: Array<string>, text: string, pattern: RegExp): Array<string> => {
  const wordsOf = (words: string): Array<string> => words.toLowerCase().match(pattern) ?? []
  const said = new Set(wordsOf(text))
  return lines.filter((line) => {
    const bare = line.replace(LABEL, '')
    const words = wordsOf(bare)
    if (words.length === 0) return !text.includes(bare)
    return words.filter((word) => said.has(word)).length < words.length * SAID
  })
}

/**
 * Finds what a text says after its frontmatter and another one does not: lines with too few of their words in it, and
 * the names in backticks in them.
 */
export const unsaidOf = (text: string, other: string): { lines: Array<string>; names: Array<string> } => {
  const { frontmatter } = splitFrontmatter(text)
  const worded = linesOf(text.slice(frontmatter.length)).map((line) => line.trim())
    .filter((line) => /[\p{L}\p{N}]/u.test(line))
  const lines = linesUnsaid(worded, other, LONG_WORD)
  const names = [...new Set(lines.flatMap(namesIn))].slice(0, MAX_NAMES)
  return { lines, names: names.filter((name) => !other.includes(name)) }
}

/** Lists the lines of a text of which another one says too little, its short words counted. */
export const goneLines = (text: string, other: string): Array<string> =>
  linesUnsaid(unsaidOf(text, other).lines, other, ANY_WORD)

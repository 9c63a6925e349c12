import { splitFrontmatter } from '../markdown/frontmatter.ts'
import { namesIn } from '../meaning/numbers-and-names.ts'
import { linesOf } from '../text/line-ending.ts'

// Short words are in any text. In scripts without spaces each character counts as a word.
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}_]{4,}/gu

/** Lists the words of a text that show what it says. */
export const wordsOf = (text: string): Array<string> => text.toLowerCase().match(WORD) ?? []

// The share of a line's words that another text must have to count as saying it.
const SAID = 0.5

/** Whether enough of some words are said for all of them to count as said. */
export const areSaid = (words: Array<string>, said: Set<string>): boolean =>
  words.filter((word) => said.has(word)).length >= words.length * SAID

/**
 * Finds what a text says after its frontmatter and another one does not: lines with too few of their words in it, and
 * the names in backticks in them.
 */
export const unsaidOf = (text: string, other: string): { lines: Array<string>; names: Array<string> } => {
  const said = new Set(wordsOf(other))
  const isSaid = (line: string): boolean => {
    const words = wordsOf(line)
    return words.length === 0 ? other.includes(line) : areSaid(words, said)
  }
  const { frontmatter } = splitFrontmatter(text)
  const lines = linesOf(text.slice(frontmatter.length)).map((line) => line.trim())
    .filter((line) => /[\p{L}\p{N}]/u.test(line) && !isSaid(line))
  const names = new Set(lines.flatMap(namesIn))
  return { lines, names: [...names].filter((name) => !other.includes(name)) }
}

const allWordsOf = (text: string): Array<string> => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** Lists the lines of a text of which another one says too little, its short words counted. */
export const goneLines = (text: string, other: string): Array<string> => {
  const said = new Set(allWordsOf(other))
  return unsaidOf(text, other).lines.filter((line) => !areSaid(allWordsOf(line), said))
}

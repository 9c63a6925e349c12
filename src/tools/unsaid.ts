import { splitFrontmatter } from '../markdown/frontmatter.ts'
import { linesOf } from '../text/line-ending.ts'

/** What one text says and another does not: lines by their number, from 1, and the names in backticks in them. */
export type Unsaid = { lines: Array<{ line: number; text: string }>; names: Array<string> }

// Short words are in any text. In scripts without spaces each character counts as a word.
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}_]{4,}/gu

const wordsOf = (text: string): Array<string> => text.toLowerCase().match(WORD) ?? []

const SAID = 0.5

const NAME = /`([^`\n]+)`/g

/**
 * Finds the lines of a text after its frontmatter that have too few of their words in another text.
 *
 * @param enough the share of a line's words that the other text must have to count as saying it
 */
export const unsaidOf = (text: string, other: string, enough = SAID): Unsaid => {
  const said = new Set(wordsOf(other))
  const { frontmatter } = splitFrontmatter(text)
  const above = frontmatter === '' ? 0 : linesOf(frontmatter).length - 1
  const lines = linesOf(text).map((line, index) => ({ line: index + 1, text: line.trim() })).slice(above)
    .filter((line) => {
      const words = wordsOf(line.text)
      const isKnown = words.filter((word) => said.has(word)).length >= words.length * enough
      return /[\p{L}\p{N}]/u.test(line.text) && !(words.length > 0 ? isKnown : other.includes(line.text))
    })
  const names = lines.flatMap((line) => [...line.text.matchAll(NAME)].map(([, name = '']) => name))
  return { lines, names: [...new Set(names)].filter((name) => !other.includes(name)) }
}

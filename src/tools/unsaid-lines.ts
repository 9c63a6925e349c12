/** Finds the lines of an old text that are lost: the new text has less than half of the line's words. */
import { splitFrontmatter } from '../markdown/frontmatter.ts'
import { namesInBackticks } from '../meaning/lost-details.ts'
import { linesOf } from '../text/line-ending.ts'
import { hasWords, wordsIn } from '../text/words.ts'

// In Chinese and Japanese, each character counts as a word.
const LONG_WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}_]{4,}/gu

const LABEL = /^(?:Rule|Reason):\s*/

// Limits the time, because each name is searched for in a whole text.
const MAX_NAMES = 1_000

const longWordsIn: typeof wordsIn = (text) => text.toLowerCase().match(LONG_WORD) ?? []

const unsaidLines = (lines: Array<string>, text: string, toWords: typeof wordsIn): Array<string> => {
  const wordsOfText = new Set(toWords(text))
  return lines.filter((line) => {
    const unlabelled = line.replace(LABEL, '')
    const words = toWords(unlabelled)
    if (words.length === 0) return !text.includes(unlabelled)
    return words.filter((word) => wordsOfText.has(word)).length < words.length / 2
  })
}

/** Finds the lines of `text` that `other` does not say, and their names in backticks that `other` lacks. */
export const findUnsaid = (text: string, other: string): { lines: Array<string>; names: Array<string> } => {
  const { frontmatter } = splitFrontmatter(text)
  const linesWithWords = linesOf(text.slice(frontmatter.length)).map((line) => line.trim()).filter(hasWords)
  const lines = unsaidLines(linesWithWords, other, longWordsIn)
  const names = [...new Set(lines.flatMap(namesInBackticks))].slice(0, MAX_NAMES)
  return { lines, names: names.filter((name) => !other.includes(name)) }
}

/** Lists the lines that are unsaid even if short words count. */
export const lostLines = (text: string, other: string): Array<string> =>
  unsaidLines(findUnsaid(text, other).lines, other, wordsIn)

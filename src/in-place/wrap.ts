/** Wraps the words of a rule that replace several lines of a text. */
import type { Span } from '../text/changed-range.ts'
import { linesOf } from '../text/line-ending.ts'
import { lineBefore, lineEnd } from './lines.ts'

// Words that would begin a block at the start of a line, so no line is broken before them.
const BEGINS_BLOCK = /^(?:[-*+>=|]|\d{1,9}[.)]|#{1,6}|-{2,}|={2,}|[`~]{3}.*|<.*)$/

// Code in backticks is one word.
const WORD = /(?:(`+)(?!`)[^]*?(?<!`)\1(?!`)|\S)+/g

/**
 * Wraps words that replace several lines of a text. The lines are at most as wide as the widest replaced line, and
 * begin with the indentation and the `>` marks of the second replaced line.
 */
export const wrapWords = (words: string, { text, from, to }: Span & { text: string }): string => {
  const before = lineBefore(text, from)
  const replacedLines = linesOf(text.slice(from - before.length, lineEnd(text, to)))
  const width = Math.max(...replacedLines.map((line) => line.trimEnd().length))
  const prefix = /(?:\r\n?|\n)([ \t>]*)/.exec(text.slice(from, to).trimEnd())?.[1] ?? ''
  const lines: Array<string> = []
  let [line, length] = ['', before.length]
  for (const [word] of words.matchAll(WORD)) {
    const isFull = line !== '' && length + 1 + word.length > width && !BEGINS_BLOCK.test(word)
    if (isFull) {
      lines.push(line)
      ;[line, length] = [prefix + word, prefix.length + word.length]
    } else {
      length += (line === '' ? 0 : 1) + word.length
      line += line === '' ? word : ` ${word}`
    }
  }
  return [...lines, line].join('\n')
}

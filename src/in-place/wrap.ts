import type { Span } from '../text/changed-range.ts'
import { linesOf } from '../text/line-ending.ts'
import { lineEnd, lineStart } from './lines.ts'

// What would begin a block at the start of a line.
const BEGINS_BLOCK = /^(?:[-*+>=|]|\d{1,9}[.)]|#{1,6}|-{2,}|={2,}|[`~]{3}.*|<.*)$/

// Words; code in backticks is one.
const WORD = /(?:(`+)(?!`)[^]*?(?<!`)\1(?!`)|\S)+/g

/** Gives what continues the lines of words that are wrapped in a text. */
const prefixOf = (text: string, { from, to }: Span): string =>
  /(?:\r\n?|\n)([ \t>]*)/.exec(text.slice(from, to).trimEnd())?.[1] ?? ''

/** Wraps words that replace several lines of a text, at the width of these and after what stands before them. */
export const wrapped = (words: string, { text, from, to }: Span & { text: string }): string => {
  const before = text.slice(lineStart(text, from), from)
  const lines = linesOf(text.slice(from - before.length, lineEnd(text, to)))
  const width = Math.max(...lines.map((line) => line.trimEnd().length))
  const prefix = prefixOf(text, { from, to })
  const done: Array<string> = []
  let [line, length] = ['', before.length]
  for (const [word] of words.matchAll(WORD)) {
    const isFull = line !== '' && length + 1 + word.length > width && !BEGINS_BLOCK.test(word)
    if (isFull) {
      done.push(line)
      ;[line, length] = [prefix + word, prefix.length + word.length]
    } else {
      length += (line === '' ? 0 : 1) + word.length
      line += line === '' ? word : ` ${word}`
    }
  }
  return [...done, line].join('\n')
}

/** Wraps inserted words, and indents them in a list item or quotation, so that all their lines stay in it. */
import type { Span } from '../text/changed-range.ts'
import { linesOf } from '../text/line-ending.ts'
import { FENCE, isItem, isLinePrefix, lineBefore, lineEnd, linePrefix, lineStart } from './lines.ts'
import { itemAt, type Markdown } from './markdown-parts.ts'

/** Indents all lines except the first. Inserted into `> - item`, the text `a\n- b` becomes `a\n> - b`. */
export const indentLinesAt = (markdown: Markdown, at: number, insertedText: string): string => {
  const indents = indentsAt(markdown, at)
  let isFenceOpen = false
  return insertedText.split('\n').map((line, index) => {
    const isFence = FENCE.test(line)
    const isBetweenFences = isFenceOpen && !isFence
    if (isFence) isFenceOpen = !isFenceOpen
    if (index === 0) return line
    if (line.trim() === '') return indents.content.trimEnd()
    return isBetweenFences ? indents.content + line : indentLine(line, indents)
  }).join('\n')
}

type Indents = {
  /** The indent of a line with a list marker, which becomes the next item: `> ` after `> - words` */
  item: string
  /** The indent of any other line, which stays in the item: `>   ` after `> - words` */
  content: string
}

const indentLine = (line: string, { item, content }: Indents): string => {
  const indent = isItem(line) ? item : content
  // Without a `>`, a line would end the quotation, however far it is indented.
  const lacksQuoteMark = content.includes('>') && !/^[ \t]*>/.test(line)
  const isDeepEnough = /^[ \t>]*/.exec(line)![0].length >= indent.length
  return isDeepEnough && !lacksQuoteMark ? line : indent + line.trimStart()
}

const indentsAt = ({ text, root }: Markdown, at: number): Indents => {
  const { indent: lineIndent } = linePrefix(text.slice(lineStart(text, at)))
  const item = itemAt(root, at)
  if (item === undefined) return { item: lineIndent, content: lineIndent }
  // In `- > - words`, the text before the inner item becomes `  > `.
  const itemIndent = lineBefore(text, item.from).replace(/[^\s>]/g, ' ')
  const { marker } = linePrefix(text.slice(item.from))
  const contentIndent = itemIndent + marker.replace(/\S/g, ' ')
  // A quotation in the item begins right after the marker (`- > words`) or on a later line (`  > words`).
  const [quotePrefix] = /^(?:[ \t]*>)*[ \t]*/.exec(text.slice(item.from + marker.length, at))!
  const quotationIndent = quotePrefix.includes('>') ? contentIndent + quotePrefix : lineIndent
  const isInQuotation = countQuoteMarks(quotationIndent) > countQuoteMarks(contentIndent)
  if (isInQuotation) return { item: quotationIndent, content: quotationIndent }
  const beginsLaterLine = item.from < lineStart(text, at) && isLinePrefix(lineBefore(text, at))
  if (beginsLaterLine) return { item: lineIndent, content: lineIndent }
  return { item: itemIndent, content: contentIndent }
}

const countQuoteMarks = (indent: string): number => indent.split('>').length - 1

const BEGINS_BLOCK = /^(?:[-*+>=|]|\d{1,9}[.)]|#{1,6}|-{2,}|={2,}|[`~]{3}.*|<.*)$/

// Code in backticks is one word.
const WORD = /(?:(`+)(?!`)[^]*?(?<!`)\1(?!`)|\S)+/g

/** Wraps words at the width of the lines that they replace, and indents them like these lines. */
export const wrapWords = (words: string, { text, from, to }: Span & { text: string }): string => {
  const before = lineBefore(text, from)
  const replacedLines = linesOf(text.slice(from - before.length, lineEnd(text, to)))
  const width = Math.max(...replacedLines.map((line) => line.trimEnd().length))
  const newIndent = /(?:\r\n?|\n)([ \t>]*)/.exec(text.slice(from, to).trimEnd())?.[1] ?? ''
  const lines: Array<string> = []
  let line = before
  for (const [word] of words.matchAll(WORD)) {
    const isFirst = lines.length === 0 && line === before
    const extended = isFirst ? line + word : `${line} ${word}`
    const beginsLine = !isFirst && extended.length > width && !BEGINS_BLOCK.test(word)
    if (beginsLine) lines.push(line)
    line = beginsLine ? newIndent + word : extended
  }
  return [...lines, line].join('\n').slice(before.length)
}

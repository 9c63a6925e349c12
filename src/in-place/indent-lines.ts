/** Indents words that are inserted into a list item or quotation, so that all their lines stay in it. */
import { isItem, lineBefore, linePrefix, lineStart } from './lines.ts'
import { itemAt, type Markdown } from './markdown-parts.ts'

/** Indents all lines but the first, unless they are indented enough. Code between fences is always indented. */
export const indentLinesAt = (markdown: Markdown, at: number, words: string): string => {
  const indents = indentsAt(markdown, at)
  let isFenceOpen = false
  return words.split('\n').map((line, index) => {
    const isFence = FENCE.test(line)
    const isBetweenFences = isFenceOpen && !isFence
    if (isFence) isFenceOpen = !isFenceOpen
    if (index === 0) return line
    if (line.trim() === '') return indents.content.trimEnd()
    return isBetweenFences ? indents.content + line : indentLine(line, indents)
  }).join('\n')
}

const FENCE = /^[ \t]*(?:```|~~~)/

/**
 * What stands before a line, such as spaces and `>` marks: `item` before one with a list marker, so that it becomes an
 * item of the same list; `content` before any other, so that it stays in the item.
 */
type Indents = { item: string; content: string }

const indentLine = (line: string, { item, content }: Indents): string => {
  const indent = isItem(line) ? item : content
  // Without the `>`, the line would end the quotation, however deep it is.
  const lacksQuoteMark = content.includes('>') && !/^[ \t]*>/.test(line)
  const isDeepEnough = /^[ \t>]*/.exec(line)![0].length >= indent.length
  return isDeepEnough && !lacksQuoteMark ? line : indent + line.trimStart()
}

const indentsAt = ({ text, root }: Markdown, at: number): Indents => {
  const { indent: indentOfLine } = linePrefix(text.slice(lineStart(text, at)))
  const item = itemAt(root, at)
  if (item === undefined) return { item: indentOfLine, content: indentOfLine }
  // In `> - words`, `> ` stands before the item, and its other lines begin with `>   `.
  const beforeItem = lineBefore(text, item.from).replace(/[^\s>]/g, ' ')
  const { marker } = linePrefix(text.slice(item.from))
  const content = beforeItem + marker.replace(/\S/g, ' ')
  // A quotation in the item begins on the item's first line (`- > words`) or on a later one (`  > words`).
  const [quoteMarks] = /^(?:[ \t]*>)*[ \t]*/.exec(text.slice(item.from + marker.length, at))!
  const quotationIndent = quoteMarks.includes('>') ? content + quoteMarks : indentOfLine
  const isInQuotation = countQuoteMarks(quotationIndent) > countQuoteMarks(content)
  return isInQuotation ? { item: quotationIndent, content: quotationIndent } : { item: beforeItem, content }
}

const countQuoteMarks = (indent: string): number => indent.split('>').length - 1

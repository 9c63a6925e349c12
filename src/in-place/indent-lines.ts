/** Indents the lines of words that are inserted into a Markdown text. */
import { isItem, lineBefore, linePrefix, lineStart } from './lines.ts'
import { itemAt, type Markdown } from './markdown-parts.ts'

/**
 * Indents inserted lines after the first one, so that they stay in the list item or quotation at the offset. Lines that
 * are indented enough stay as they are, but code between fences is always indented.
 */
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

/** The indentation, with `>` marks: `item` for lines with a list marker, `content` for others. */
type Indents = { item: string; content: string }

const indentLine = (line: string, { item, content }: Indents): string => {
  const indent = isItem(line) ? item : content
  const lacksQuoteMark = content.includes('>') && !/^[ \t]*>/.test(line)
  const isDeepEnough = /^[ \t>]*/.exec(line)![0].length >= indent.length
  return isDeepEnough && !lacksQuoteMark ? line : indent + line.trimStart()
}

const indentsAt = ({ text, root }: Markdown, at: number): Indents => {
  const { indent } = linePrefix(text.slice(lineStart(text, at)))
  const item = itemAt(root, at)
  if (item === undefined) return { item: indent, content: indent }
  const beforeItem = lineBefore(text, item.from).replace(/[^\s>]/g, ' ')
  const { marker } = linePrefix(text.slice(item.from))
  const content = beforeItem + marker.replace(/\S/g, ' ')
  // A quotation in the item has more `>` marks than the item. If it begins on the item's first line (`- > words`), they
  // follow the item's marker; if on a later line, they are in `indent`, the indentation of the line at the offset.
  const [quotes] = /^(?:[ \t]*>)*[ \t]*/.exec(text.slice(item.from + marker.length, at))!
  const quotationIndent = quotes.includes('>') ? content + quotes : indent
  return quoteDepth(quotationIndent) > quoteDepth(content)
    ? { item: quotationIndent, content: quotationIndent }
    : { item: beforeItem, content }
}

const quoteDepth = (indent: string): number => indent.split('>').length

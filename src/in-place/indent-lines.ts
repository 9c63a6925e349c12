/** Indents the lines of words that are inserted into a Markdown text. */
import { isItem, lineBefore, linePrefix, lineStart } from './lines.ts'
import { itemAt, type Markdown } from './markdown-parts.ts'

/** Indents inserted lines after the first one, so that they stay in the list item or quotation at the offset. */
export const indentLinesAt = (markdown: Markdown, at: number, words: string): string => {
  const indents = indentsAt(markdown, at)
  let isCode = false
  return words.split('\n').map((line, index) => {
    const isFence = FENCE.test(line)
    const isInCode = isCode && !isFence
    if (isFence) isCode = !isCode
    if (index === 0) return line
    if (line.trim() === '') return indents.content.trimEnd()
    return isInCode ? indents.content + line : indentLine(line, indents)
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
  // A quotation may begin on the first line of the item (`- > words`), or on a later line.
  const [quotes] = /^(?:[ \t]*>)*[ \t]*/.exec(text.slice(item.from + marker.length, at))!
  const inQuotation = quotes.includes('>') ? content + quotes : indent
  return quoteDepth(inQuotation) > quoteDepth(content)
    ? { item: inQuotation, content: inQuotation }
    : { item: beforeItem, content }
}

const quoteDepth = (indent: string): number => indent.split('>').length

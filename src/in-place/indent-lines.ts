/** Indents words that are inserted into a list item or quotation, so that all their lines stay in it. */
import { isItem, lineBefore, linePrefix, lineStart } from './lines.ts'
import { itemAt, type Markdown } from './markdown-parts.ts'

/**
 * Indents each line but the first, unless it is indented enough and has a `>` where it needs one. Lines between code
 * fences are always indented.
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

/**
 * Spaces and `>` marks to put before a line. In a list item, a line with a list marker gets `item`, and becomes an item
 * of the same list; any other line gets `content`, and stays in the item. Elsewhere, both are the same.
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
  const { indent: lineIndent } = linePrefix(text.slice(lineStart(text, at)))
  const item = itemAt(root, at)
  if (item === undefined) return { item: lineIndent, content: lineIndent }
  // For `> - words`, a new item is indented by `> `, and other lines of this item by `>   `.
  const itemIndent = lineBefore(text, item.from).replace(/[^\s>]/g, ' ')
  const { marker } = linePrefix(text.slice(item.from))
  const contentIndent = itemIndent + marker.replace(/\S/g, ' ')
  // In `- > words`, the item begins with a quotation, whose `>` follows the list marker and is not in `lineIndent`.
  const [quoteMarks] = /^(?:[ \t]*>)*[ \t]*/.exec(text.slice(item.from + marker.length, at))!
  const indentHere = quoteMarks.includes('>') ? contentIndent + quoteMarks : lineIndent
  // With more `>` than the item's other lines, the words are in a quotation inside the item. All lines stay there.
  const isInQuotation = countQuoteMarks(indentHere) > countQuoteMarks(contentIndent)
  if (isInQuotation) return { item: indentHere, content: indentHere }
  return { item: itemIndent, content: contentIndent }
}

const countQuoteMarks = (indent: string): number => indent.split('>').length - 1

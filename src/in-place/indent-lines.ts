/** Indents words that are inserted into a list item or quotation, so that all their lines stay in it. */
import { isItem, lineBefore, linePrefix, lineStart } from './lines.ts'
import { itemAt, type Markdown } from './markdown-parts.ts'

/**
 * Indents all lines but the first, for words at an offset: `a\n- b` in the item `> - …` → `a\n> - b`. A line that is
 * deep enough, and has a `>` if it needs one, stays as it is, except between code fences.
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

/** Spaces and `>` marks to put before a line. Outside of a list item, both indents are the same. */
type Indents = {
  /** For a line with a list marker, which becomes the next item of the list: `> ` in `> - words` */
  item: string
  /** For any other line, which stays in the item: `>   ` in `> - words` */
  content: string
}

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
  const itemIndent = lineBefore(text, item.from).replace(/[^\s>]/g, ' ')
  const { marker } = linePrefix(text.slice(item.from))
  const contentIndent = itemIndent + marker.replace(/\S/g, ' ')
  // The item may contain a quotation, from its start (`- > words`) or from a later line on. All lines stay in that.
  const [marksAfterMarker] = /^(?:[ \t]*>)*[ \t]*/.exec(text.slice(item.from + marker.length, at))!
  const indentHere = marksAfterMarker.includes('>') ? contentIndent + marksAfterMarker : lineIndent
  const isInQuotation = countQuoteMarks(indentHere) > countQuoteMarks(contentIndent)
  if (isInQuotation) return { item: indentHere, content: indentHere }
  return { item: itemIndent, content: contentIndent }
}

const countQuoteMarks = (indent: string): number => indent.split('>').length - 1

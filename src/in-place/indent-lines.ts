/** Indents the lines of words that are inserted into a Markdown text. */
import { isItem, lineBefore, linePrefix, lineStart } from './lines.ts'
import { itemAt, type Markdown } from './markdown-parts.ts'

/**
 * Indents the lines of words that are inserted at an offset, except the first, so that they stay in the item or
 * quotation there. Lines that are deep enough stay as they are. Lines of code also keep their own indentation.
 */
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

/** The indentation of lines, with the `>` marks of a quotation: `item` before a list marker, `content` otherwise. */
type Indents = { item: string; content: string }

const indentLine = (line: string, { item, content }: Indents): string => {
  const indent = isItem(line) ? item : content
  const lacksQuoteMark = content.includes('>') && !/^[ \t]*>/.test(line)
  const isDeepEnough = /^[ \t>]*/.exec(line)![0].length >= indent.length
  return isDeepEnough && !lacksQuoteMark ? line : indent + line.trimStart()
}

/** Returns the indentation of lines that are inserted at an offset. */
const indentsAt = ({ text, root }: Markdown, at: number): Indents => {
  const { indent } = linePrefix(text.slice(lineStart(text, at)))
  const item = itemAt(root, at)
  if (item === undefined) return { item: indent, content: indent }
  const beforeItem = lineBefore(text, item.from).replace(/[^\s>]/g, ' ')
  const { marker } = linePrefix(text.slice(item.from))
  const content = beforeItem + marker.replace(/\S/g, ' ')
  // The item may contain a quotation: from its first line on, as in `- > words`, or below that line.
  const [quotes] = /^(?:[ \t]*>)*[ \t]*/.exec(text.slice(item.from + marker.length, at))!
  const quoted = quotes.includes('>') ? content + quotes : indent
  return quoteDepth(quoted) > quoteDepth(content)
    ? { item: quoted, content: quoted }
    : { item: beforeItem, content }
}

const quoteDepth = (indent: string): number => indent.split('>').length

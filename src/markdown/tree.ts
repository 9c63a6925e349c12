/** Creates the syntax tree of a Markdown file. Reads tags as text, and accepts any line ending. */
import { parseMarkdown } from './parser.ts'

/** A node of a Markdown syntax tree. */
export type Node = ReturnType<typeof parseMarkdown>

// The delimiter row of a table. The parser accepts it only if nothing follows its last `|`.
const DELIMITERS = /^([ \t>]*[|:-][ \t|:-]*)\|([ \t\r]+)\n/gm

// The start of a link definition whose address is on the next line. The parser takes quadratic time for many of them.
const OPEN_DEFINITION = /^([ \t>]*)\[([^[\]\n]*)\]:(?=[ \t]*$)/gm

/** Replaces line endings other than `\n`, blanks after a delimiter row, and open link definitions. Keeps the length. */
const normalized = (text: string): string =>
  text.replace(DELIMITERS, (_, cells: string, end: string) => `${cells}${' '.repeat(end.length)}|\n`)
    .replaceAll('\r\n', ' \n').replaceAll('\r', '\n')
    .replace(OPEN_DEFINITION, (_, prefix: string, { length }: string) => `${prefix}${'x'.repeat(length + 3)}`)

// A line that is one tag, such as `<rules>`, except tags that contain no prose. CommonMark reads the lines below as
// HTML; a model reads them as text.
const TAG_LINE = /^([ \t>]*)<(\/?(?!(?:pre|br|hr|img)\b)[a-z][\w.:-]*(?:[ \t][^<>\n]*)?)>(?=[ \t]*$)/gim

/** Replaces each line that is one tag with a heading of the same length: both are blocks of their own. */
const withTagsAsHeadings = (text: string): string =>
  text.replace(TAG_LINE, (_, prefix: string, tag: string) => `${prefix}# ${'x'.repeat(tag.length)}`)

const ONE_TAG = /^[ \t]*<\/?[a-z][\w.:-]*(?:[ \t][^<>\n]*)?>[ \t]*$/i

// Indented as deep as a code block.
const DEEP = /^(?: {4}| {0,3}\t)/

/**
 * Moves the indentation of tags, and of the text below a tag, to the end of the line before, if it is as deep as that
 * of a code block: the parser would read the lines as code. The offsets of the words stay. Expects `\n` line endings.
 */
const withTagsUnindented = (text: string): string => {
  let result = ''
  // The indentation of the text below the last tag; undefined until a line of that text was read.
  let textIndent: number | undefined = 0
  // Whether that text is as deep as a code block.
  let isTextDeep = false
  let isAfterBlank = true
  for (const line of text.split('\n')) {
    const indent = /^[ \t]*/.exec(line)![0].length
    const isBlank = indent === line.length
    let movedUnits = 0
    if ((textIndent === undefined || indent <= textIndent) && ONE_TAG.test(line)) {
      if (isTextDeep || DEEP.test(line)) movedUnits = indent
      textIndent = undefined
      isTextDeep = false
    } else if (!isBlank) {
      // After a blank line, deeply indented text is meant as code.
      if (textIndent === undefined) isTextDeep = DEEP.test(line) && !isAfterBlank
      textIndent ??= indent
      if (isTextDeep) movedUnits = Math.min(indent, textIndent)
    }
    isAfterBlank = line.trim() === ''
    result += movedUnits === 0 || result === ''
      ? `\n${line}`
      : `${' '.repeat(movedUnits - 1)}\t\n${line.slice(movedUnits)}`
  }
  return result.slice(1)
}

/** Parses a text as CommonMark with GitHub's tables and check boxes. Reads tags as text, and frontmatter as blank. */
export const treeOf = (text: string, frontmatterLength: number): Node => {
  const markdown = withTagsAsHeadings(withTagsUnindented(normalized(text.slice(frontmatterLength))))
  return parseMarkdown(text.slice(0, frontmatterLength).replace(/[^\n]/g, ' ') + markdown)
}

/** Lists the children of a node, except list and quotation markers. */
export const childrenOf = (node: Node): Array<Node> => {
  const children: Array<Node> = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (child.name !== 'ListMark' && child.name !== 'QuoteMark') children.push(child)
  }
  return children
}

/** Whether a node is a paragraph or the text of an item. */
export const isTextNode = ({ name }: Node): boolean => name === 'Paragraph' || name === 'Task'

/** Whether the node with a name and a start is a comment within a line. */
export const isComment = (text: string, name: string, from: number): boolean =>
  name === 'Comment' || name === 'HTMLTag' && text.startsWith('<!--', from)

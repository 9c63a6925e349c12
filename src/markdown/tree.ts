/** Creates the syntax tree of a Markdown file. Reads the text between tags as Markdown, and accepts any line ending. */
import { parseMarkdown } from './parser.ts'

/** A node of a Markdown syntax tree. */
export type Node = ReturnType<typeof parseMarkdown>

/**
 * Parses a text as CommonMark with GitHub's tables and check boxes. Reads a line that is one tag as a heading, and
 * frontmatter as blank. Replacements keep the length, so the offsets of the nodes are offsets in `text`.
 */
export const treeOf = (text: string, frontmatterLength: number): Node => {
  const blank = text.slice(0, frontmatterLength).replace(/[^\n]/g, ' ')
  const markdown = withLineFeedsAndTables(text.slice(frontmatterLength))
  return parseMarkdown(blank + withTagsAsHeadings(withTagsUnindented(withoutOpenDefinitions(markdown))))
}

// The delimiter row of a table and the blanks after its last `|`: the parser accepts a table only without these blanks.
const DELIMITER_ROW = /^([ \t>]*[|:-][ \t|:-]*)\|([ \t\r]+)\n/gm

/** Replaces line endings by `\n`, and moves the blanks after a delimiter row into it: `|--|  ` becomes `|--  |`. */
const withLineFeedsAndTables = (text: string): string =>
  text.replace(DELIMITER_ROW, (_, cells: string, end: string) => `${cells}${' '.repeat(end.length)}|\n`)
    .replaceAll('\r\n', ' \n').replaceAll('\r', '\n')

// The start of a link definition whose address is on the next line, such as `[name]:`.
const OPEN_DEFINITION = /^([ \t>]*)\[([^[\]\n]*)\]:(?=[ \t]*$)/gm

/** Replaces open link definitions with a word: the parser takes quadratic time for many of them. */
const withoutOpenDefinitions = (text: string): string =>
  text.replace(
    OPEN_DEFINITION,
    (_, prefix: string, { length }: string) => `${prefix}${'x'.repeat(length + 3)}`,
  )

/**
 * Moves deep indentation of tags, and of the text below them, to the end of the line before: the parser would read such
 * lines as code. Expects `\n` line endings.
 *
 * `'<a>\n    <b>\n    Use x.'` → `'<a>   \t\n<b>   \t\nUse x.'`
 */
const withTagsUnindented = (text: string): string => {
  const lines = text.split('\n')
  const movedUnits = unitsToMove(lines)
  // Moved indentation ends in a tab, because two spaces before a line ending are a hard line break.
  const movedFrom = (index: number): string =>
    movedUnits[index] ? `${' '.repeat(movedUnits[index] - 1)}\t` : ''
  return lines.map((line, index) => line.slice(movedUnits[index]) + movedFrom(index + 1)).join('\n')
}

// A line that is one tag, such as `  <rules>` or `</rules>`.
const ONE_TAG = /^[ \t]*<\/?[a-z][\w.:-]*(?:[ \t][^<>\n]*)?>[ \t]*$/i

// Indented as deep as a code block.
const DEEP = /^(?: {4}| {0,3}\t)/

/** Returns for each line how many units of its indentation are moved; 0 for the first, which has no line above. */
const unitsToMove = (lines: Array<string>): Array<number> => {
  // The indentation of the text below the last tag (undefined until that text begins), and whether it is moved.
  let textIndent: number | undefined = 0
  let isTextMoved = false
  let isAfterBlank = true
  return lines.map((line, index) => {
    const indent = /^[ \t]*/.exec(line)![0].length
    let units = 0
    // A tag that is indented more than the text above it belongs to that text.
    if (ONE_TAG.test(line) && (textIndent === undefined || indent <= textIndent)) {
      if (isTextMoved || DEEP.test(line)) units = indent
      textIndent = undefined
      isTextMoved = false
    } else if (indent < line.length) {
      // After a blank line, deeply indented text is meant as code.
      if (textIndent === undefined) isTextMoved = DEEP.test(line) && !isAfterBlank
      textIndent ??= indent
      if (isTextMoved) units = Math.min(indent, textIndent)
    }
    isAfterBlank = line.trim() === ''
    return index === 0 ? 0 : units
  })
}

// A line that is one tag, except tags that contain no prose.
const TAG_OF_PROSE = /^([ \t>]*)<(\/?(?!(?:pre|br|hr|img)\b)[a-z][\w.:-]*(?:[ \t][^<>\n]*)?)>(?=[ \t]*$)/gim

/**
 * Replaces each line that is one tag with a heading of the same length: `<rules>` → `# xxxxx`. Both are blocks of their
 * own, but CommonMark reads the lines below a tag as HTML; a model reads them as text.
 */
const withTagsAsHeadings = (text: string): string =>
  text.replace(TAG_OF_PROSE, (_, prefix: string, tag: string) => `${prefix}# ${'x'.repeat(tag.length)}`)

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

/** Lists the nodes of a tree for which `isKind` is true. */
export const nodesOf = (root: Node, isKind: (node: Node) => boolean): Array<Node> => {
  const nodes: Array<Node> = []
  root.cursor().iterate(({ node }) => {
    if (isKind(node)) nodes.push(node)
  })
  return nodes
}

/** Whether a node is a comment within a line, by the node's name and its start in `text`. */
export const isComment = (text: string, name: string, from: number): boolean =>
  name === 'Comment' || name === 'HTMLTag' && text.startsWith('<!--', from)

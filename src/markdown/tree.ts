/** Creates the syntax tree of a Markdown file. Text between HTML tags counts as Markdown. */
import { parseMarkdown } from './parser.ts'

export type Node = ReturnType<typeof parseMarkdown>

/**
 * Parses a text with any line endings. First rewrites the parts that the parser would misread. Their length stays the
 * same, so the offsets of the nodes are valid in `text`.
 */
export const treeOf = (text: string, frontmatterLength: number): Node => {
  const blankFrontmatter = text.slice(0, frontmatterLength).replace(/[^\n]/g, ' ')
  const withTables = repairTables(text.slice(frontmatterLength))
  const withLineFeeds = withTables.replaceAll('\r\n', ' \n').replaceAll('\r', '\n')
  const withTagsUnindented = unindentTags(replaceOpenDefinitions(withLineFeeds))
  return parseMarkdown(blankFrontmatter + tagsToHeadings(withTagsUnindented))
}

// Matches `|--|:-:|` with blanks after it, or with the `\r` of its line ending.
const DELIMITER_ROW = /^([ \t>]*[|:-][ \t|:-]*)\|([ \t\r]+)\n/gm

/** `|--|  ` → `|--  |`: the parser accepts no blanks at the end of a delimiter row. */
const repairTables = (text: string): string =>
  text.replace(DELIMITER_ROW, (_, cells: string, { length }: string) => `${cells}${' '.repeat(length)}|\n`)

const OPEN_DEFINITION = /^([ \t>]*)\[([^[\]\n]*)\]:(?=[ \t]*$)/gm

/** Replaces `[name]:` whose address is on the next line: for many of these, the parser takes quadratic time. */
const replaceOpenDefinitions = (text: string): string =>
  text.replace(OPEN_DEFINITION, (_, prefix: string, name: string) => prefix + 'x'.repeat(`[${name}]:`.length))

/**
 * Moves the deep indentation of tags and of the text below them to the end of the line above, because the parser would
 * read it as code: `'<a>\n    <b>\n    Use x.'` → `'<a>   \t\n<b>   \t\nUse x.'`
 */
const unindentTags = (text: string): string => {
  const lines = text.split('\n')
  const lengths = lengthsToMove(lines)
  // Ends with a tab, because two spaces before a line ending would be a hard line break.
  const moved = lengths.map((length) => length > 0 ? `${' '.repeat(length - 1)}\t` : '')
  return lines.map((line, index) => line.slice(lengths[index]) + (moved[index + 1] ?? '')).join('\n')
}

// Matches a line with nothing but a tag: `<rules>`, `</rules>`, `<a name="x">`.
const ONE_TAG = /^[ \t]*<\/?[a-z][\w.:-]*(?:[ \t][^<>\n]*)?>[ \t]*$/i
// Matches an indentation that makes a line code.
const DEEP = /^(?: {4}| {0,3}\t)/

/** The text between two tags. If `isMoved`, each line loses the `indent` of the first line. */
type TextBelowTag = { indent: number; isMoved: boolean }

/** Returns how much indentation each line loses: `['<a>', '    <b>', '    Use x.', '      - y']` → `[0, 4, 4, 4]` */
const lengthsToMove = (lines: Array<string>): Array<number> => {
  // The text that a line continues, or undefined just below a tag. The text above the first tag is not moved.
  let text: TextBelowTag | undefined = { indent: 0, isMoved: false }
  return lines.map((line, index) => {
    const indent = /^[ \t]*/.exec(line)![0].length
    if (indent === line.length) return 0
    // A tag that is indented more than the text above it is a part of that text.
    const isInText = text !== undefined && indent > text.indent
    if (ONE_TAG.test(line) && !isInText) {
      // The closing tag of a moved text moves with it.
      const isMoved = text?.isMoved === true || DEEP.test(line)
      text = undefined
      return isMoved ? indent : 0
    }
    // Below a blank line, a deep indentation means code, which stays.
    const isBelowBlank = lines[index - 1]?.trim() === ''
    text ??= { indent, isMoved: DEEP.test(line) && !isBelowBlank }
    return text.isMoved ? Math.min(indent, text.indent) : 0
  })
}

// Matches a line with only a tag. Excludes `<pre>`, which contains code, and tags without content, such as `<br>`.
const TAG_OF_PROSE = /^([ \t>]*)<(\/?(?!(?:pre|br|hr|img)\b)[a-z][\w.:-]*(?:[ \t][^<>\n]*)?)>(?=[ \t]*$)/gim

/** `<rules>` → `# xxxxx`: CommonMark would read the lines below a tag as HTML, while a model reads them as text. */
const tagsToHeadings = (text: string): string =>
  text.replace(TAG_OF_PROSE, (_, prefix: string, tag: string) => `${prefix}# ${'x'.repeat(tag.length)}`)

/** Lists the children of a node, except list and quotation markers. */
export const childrenOf = (node: Node): Array<Node> => {
  const children: Array<Node> = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (child.name !== 'ListMark' && child.name !== 'QuoteMark') children.push(child)
  }
  return children
}

export const isTextNode = ({ name }: Node): boolean => name === 'Paragraph' || name === 'Task'

export const nodesOf = (root: Node, isKind: (node: Node) => boolean): Array<Node> => {
  const nodes: Array<Node> = []
  root.cursor().iterate(({ node }) => {
    if (isKind(node)) nodes.push(node)
  })
  return nodes
}

/** Whether a node is a comment within a line. A comment at the start of a line is a block, which does not count. */
export const isComment = (text: string, name: string, from: number): boolean =>
  name === 'Comment' || name === 'HTMLTag' && text.startsWith('<!--', from)

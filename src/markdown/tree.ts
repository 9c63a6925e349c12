/** Creates the syntax tree of a Markdown file, in which the text between HTML tags is Markdown, too. */
import { parseMarkdown } from './parser.ts'

export type Node = ReturnType<typeof parseMarkdown>

/**
 * Parses a text with any line endings. First rewrites, step by step, what the parser would misread. Each step keeps the
 * length of the text, so the offsets of the nodes are those in `text`.
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

// Matches a line `[name]:`.
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
  // With a tab at the end, because two spaces before a line ending would be a hard line break.
  const moved = lengths.map((length) => length > 0 ? `${' '.repeat(length - 1)}\t` : '')
  return lines.map((line, index) => line.slice(lengths[index]) + (moved[index + 1] ?? '')).join('\n')
}

// Matches a line with nothing but a tag: `<rules>`, `</rules>`, `<a name="x">`.
const ONE_TAG = /^[ \t]*<\/?[a-z][\w.:-]*(?:[ \t][^<>\n]*)?>[ \t]*$/i
// Matches an indentation that makes a line code.
const DEEP = /^(?: {4}| {0,3}\t)/

/** The text between two tags. If its first line is deep, `isMoved`: each line loses the `indent` of the first. */
type TextBelowTag = { indent: number; isMoved: boolean }

/** Returns how much indentation each line loses: `['<a>', '    <b>', '    Use x.', '      - y']` → `[0, 4, 4, 4]` */
const lengthsToMove = (lines: Array<string>): Array<number> => {
  // The text that a line continues: undefined just below a tag. The text above the first tag is not moved.
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

// A line that is one tag, but not `<pre>`, whose content is code, nor a tag without content, such as `<br>`.
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

/** Whether the node with this name at `from` is a comment within a line. At its start, it is a block. */
export const isComment = (text: string, name: string, from: number): boolean =>
  name === 'Comment' || name === 'HTMLTag' && text.startsWith('<!--', from)

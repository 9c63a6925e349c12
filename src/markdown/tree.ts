/** Creates the syntax tree of a Markdown file with any line endings. Reads the text between HTML tags as Markdown. */
import { parseMarkdown } from './parser.ts'

/** A node of a Markdown syntax tree. */
export type Node = ReturnType<typeof parseMarkdown>

/**
 * Parses a text as CommonMark with GitHub's tables and check boxes. Reads frontmatter as blank, and a line that is one
 * tag as a heading. The offsets of the nodes are offsets in `text`, because each replacement keeps the length.
 *
 * `'<rules>\nUse x.\n</rules>'` is parsed as `'# xxxxx\nUse x.\n# xxxxxx'`
 */
export const treeOf = (text: string, frontmatterLength: number): Node => {
  const blankFrontmatter = text.slice(0, frontmatterLength).replace(/[^\n]/g, ' ')
  const withTables = repairTables(text.slice(frontmatterLength))
  const withLineFeeds = withTables.replaceAll('\r\n', ' \n').replaceAll('\r', '\n')
  const withTagsUnindented = unindentTags(replaceOpenDefinitions(withLineFeeds))
  return parseMarkdown(blankFrontmatter + tagsToHeadings(withTagsUnindented))
}

// The second row of a table, such as `|--|:-:|`, with blanks after its last `|`, or with the `\r` of its line ending.
const DELIMITER_ROW = /^([ \t>]*[|:-][ \t|:-]*)\|([ \t\r]+)\n/gm

/** Moves the blanks at the end of a delimiter row into it, because the parser accepts none: `|--|  ` → `|--  |`. */
const repairTables = (text: string): string =>
  text.replace(DELIMITER_ROW, (_, cells: string, { length }: string) => `${cells}${' '.repeat(length)}|\n`)

// The start of a link definition whose address is on the next line, such as `[name]:`.
const OPEN_DEFINITION = /^([ \t>]*)\[([^[\]\n]*)\]:(?=[ \t]*$)/gm

/** Replaces open link definitions with words: the parser takes quadratic time for many of them. */
const replaceOpenDefinitions = (text: string): string =>
  text.replace(
    OPEN_DEFINITION,
    (_, prefix: string, { length }: string) => `${prefix}${'x'.repeat(length + 3)}`,
  )

/**
 * Moves deep indentation of tags, and of the text below them, to the end of the line before: the parser would read such
 * lines as code.
 *
 * `'<a>\n    <b>\n    Use x.'` → `'<a>   \t\n<b>   \t\nUse x.'`
 */
const unindentTags = (text: string): string => {
  const lines = text.split('\n')
  const movedLengths = lengthsToMove(lines)
  // Moved indentation ends in a tab, because two spaces before a line ending are a hard line break.
  const movedFrom = (index: number): string =>
    movedLengths[index] ? `${' '.repeat(movedLengths[index] - 1)}\t` : ''
  return lines.map((line, index) => line.slice(movedLengths[index]) + movedFrom(index + 1)).join('\n')
}

// A line that is one tag, such as `  <rules>` or `</rules>`.
const ONE_TAG = /^[ \t]*<\/?[a-z][\w.:-]*(?:[ \t][^<>\n]*)?>[ \t]*$/i

// Indented as deep as a code block.
const DEEP = /^(?: {4}| {0,3}\t)/

/** Returns how many characters of each line's indentation are moved. The first line has no line above: 0. */
const lengthsToMove = (lines: Array<string>): Array<number> => {
  // The text is what follows the last tag. Its first line decides how far it is indented, and whether it is moved.
  // Above the first tag, the text counts as not indented.
  let textIndent: number | undefined = 0
  let isTextMoved = false
  let isAfterBlank = true
  return lines.map((line, index) => {
    const indent = /^[ \t]*/.exec(line)![0].length
    // A tag that is indented more than the text above it is a part of that text.
    const isInText = textIndent !== undefined && indent > textIndent
    let length = 0
    if (ONE_TAG.test(line) && !isInText) {
      if (isTextMoved || DEEP.test(line)) length = indent
      textIndent = undefined
      isTextMoved = false
    } else if (indent < line.length) {
      if (textIndent === undefined) {
        textIndent = indent
        // After a blank line, deeply indented text is meant as code.
        isTextMoved = DEEP.test(line) && !isAfterBlank
      }
      if (isTextMoved) length = Math.min(indent, textIndent)
    }
    isAfterBlank = line.trim() === ''
    return index === 0 ? 0 : length
  })
}

// A line that is one tag; not `<pre>`, whose content is code, nor a tag without content.
const TAG_OF_PROSE = /^([ \t>]*)<(\/?(?!(?:pre|br|hr|img)\b)[a-z][\w.:-]*(?:[ \t][^<>\n]*)?)>(?=[ \t]*$)/gim

/**
 * Replaces each line that is one tag with a heading: `<rules>` → `# xxxxx`. A heading is a block of its own, as the tag
 * is. But CommonMark reads the lines below a tag as HTML, while a model reads them as text.
 */
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

/** Whether the node that has this name and starts at `from` in `text` is a comment within a line. */
export const isComment = (text: string, name: string, from: number): boolean =>
  name === 'Comment' || name === 'HTMLTag' && text.startsWith('<!--', from)

/** Creates the syntax tree of a Markdown file; the text between HTML tags is read as Markdown, too. */
import { parseMarkdown } from './parser.ts'

export type Node = ReturnType<typeof parseMarkdown>

/** Parses a text with any line endings. Nodes have the offsets of `text`, because each replacement keeps the length. */
export const treeOf = (text: string, frontmatterLength: number): Node => {
  const blankFrontmatter = text.slice(0, frontmatterLength).replace(/[^\n]/g, ' ')
  const withTables = repairTables(text.slice(frontmatterLength))
  const withLineFeeds = withTables.replaceAll('\r\n', ' \n').replaceAll('\r', '\n')
  const withTagsUnindented = unindentTags(replaceOpenDefinitions(withLineFeeds))
  return parseMarkdown(blankFrontmatter + tagsToHeadings(withTagsUnindented))
}

// `|--|:-:|` with blanks after it, or with the `\r` of its line ending
const DELIMITER_ROW = /^([ \t>]*[|:-][ \t|:-]*)\|([ \t\r]+)\n/gm

/** `|--|  ` → `|--  |`: the parser accepts no blanks at the end of a delimiter row. */
const repairTables = (text: string): string =>
  text.replace(DELIMITER_ROW, (_, cells: string, { length }: string) => `${cells}${' '.repeat(length)}|\n`)

const OPEN_DEFINITION = /^([ \t>]*)\[([^[\]\n]*)\]:(?=[ \t]*$)/gm

/** Replaces `[name]:` whose address is on the next line: for many of these, the parser takes quadratic time. */
const replaceOpenDefinitions = (text: string): string =>
  text.replace(
    OPEN_DEFINITION,
    (_, prefix: string, { length }: string) => `${prefix}${'x'.repeat(length + 3)}`,
  )

/** `'<a>\n    <b>\n    Use x.'` → `'<a>   \t\n<b>   \t\nUse x.'`: the parser would read deep indentation as code. */
const unindentTags = (text: string): string => {
  const lines = text.split('\n')
  const movedLengths = lengthsToMove(lines)
  // Ends in a tab, because two spaces before a line ending are a hard line break.
  const movedFrom = (index: number): string =>
    movedLengths[index] ? `${' '.repeat(movedLengths[index] - 1)}\t` : ''
  return lines.map((line, index) => line.slice(movedLengths[index]) + movedFrom(index + 1)).join('\n')
}

const ONE_TAG = /^[ \t]*<\/?[a-z][\w.:-]*(?:[ \t][^<>\n]*)?>[ \t]*$/i

const DEEP = /^(?: {4}| {0,3}\t)/

const lengthsToMove = (lines: Array<string>): Array<number> => {
  // The indentation of the text below the last tag: undefined until its first line, 0 above the first tag.
  let textIndent: number | undefined = 0
  let isTextMoved = false
  let isAfterBlank = true
  return lines.map((line, index) => {
    const indent = /^[ \t]*/.exec(line)![0].length
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
    // Above the first line, there is none to move to.
    return index === 0 ? 0 : length
  })
}

// Not `<pre>`, whose content is code, nor a tag without content.
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

/** Whether a node is a paragraph or the text of an item. */
export const isTextNode = ({ name }: Node): boolean => name === 'Paragraph' || name === 'Task'

/** Lists the nodes of one kind. */
export const nodesOf = (root: Node, isKind: (node: Node) => boolean): Array<Node> => {
  const nodes: Array<Node> = []
  root.cursor().iterate(({ node }) => {
    if (isKind(node)) nodes.push(node)
  })
  return nodes
}

/** Whether the node with this name at `from` is a comment within a line. */
export const isComment = (text: string, name: string, from: number): boolean =>
  name === 'Comment' || name === 'HTMLTag' && text.startsWith('<!--', from)

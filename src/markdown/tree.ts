/** Creates the syntax tree of a Markdown file; the text between HTML tags is read as Markdown, too. */
import { parseMarkdown } from './parser.ts'

export type Node = ReturnType<typeof parseMarkdown>

/**
 * Parses a text with any line endings. First replaces what the parser would misread. Each replacement keeps the length,
 * so the offsets of the nodes are those in `text`.
 */
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

/**
 * Moves the deep indentation of tags and of the text below them to the end of the line above, because the parser would
 * read it as code: `'<a>\n    <b>\n    Use x.'` → `'<a>   \t\n<b>   \t\nUse x.'`
 */
const unindentTags = (text: string): string => {
  const lines = text.split('\n')
  const movedLengths = lengthsToMove(lines)
  // With a tab at the end, because two spaces before a line ending would be a hard line break.
  const movedFrom = (index: number): string =>
    movedLengths[index] ? `${' '.repeat(movedLengths[index] - 1)}\t` : ''
  return lines.map((line, index) => line.slice(movedLengths[index]) + movedFrom(index + 1)).join('\n')
}

const ONE_TAG = /^[ \t]*<\/?[a-z][\w.:-]*(?:[ \t][^<>\n]*)?>[ \t]*$/i

const DEEP = /^(?: {4}| {0,3}\t)/

/**
 * Returns how many characters of each line's indentation are moved. Of a line that is one tag, all are, if it is deeply
 * indented, or if the text above it was moved. The first line of the text below a tag decides for the whole text: if it
 * is deeply indented, but not below a blank line, as code is, its indentation is removed from each line.
 */
const lengthsToMove = (lines: Array<string>): Array<number> => {
  // The indentation of the text below the last tag; undefined until its first line. Above the first tag, it is 0.
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
        isTextMoved = DEEP.test(line) && !isAfterBlank
      }
      if (isTextMoved) length = Math.min(indent, textIndent)
    }
    isAfterBlank = line.trim() === ''
    // There is no line above the first one.
    return index === 0 ? 0 : length
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

/** Whether the node with this name at `from` is a comment within a line. */
export const isComment = (text: string, name: string, from: number): boolean =>
  name === 'Comment' || name === 'HTMLTag' && text.startsWith('<!--', from)

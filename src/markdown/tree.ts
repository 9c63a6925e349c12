/** Creates the syntax tree of a Markdown file. */
import { markdown } from './parser.ts'

export type Node = ReturnType<typeof treeOf>

/** Returns a tree whose offsets are valid in `text`, because every replacement below keeps the length of the text. */
export const treeOf = (text: string, frontmatterLength: number) => {
  const blankFrontmatter = text.slice(0, frontmatterLength).replace(/[^\n]/g, ' ')
  const repaired = text.slice(frontmatterLength)
    // `|--|  ` → `|--  |`: the parser accepts no blanks at the end of a delimiter row.
    .replace(DELIMITER_ROW, (_, cells: string, { length }: string) => `${cells}${' '.repeat(length)}|\n`)
    .replaceAll('\r\n', ' \n').replaceAll('\r', '\n')
    // For many `[name]:` with the address on the next line, the parser takes quadratic time.
    .replace(OPEN_DEFINITION, (_, prefix: string, name: string) => prefix + 'x'.repeat(`[${name}]:`.length))
  // `<rules>` → `# xxxxx`: CommonMark would read the lines below a tag as HTML.
  const tagToHeading = (_: string, prefix: string, tag: string) => `${prefix}# ${'x'.repeat(tag.length)}`
  const prepared = blankFrontmatter + unindentTags(repaired).replace(TAG_OF_PROSE, tagToHeading)
  return markdown.parse(prepared.replace(DEEP_LINE, (line) => line.replace(/\S/g, 'x'))).topNode
}

const DELIMITER_ROW = /^([ \t>]*[|:-][ \t|:-]*)\|([ \t\r]+)\n/gm
const OPEN_DEFINITION = /^([ \t>]*)\[([^[\]\n]*)\]:(?=[ \t]*$)/gm
const TAG_OF_PROSE = /^([ \t>]*)<(\/?(?!(?:pre|br|hr|img)\b)[a-z][\w.:-]*(?:[ \t][^<>\n]*)?)>(?=[ \t]*$)/gim
// A line with 200 levels of lists, quotations or indentation takes seconds to parse, and may overflow the stack.
const DEEP_LINE = /^(?:(?: (?! ))?(?:>|(?:\d{1,9}[.)]|[-*+])(?=[ \t])| {2}|\t)){200}.*/gm

/** Moves indentation, which the parser would read as code, to the line above: `'<a>\n    x'` → `'<a>   \t\nx'` */
const unindentTags = (text: string): string => {
  const lines = text.split('\n')
  const lengths = lengthsToMove(lines)
  // Two spaces before a line ending would be a hard line break, so a tab comes last.
  const moved = lengths.map((length) => length > 0 ? `${' '.repeat(length - 1)}\t` : '')
  return lines.map((line, index) => line.slice(lengths[index]) + (moved[index + 1] ?? '')).join('\n')
}

const ONLY_A_TAG = /^[ \t]*<\/?[a-z][\w.:-]*(?:[ \t][^<>\n]*)?>[ \t]*$/i
const CODE_INDENT = /^(?: {4}| {0,3}\t)/

/** `['<a>', '    <b>', '    Use x.', '      - y']` → `[0, 4, 4, 4]` */
const lengthsToMove = (lines: Array<string>): Array<number> => {
  // Describes the text below the last tag (at first, the start of the file). Undefined between a tag and its text.
  // If `isMoved`, each line of the text loses the `indent` of the first line.
  let text: { indent: number; isMoved: boolean } | undefined = { indent: 0, isMoved: false }
  return lines.map((line, index) => {
    const indent = /^[ \t]*/.exec(line)![0].length
    if (indent === line.length) return 0
    const isInText = text !== undefined && indent > text.indent
    if (ONLY_A_TAG.test(line) && !isInText) {
      const isMoved = text?.isMoved === true || CODE_INDENT.test(line)
      text = undefined
      return isMoved ? indent : 0
    }
    // Below a blank line, a deep indentation means code.
    const isBelowBlank = lines[index - 1]?.trim() === ''
    text ??= { indent, isMoved: CODE_INDENT.test(line) && !isBelowBlank }
    return text.isMoved ? Math.min(indent, text.indent) : 0
  })
}

export const isTextNode = ({ name }: Node): boolean => name === 'Paragraph' || name === 'Task'

export const nodesOf = (root: Node, isKind: (node: Node) => boolean): Array<Node> => {
  const nodes: Array<Node> = []
  root.cursor().iterate(({ node }) => {
    if (isKind(node)) nodes.push(node)
  })
  return nodes
}

/** Whether a node is a comment within a line, not a `CommentBlock`. */
export const isComment = (text: string, name: string, from: number): boolean =>
  name === 'Comment' || name === 'HTMLTag' && text.startsWith('<!--', from)

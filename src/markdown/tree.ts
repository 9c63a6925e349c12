/** The syntax tree of a Markdown file: tags count as text, and any line ending is accepted. */
import { parseMarkdown } from './parser.ts'

/** A node of a Markdown syntax tree. */
export type Node = ReturnType<typeof parseMarkdown>

// The delimiter row of a table. The parser accepts nothing after its last `|`.
const DELIMITERS = /^([ \t>]*[|:-][ \t|:-]*)\|([ \t\r]+)\n/gm

// The start of a link definition whose address is on the next line. Many of them take quadratic time.
const OPEN_DEFINITION = /^([ \t>]*)\[([^[\]\n]*)\]:(?=[ \t]*$)/gm

/** Replaces all line endings with `\n` and keeps the length of the text. */
const withLineFeedsAlone = (text: string): string =>
  text.replace(DELIMITERS, (_, cells: string, end: string) => `${cells}${' '.repeat(end.length)}|\n`)
    .replaceAll('\r\n', ' \n').replaceAll('\r', '\n')
    .replace(OPEN_DEFINITION, (_, prefix: string, { length }: string) => `${prefix}${'x'.repeat(length + 3)}`)

// A line that is one tag, such as `<rules>`. CommonMark reads the lines below as HTML; a model reads them as text. The
// excluded tags contain no prose.
const TAG_LINE = /^([ \t>]*)<(\/?(?!(?:pre|br|hr|img)\b)[a-z][\w.:-]*(?:[ \t][^<>\n]*)?)>(?=[ \t]*$)/gim

/** Replaces lines of one tag with headings, which are blocks of their own too. */
const withTagsAsHeadings = (text: string): string =>
  text.replace(TAG_LINE, (_, prefix: string, tag: string) => `${prefix}# ${'x'.repeat(tag.length)}`)

const ONE_TAG = /^[ \t]*<\/?[a-z][\w.:-]*(?:[ \t][^<>\n]*)?>[ \t]*$/i

// Indented as deep as a code block.
const DEEP = /^(?: {4}| {0,3}\t)/

/**
 * Moves the indentation of text in nested tags to the end of the line before, if it is as deep as that of a code block:
 * the parser would read the text as code. Expects `\n` line endings.
 */
const withTagsUnindented = (text: string): string => {
  // `base` is the indentation of the text below the last tag, `undefined` until it is known; `isDeep` says whether it
  // would make the text code.
  let base: number | undefined = 0
  let isDeep = false
  let before = ''
  return text.split('\n').map((line, index) => {
    const indent = /^[ \t]*/.exec(line)![0].length
    const isBlank = indent === line.length
    const isTag = (base === undefined || indent === 0 || indent <= base) && ONE_TAG.test(line)
    // After a blank line, it is code.
    if (!isTag && !isBlank && base === undefined) [base, isDeep] = [indent, DEEP.test(line) && before !== '']
    const isMoved = !isBlank && (isDeep || isTag && DEEP.test(line))
    const moved = !isMoved ? 0 : isTag ? indent : Math.min(indent, base!)
    if (isTag) [base, isDeep] = [undefined, false]
    before = line.trim()
    return moved === 0 || index === 0 ? `\n${line}` : `${' '.repeat(moved - 1)}\t\n${line.slice(moved)}`
  }).join('').slice(1)
}

/**
 * Parses a text as CommonMark with GitHub's tables and check boxes. Tags are text.
 *
 * @param frontmatter length of the frontmatter in characters
 */
export const treeOf = (text: string, frontmatter: number): Node => {
  const markdown = withTagsAsHeadings(withTagsUnindented(withLineFeedsAlone(text.slice(frontmatter))))
  return parseMarkdown(text.slice(0, frontmatter).replace(/[^\n]/g, ' ') + markdown)
}

/** Lists the children of a node without list and quotation markers. */
export const childrenOf = (node: Node): Array<Node> => {
  const children: Array<Node> = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (child.name !== 'ListMark' && child.name !== 'QuoteMark') children.push(child)
  }
  return children
}

/** Whether a node is a paragraph or the text of an item. */
export const isText = ({ name }: Node): boolean => name === 'Paragraph' || name === 'Task'

/** Whether an inline node of a text is a comment. */
export const isComment = (text: string, name: string, from: number): boolean =>
  name === 'Comment' || name === 'HTMLTag' && text.startsWith('<!--', from)

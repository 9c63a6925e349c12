import { parseMarkdown } from './parser.ts'

/** A node of the tree of a Markdown text. */
export type Node = ReturnType<typeof parseMarkdown>

// The line below the head of a table; the parser wants nothing after its last mark.
const DELIMITERS = /^([ \t>]*[|:-][ \t|:-]*)\|([ \t\r]+)\n/gm

// The start of a link definition whose address stands on another line: many of them take time that grows with their square.
const OPEN_DEFINITION = /^([ \t>]*)\[([^[\]\n]*)\]:(?=[ \t]*$)/gm

/** Gives a text of the same length with `\n` at its line ends. */
const withLineFeedsAlone = (text: string): string =>
  text.replace(DELIMITERS, (_, cells: string, end: string) => `${cells}${' '.repeat(end.length)}|\n`)
    .replaceAll('\r\n', ' \n').replaceAll('\r', '\n')
    .replace(OPEN_DEFINITION, (_, prefix: string, { length }: string) => `${prefix}${'x'.repeat(length + 3)}`)

// A line of one tag, such as `<rules>`. What stands below one is HTML to CommonMark; to a model, which reads the text as it
// is, it is the text in between. Below some tags no person writes text.
const TAG_LINE = /^([ \t>]*)<(\/?(?!(?:pre|br|hr|img)\b)[a-z][\w.:-]*(?:[ \t][^<>\n]*)?)>(?=[ \t]*$)/gim

/** Replaces the lines of one tag by headings, which stand for themselves as well. */
const withTagsAsHeadings = (text: string): string =>
  text.replace(TAG_LINE, (_, prefix: string, tag: string) => `${prefix}# ${'x'.repeat(tag.length)}`)

const ONE_TAG = /^[ \t]*<\/?[a-z][\w.:-]*(?:[ \t][^<>\n]*)?>[ \t]*$/i

// As deep as code is.
const DEEP = /^(?: {4}| {0,3}\t)/

/**
 * Moves the indentation of what stands in tags to the end of the line before, where it is as deep as that of code: words
 * in nested tags are indented so. Expects `\n` at line ends.
 */
const withTagsUnindented = (text: string): string => {
  // How far the words below the last tag are indented, `undefined` up to them; whether that is as deep as code.
  let base: number | undefined = 0
  let isDeep = false
  let before = ''
  return text.split('\n').map((line, index) => {
    const indent = /^[ \t]*/.exec(line)![0].length
    const isBlank = indent === line.length
    const isTag = (base === undefined || indent === 0 || indent <= base) && ONE_TAG.test(line)
    // Below a blank line it is code.
    if (!isTag && !isBlank && base === undefined) [base, isDeep] = [indent, DEEP.test(line) && before !== '']
    const isMoved = !isBlank && (isDeep || isTag && DEEP.test(line))
    const moved = !isMoved ? 0 : isTag ? indent : Math.min(indent, base!)
    if (isTag) [base, isDeep] = [undefined, false]
    before = line.trim()
    return moved === 0 || index === 0 ? `\n${line}` : `${' '.repeat(moved - 1)}\t\n${line.slice(moved)}`
  }).join('').slice(1)
}

/**
 * Reads a text as CommonMark with GitHub's tables and check boxes; tags are words of it.
 *
 * @param frontmatter how many characters at the start are frontmatter
 */
export const treeOf = (text: string, frontmatter: number): Node => {
  const markdown = withTagsAsHeadings(withTagsUnindented(withLineFeedsAlone(text.slice(frontmatter))))
  return parseMarkdown(text.slice(0, frontmatter).replace(/[^\n]/g, ' ') + markdown)
}

/** Lists the nodes right below a node, without the markers of items and quotations. */
export const childrenOf = (node: Node): Array<Node> => {
  const children: Array<Node> = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (child.name !== 'ListMark' && child.name !== 'QuoteMark') children.push(child)
  }
  return children
}

/** Whether a node is a paragraph, or the own text of an item. */
export const isText = ({ name }: Node): boolean => name === 'Paragraph' || name === 'Task'

/** Whether a node within a text is a comment. */
export const isComment = (text: string, name: string, from: number): boolean =>
  name === 'Comment' || name === 'HTMLTag' && text.startsWith('<!--', from)

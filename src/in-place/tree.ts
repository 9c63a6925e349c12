import { GFM, parser } from '@lezer/markdown'

/** A node of the tree of a Markdown text. */
export type Node = ReturnType<typeof commonMark.parse>['topNode']

const commonMark = parser.configure(GFM)

const BARRED: Record<string, string> = {
  FencedCode: 'code',
  CodeBlock: 'code',
  Table: 'a table',
  CommentBlock: 'a comment',
  HTMLBlock: 'HTML',
  ProcessingInstructionBlock: 'HTML',
  LinkReference: 'a link definition',
}

/** Names the kind of a node in which no rule is restated. */
export const barredKindOf = (name: string): string | undefined =>
  BARRED[name] ?? (/^(?:ATX|Setext)Heading/.test(name) ? 'a heading' : undefined)

const LETTERED = /^([ \t>]*)([a-z])[.)][ \t]/gm

/** Replaces the letters of `a.`, `b.`, `c.` by digits, so that they are read as the items of a list. */
const withLettersAsNumbers = (text: string): string => {
  const found = [...text.matchAll(LETTERED)].map(({ index, 1: prefix = '', 2: letter = '' }) => ({
    at: index + prefix.length,
    prefix,
    code: letter.charCodeAt(0),
  }))
  const last = new Map<string, number>()
  const isItem = found.map(({ prefix, code }, index) => {
    const next = found.slice(index + 1, index + 30).find((one) => one.prefix === prefix)
    const isOne = code === 97 ? next?.code === 98 : last.get(prefix) === code - 1
    if (isOne) last.set(prefix, code)
    return isOne
  })
  const units = text.split('')
  found.forEach(({ at }, index) => isItem[index] && (units[at] = '1'))
  return isItem.includes(true) ? units.join('') : text
}

/** Gives a text of the same length that CommonMark reads as it is meant: line ends as `\n`, no frontmatter. */
const toParsed = (text: string, frontmatter: number): string =>
  withLettersAsNumbers(
    text.slice(0, frontmatter).replace(/[^\n]/g, ' ')
      + text.slice(frontmatter).replaceAll('\r\n', ' \n').replaceAll('\r', '\n'),
  )

/** Lists the nodes right below a node. */
export const childrenOf = (node: Node): Array<Node> => {
  const children: Array<Node> = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child)
  return children
}

/** Whether a node is a paragraph, or the own text of an item. */
export const isText = ({ name }: Node): boolean => name === 'Paragraph' || name === 'Task'

/** Whether a node is the marker of an item or of a quotation. */
export const isMark = ({ name }: Node): boolean => name === 'ListMark' || name === 'QuoteMark'

/** Lists all nodes below a node. */
export const descendantsOf = (node: Node): Array<Node> => {
  const found: Array<Node> = []
  node.cursor().iterate((one) => void found.push(one.node))
  return found.slice(1)
}

/** Reads a text as CommonMark with GitHub's tables and check boxes; the first characters may be frontmatter. */
export const treeOf = (text: string, frontmatter: number): Node =>
  commonMark.parse(toParsed(text, frontmatter)).topNode

/**
 * In place: where a rule's source stands in a Markdown text, and the text with the rules in the place of their
 * sources. Pure; nothing here reads or writes a file.
 */
import { GFM, parser } from '@lezer/markdown'
import { splitFrontmatter } from '../markdown/frontmatter.ts'

/** A part of a text, by offsets in UTF-16 units; `to` is the first offset that is not in it. */
export type Span = { from: number; to: number }

/** A list item: its marker with the spaces after it, and its own text, without what stands below. */
export type Item = Span & {
  marker: Span
  /** The check box with the space after it, or ''. */
  box: string
  block: Block | null
  /** The first block below the item's own text; `list` where it is one, `isAll` where nothing follows it. */
  below: { from: number; list: List | null; isAll: boolean } | null
  depth: number
}

export type List = { isOrdered: boolean; items: Array<Item> }

/** A paragraph, or the own text of a list item; `from` and `to` leave the marker and the box out. */
export type Block = Span & {
  item: Item | null
  /** Emphasized parts. Where one is cut, its other mark stays. */
  emphasis: Array<{ whole: Span; marks: Array<Span> }>
  /** HTML comments in the text. */
  comments: Array<Span>
  /** The text with what ends no sentence replaced by letters: code, addresses, comments, quotation markers. */
  masked: string
  /** Whether the block is the first, or the last, in the quotation, list item or text that holds it. */
  isFirst: boolean
  isLast: boolean
  /** How many quotations, lists and items hold it. */
  depth: number
}

/** A part of a text in which no rule is restated, and what it is called. */
export type Barred = Span & { kind: string }

export type Markdown = {
  text: string
  blocks: Array<Block>
  lists: Array<List>
  barred: Array<Barred>
  /** The list that the text ends with, if it does. */
  lastList: List | undefined
}

type Node = ReturnType<typeof commonMark.parse>['topNode']

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

const barredKindOf = (name: string): string | undefined =>
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

const childrenOf = (node: Node): Array<Node> => {
  const children: Array<Node> = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child)
  return children
}

const isText = ({ name }: Node): boolean => name === 'Paragraph' || name === 'Task'

const isMark = ({ name }: Node): boolean => name === 'ListMark' || name === 'QuoteMark'

const descendantsOf = (node: Node): Array<Node> => {
  const found: Array<Node> = []
  node.cursor().iterate((one) => void found.push(one.node))
  return found.slice(1)
}

const MASKED = new Set(['InlineCode', 'URL', 'Autolink', 'Comment', 'HTMLTag'])

const maskOf = (text: string, { from, to }: Span, inline: Array<Node>): string => {
  const units = text.slice(from, to).split('')
  const fill = (span: Span, unit: string) => {
    for (let at = Math.max(span.from, from); at < span.to; at++) units[at - from] = unit
  }
  for (const node of inline) {
    // The first and the last character stay: a backtick begins a sentence.
    if (MASKED.has(node.name)) fill({ from: node.from + 1, to: node.to - 1 }, 'x')
    if (node.name === 'QuoteMark') fill(node, ' ')
  }
  return units.join('')
}

/** Below this depth nothing is restated: no person nests so deep, and the stack has an end. */
const MAX_DEPTH = 100

const SPACE = /\s/

const trimmed = (text: string, { from, to }: Span): Span => {
  while (to > from && SPACE.test(text[to - 1]!)) to--
  while (from < to && SPACE.test(text[from]!)) from++
  return { from, to }
}

const toBlock = (text: string, node: Node, siblings: Array<Node>, depth: number): Block => {
  const inline = descendantsOf(node)
  const box = inline.find(({ name }) => name === 'TaskMarker')
  const span = trimmed(text, { from: box?.to ?? node.from, to: node.to })
  return {
    ...span,
    item: null,
    emphasis: inline.filter(({ name }) => /^(?:Strong)?Emphasis$|^Strikethrough$/.test(name))
      .map((whole) => ({ whole, marks: childrenOf(whole).filter(({ name }) => name.endsWith('Mark')) })),
    comments: inline.filter(({ name }) => name === 'Comment'),
    masked: maskOf(text, span, inline),
    isFirst: siblings[0]?.from === node.from,
    isLast: siblings.at(-1)?.from === node.from,
    depth,
  }
}

/** Collects the blocks of a tree. */
class Reader {
  readonly markdown: Markdown

  constructor(text: string) {
    this.markdown = { text, blocks: [], lists: [], barred: [], lastList: undefined }
  }

  /** Reads a node; gives the list that it is, if it is one. */
  read(node: Node, siblings: Array<Node>, depth: number): List | undefined {
    const { text, blocks, barred } = this.markdown
    const kind = depth > MAX_DEPTH ? 'deep nesting' : barredKindOf(node.name)
    if (kind !== undefined) barred.push({ from: node.from, to: node.to, kind })
    else if (isText(node)) blocks.push(toBlock(text, node, siblings, depth))
    else if (/^(?:Bullet|Ordered)List$/.test(node.name)) return this.#list(node, depth)
    else this.#children(childrenOf(node).filter((child) => !isMark(child)), depth)
    return undefined
  }

  #children(children: Array<Node>, depth: number): void {
    for (const child of children) this.read(child, children, depth + 1)
  }

  #list(node: Node, depth: number): List {
    const list: List = { isOrdered: node.name === 'OrderedList', items: [] }
    this.markdown.lists.push(list)
    for (const item of childrenOf(node)) {
      if (item.name === 'ListItem') list.items.push(this.#item(item, depth))
    }
    return list
  }

  #item(node: Node, depth: number): Item {
    const { text, blocks } = this.markdown
    const [mark, ...children] = childrenOf(node).filter(({ name }) => name !== 'QuoteMark')
    const own = children[0] !== undefined && isText(children[0]) ? children[0] : undefined
    const block = own === undefined ? null : toBlock(text, own, children, depth + 1)
    const start = own?.from ?? mark!.to
    const item: Item = {
      from: node.from,
      to: trimmed(text, node).to,
      marker: { from: mark!.from, to: mark!.to + /^[ \t]*/.exec(text.slice(mark!.to, start))![0].length },
      box: /^\[.\]/.exec(text.slice(start, block?.from ?? start))?.[0].concat(' ') ?? '',
      block,
      below: null,
      depth,
    }
    if (block !== null) blocks.push(Object.assign(block, { item }))
    const [first, ...others] = own === undefined ? children : children.slice(1)
    if (first === undefined) return item
    const list = this.read(first, children, depth + 1) ?? null
    this.#children(others, depth)
    return Object.assign(item, { below: { from: first.from, list, isAll: others.length === 0 } })
  }
}

/** Reads the blocks, the lists and what holds no rules of a text without a byte-order mark. Takes linear time. */
export const readMarkdown = (text: string): Markdown => {
  const { length } = splitFrontmatter(text).frontmatter
  const reader = new Reader(text)
  const { markdown } = reader
  if (length > 0) markdown.barred.push({ from: 0, to: length, kind: 'frontmatter' })
  const children = childrenOf(commonMark.parse(toParsed(text, length)).topNode)
  for (const child of children) markdown.lastList = reader.read(child, children, 0)
  return markdown
}

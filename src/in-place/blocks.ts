/**
 * In place: where a rule's source stands in a Markdown text, and the text with the rules in the place of their
 * sources. Pure; nothing here reads or writes a file.
 */
import { splitFrontmatter } from '../markdown/frontmatter.ts'
import { lineStart, type Span } from './lines.ts'
import { barredKindOf, childrenOf, descendantsOf, isMark, isText, type Node, treeOf } from './tree.ts'

export type { Span }

/** A list item: its marker with the spaces after it, and its own text, without what stands below. */
export type Item = Span & {
  marker: Span
  /** The check box and the sign before the words, each with a space after it, or ''. */
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
  /** Where a line is broken by hand: a sentence ends there. */
  breaks: Array<number>
  /** The text with what ends no sentence replaced by letters: code, addresses, comments, quotation markers. */
  masked: string
  /** Whether the block is the first, or the last, in its quotation, list item or text. */
  isFirst: boolean
  isLast: boolean
  /** What follows it there. */
  next: 'bullets' | 'code' | 'other'
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

const MASKED = new Set(['InlineCode', 'URL', 'Autolink', 'Comment', 'HTMLTag', 'Link', 'Image'])

const maskOf = (text: string, { from, to }: Span, inline: Array<Node>): string => {
  const units = text.slice(from, to).split('')
  const fill = (span: Span, unit: string) => {
    for (let at = Math.max(span.from, from); at < span.to; at++) units[at - from] = unit
  }
  for (const node of inline) {
    // The first and the last character stay: a backtick begins a sentence.
    if (MASKED.has(node.name)) fill({ from: node.from + 1, to: node.to - 1 }, 'x')
    if (node.name === 'QuoteMark' || node.name === 'HardBreak') fill(node, ' ')
  }
  return units.join('')
}

/** Nothing below this depth is read: no person nests so deep, and the stack is limited. */
const MAX_DEPTH = 100

const SPACE = /\s/

const trimmed = (text: string, { from, to }: Span): Span => {
  while (to > from && SPACE.test(text[to - 1]!)) to--
  while (from < to && SPACE.test(text[from]!)) from++
  return { from, to }
}

const isEmphasis = ({ name }: Node): boolean => /^(?:Strong)?Emphasis$|^Strikethrough$/.test(name)

// A line that begins with a bold label and a colon stands for itself.
const LABELLED_LINE = /(?<=\n[ \t>]*)(?:\*\*|__)[^*_\n]+(?::(?:\*\*|__)|(?:\*\*|__)[ \t]*[:：])/g

// The kind of an alert, such as `[!WARNING]`, has a line of its own.
const ALERT = /^\[!\w+\][ \t]*(?:\r\n?|\n)[ \t>]*/

/** Makes the blocks of a paragraph, or of the own text of an item: one, and one more for each labelled line. */
const toBlocks = (text: string, node: Node, siblings: Array<Node>, depth: number): Array<Block> => {
  const inline = descendantsOf(node)
  const box = inline.find(({ name }) => name === 'TaskMarker')
  const all = trimmed(text, { from: box?.to ?? node.from, to: node.to })
  const words = text.slice(all.from, all.to)
  const sign = SIGN.exec(words)?.[0].length ?? ALERT.exec(words)?.[0].length ?? 0
  const starts = [...words.matchAll(LABELLED_LINE)].map(({ index }) => all.from + index)
  const at = siblings.findIndex(({ from }) => from === node.from)
  const { name } = siblings[at + 1] ?? {}
  return [all.from + sign, ...starts].map((from, index): Block => {
    const end = starts[index]
    const span = trimmed(text, { from, to: end === undefined ? all.to : lineStart(text, end) })
    const within = inline.filter((one) => one.from >= span.from && one.to <= span.to)
    const isLast = index === starts.length
    return {
      ...span,
      item: null,
      emphasis: within.filter(isEmphasis)
        .map((whole) => ({ whole, marks: childrenOf(whole).filter((child) => child.name.endsWith('Mark')) })),
      comments: within.filter((one) => one.name === 'Comment'),
      breaks: within.flatMap((one) =>
        one.name === 'HardBreak' ? [one.from] : BREAK_TAG.test(text.slice(one.from, one.to)) ? [one.to] : []
      ),
      masked: maskOf(text, span, within),
      isFirst: at === 0 && index === 0,
      isLast: isLast && at === siblings.length - 1,
      next: isLast && name === 'BulletList' ? 'bullets' : isLast && name === 'CodeBlock' ? 'code' : 'other',
      depth,
    }
  })
}

// A sign before the words of an item, such as ✅, belongs to its marker.
const SIGN = /^(?:\p{Extended_Pictographic}\uFE0F?[ \t]*)+(?=\S)/u

const BREAK_TAG = /^<br\s*\/?>$/i

const boxOf = (raw: string): string => {
  const box = raw.replace(/\s+/g, ' ').trim()
  return box === '' ? '' : `${box} `
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
    else if (isText(node)) blocks.push(...toBlocks(text, node, siblings, depth))
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
    const [block = null, ...lines] = own === undefined ? [] : toBlocks(text, own, children, depth + 1)
    const start = own?.from ?? mark!.to
    const item: Item = {
      from: node.from,
      to: trimmed(text, node).to,
      marker: { from: mark!.from, to: mark!.to + /^[ \t]*/.exec(text.slice(mark!.to, start))![0].length },
      box: boxOf(text.slice(start, block?.from ?? start)),
      block,
      below: null,
      depth,
    }
    if (block !== null) blocks.push(Object.assign(block, { item }), ...lines)
    const [first, ...others] = own === undefined ? children : children.slice(1)
    const list = first === undefined ? undefined : this.read(first, children, depth + 1)
    this.#children(others, depth)
    const [line] = lines
    const from = line?.from ?? list?.items[0]?.marker.from ?? first?.from
    const below = from === undefined
      ? null
      : {
        from,
        list: line === undefined ? list ?? null : null,
        isAll: others.length === 0 && line === undefined,
      }
    return Object.assign(item, { below })
  }
}

/** Reads a text without a byte-order mark, in linear time: its blocks, its lists, and the parts that hold no rules. */
export const readMarkdown = (text: string): Markdown => {
  const { length } = splitFrontmatter(text).frontmatter
  const reader = new Reader(text)
  const { markdown } = reader
  if (length > 0) markdown.barred.push({ from: 0, to: length, kind: 'frontmatter' })
  const children = childrenOf(treeOf(text, length))
  for (const child of children) markdown.lastList = reader.read(child, children, 0)
  return markdown
}

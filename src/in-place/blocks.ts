/** Reads a Markdown text: its paragraphs and list items, and the parts that hold no rules. */
import { splitFrontmatter } from '../markdown/frontmatter.ts'
import { type Marker, readMarker } from './items.ts'
import { lineStart, type Span } from './lines.ts'
import { childrenOf, maskOf, type Node, treeOf } from './tree.ts'

/** A paragraph, or the own text of a list item; `from` and `to` leave the marker and the box out. */
export type Block = Span & {
  node: Node
  /** The text as `maskOf` gives it. */
  masked: string
  /** The names of the nodes around it in its quotation, list item or text. */
  previous: string | undefined
  next: string | undefined
}

/** A part of a text in which no rule is restated, and what it is called. */
export type Barred = Span & { kind: string }

/** A list item: its marker, its own text, and what stands below that. */
export type Item = {
  marker: Marker
  /** The check box and the sign before the words, each with a space after it, or ''. */
  box: string
  block: Block | null
  below: Array<Part>
  to: number
}

export type List = Span & { isOrdered: boolean; items: Array<Item>; depth: number }

export type Part = Block | List | Barred

export type Markdown = {
  text: string
  /** What the text is made of, in its order; quotations are opened. */
  parts: Array<Part>
  /** All blocks, all items and all barred parts, however deep. */
  blocks: Array<Block>
  items: Array<Item>
  barred: Array<Barred>
}

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
  BARRED[name] ?? (/Heading\d$/.test(name) ? 'a heading' : undefined)

/** Nothing below this depth is read: no person nests so deep, and the stack is limited. */
const MAX_DEPTH = 100

const isText = ({ name }: Node): boolean => name === 'Paragraph' || name === 'Task'
const isMark = ({ name }: Node): boolean => name === 'ListMark' || name === 'QuoteMark'

const trimmed = (text: string, { from, to }: Span): Span => {
  while (to > from && /\s/.test(text[to - 1]!)) to--
  while (from < to && /\s/.test(text[from]!)) from++
  return { from, to }
}

// A line that begins with a bold label and a colon stands for itself.
const LABELLED_LINE = /(?<=\n[ \t>]*)(?:\*\*|__)[^*_\n]+(?::(?:\*\*|__)|(?:\*\*|__)[ \t]*[:：])/g

// A sign before the words, such as ✅, belongs to the marker; the kind of an alert, such as `[!WARNING]`, has a line
// of its own.
const OPENING = /^(?:(?:\p{Extended_Pictographic}\uFE0F?[ \t]*)+(?=\S)|\[!\w+\][ \t]*(?:\r\n?|\n)[ \t>]*)/u

class Reader {
  readonly blocks: Array<Block> = []
  readonly items: Array<Item> = []
  readonly barred: Array<Barred> = []
  readonly #text: string
  readonly #mask: string

  constructor(text: string, mask: string) {
    this.#text = text
    this.#mask = mask
  }

  /** Reads nodes that stand in one quotation, item or text. */
  parts(nodes: Array<Node>, depth: number): Array<Part> {
    return nodes.flatMap((node, index) => {
      const children = childrenOf(node).filter((child) => !isMark(child))
      const kind = depth > MAX_DEPTH ? 'deep nesting' : barredKindOf(node.name)
      if (kind === undefined && isText(node)) return this.#blocks(node, nodes[index - 1], nodes[index + 1])
      if (kind === undefined && /List$/.test(node.name)) return [this.#list(node, depth)]
      if (kind === undefined && children.length > 0) return this.parts(children, depth + 1)
      const barred = { ...trimmed(this.#text, node), kind: kind ?? 'a divider' }
      this.barred.push(barred)
      return [barred]
    })
  }

  /** Makes the blocks of a paragraph, or of the own text of an item: one, and one more for each labelled line. */
  #blocks(node: Node, previous: Node | undefined, next: Node | undefined): Array<Block> {
    const text = this.#text
    const all = trimmed(text, { from: node.getChild('TaskMarker')?.to ?? node.from, to: node.to })
    const words = text.slice(all.from, all.to)
    const opening = OPENING.exec(words)?.[0].length ?? 0
    const starts = [...new Set([opening, ...[...words.matchAll(LABELLED_LINE)].map(({ index }) => index)])]
    const blocks = starts.map((start, index): Block => {
      const end = starts[index + 1]
      const to = end === undefined ? all.to : lineStart(text, all.from + end)
      const span = trimmed(text, { from: all.from + start, to })
      return {
        ...span,
        node,
        masked: this.#mask.slice(span.from, span.to),
        previous: index === 0 ? previous?.name : node.name,
        next: end === undefined ? next?.name : node.name,
      }
    })
    this.blocks.push(...blocks)
    return blocks
  }

  #list(node: Node, depth: number): List {
    const items = childrenOf(node).filter(({ name }) => name === 'ListItem').map((item) =>
      this.#item(item, depth)
    )
    const isOrdered = node.name === 'OrderedList'
    return { from: items[0]!.marker.from, to: items.at(-1)!.to, isOrdered, items, depth }
  }

  #item(node: Node, depth: number): Item {
    const [mark, ...nodes] = childrenOf(node).filter(({ name }) => name !== 'QuoteMark')
    const start = nodes[0] !== undefined && isText(nodes[0]) ? nodes[0].from : mark!.to
    const parts = this.parts(nodes, depth + 1)
    const [first, ...rest] = parts
    const block = first !== undefined && 'masked' in first && first.node.from === start ? first : null
    const box = this.#text.slice(start, block?.from ?? start).replace(/\s+/g, ' ').trim()
    const item = {
      marker: readMarker(this.#text, mark!, start),
      box: box === '' ? '' : `${box} `,
      block,
      below: block === null ? parts : rest,
      to: trimmed(this.#text, node).to,
    }
    this.items.push(item)
    return item
  }
}

/** Reads a text without a byte-order mark, in linear time. */
export const readMarkdown = (text: string): Markdown => {
  const { length } = splitFrontmatter(text).frontmatter
  const root = treeOf(text, length)
  const reader = new Reader(text, maskOf(text, root))
  if (length > 0) reader.barred.push({ from: 0, to: length, kind: 'frontmatter' })
  const parts = reader.parts(childrenOf(root), 0)
  return { text, parts, blocks: reader.blocks, items: reader.items, barred: reader.barred }
}

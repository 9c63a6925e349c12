/** Reads a Markdown text: its paragraphs and the words of its list items, and the parts that hold no rules. */
import { splitFrontmatter } from '../markdown/frontmatter.ts'
import { childrenOf, isText, maskOf, type Node, treeOf } from '../markdown/tree.ts'
import { type Span, trimmed } from './lines.ts'

/** A paragraph, or the own text of a list item; `from` and `to` hold its words. */
export type Block = Span & {
  /** Its paragraph. */
  node: Node
  /** The words as `maskOf` gives them. */
  masked: string
  /** What is right before and after it in its quotation, item or text. */
  previous: Node | undefined
  next: Node | undefined
  /** The item that it begins. */
  item: Node | undefined
}

/** A part of a text in which no rule is restated, and what it is called. */
export type Barred = Span & { kind: string }

export type Markdown = {
  text: string
  mask: string
  root: Node
  blocks: Array<Block>
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

/** Names a node in which no rule is restated; undefined for all others. */
export const barredKindOf = ({ name }: Node): string | undefined =>
  BARRED[name] ?? (/Heading\d$/.test(name) ? 'a heading' : undefined)

// The kind of an alert, such as `[!WARNING]`, has a line of its own.
const ALERT = /^\[!\w+\][ \t]*(?:\r\n?|\n)[ \t>]*/

type Around = Pick<Block, 'node' | 'previous' | 'next' | 'item'>

/** Makes the block of a paragraph, or of the own text of an item. */
const blockOf = ({ text, mask }: Markdown, around: Around): Block => {
  const { node } = around
  const all = trimmed(mask, { from: node.getChild('TaskMarker')?.to ?? node.from, to: node.to })
  const from = all.from + (ALERT.exec(text.slice(all.from, all.to))?.[0].length ?? 0)
  return { ...around, from, to: all.to, masked: mask.slice(from, all.to) }
}

/** Reads a text without a byte-order mark, in linear time. */
export const readMarkdown = (text: string): Markdown => {
  const { length } = splitFrontmatter(text).frontmatter
  const root = treeOf(text, length)
  const barred = length > 0 ? [{ from: 0, to: length, kind: 'frontmatter' }] : []
  const markdown: Markdown = { text, mask: maskOf(text, root), root, blocks: [], barred }
  const addParts = (nodes: Array<Node>, item?: Node): void =>
    nodes.forEach((node, index) => {
      const kind = barredKindOf(node)
      if (kind !== undefined) barred.push({ ...trimmed(text, node), kind })
      else if (isText(node)) {
        const [previous, next] = [nodes[index - 1], nodes[index + 1]]
        markdown.blocks.push(
          blockOf(markdown, { node, previous, next, item: index === 0 ? item : undefined }),
        )
      } else addParts(childrenOf(node), node.name === 'ListItem' ? node : undefined)
    })
  addParts(childrenOf(root))
  return markdown
}

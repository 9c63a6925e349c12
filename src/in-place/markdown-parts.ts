/** Reads a Markdown text: parts that no rule may change, parts that hold one line, emphasis, list items. */
import { splitFrontmatter } from '../markdown/frontmatter.ts'
import { childrenOf, isComment, type Node, treeOf } from '../markdown/tree.ts'
import type { Span } from '../text/changed-range.ts'
import { BLANK_LINE } from './lines.ts'

/** A part of a text, and what an answer calls it. */
export type Part = Span & { kind: string }

/** A mark of emphasis, such as `**`, and the one that it belongs to. */
export type Mark = Span & { counterpart: Span }

/** A Markdown text without a byte-order mark. */
export type Markdown = {
  text: string
  root: Node
  /** Frontmatter, code and comments, in their order. */
  protected: Array<Part>
  /** Headings and rows of tables: what replaces words of one has one line. */
  oneLine: Array<Part>
  /** The marks of emphasis, in their order. */
  marks: Array<Mark>
}

const PROTECTED: Record<string, string> = {
  FencedCode: 'code',
  CodeBlock: 'indented code',
  CommentBlock: 'a comment',
}

// A numbered list that its writer indented by four spaces is code to Markdown alone.
const STEPS = /^\d{1,3}[.)][ \t]+\p{L}/u

const ONE_LINE: Record<string, string> = { TableHeader: 'a table', TableRow: 'a table' }

const kindOfLine = (name: string): string | undefined =>
  ONE_LINE[name] ?? (/Heading\d$/.test(name) ? 'a heading' : undefined)

/** Reads a text in linear time. */
export const readMarkdown = (text: string): Markdown => {
  const { length } = splitFrontmatter(text).frontmatter
  const root = treeOf(text, length)
  const markdown: Markdown = { text, root, protected: [], oneLine: [], marks: [] }
  if (length > 0) markdown.protected.push({ from: 0, to: length, kind: 'frontmatter' })
  root.cursor().iterate(({ name, from, to, node }) => {
    const isSteps = name === 'CodeBlock' && STEPS.test(text.slice(from, from + 20))
    const kind = isSteps
      ? undefined
      : PROTECTED[name] ?? (isComment(text, name, from) ? 'a comment' : undefined)
    const line = kindOfLine(name)
    if (kind !== undefined) markdown.protected.push({ from, to, kind })
    if (line !== undefined) markdown.oneLine.push({ from, to, kind: line })
    if (!/Emphasis$|^Strikethrough$/.test(name)) return
    const [open, close] = [node.firstChild!, node.lastChild!].map(({ from, to }) => ({ from, to })) as [
      Span,
      Span,
    ]
    markdown.marks.push({ ...open, counterpart: close }, { ...close, counterpart: open })
  })
  markdown.marks.sort((one, other) => one.from - other.from)
  return markdown
}

/** Finds the heading or the row of a table in which all of a span stands. */
export const oneLineAt = ({ oneLine }: Markdown, span: Span): Part | undefined =>
  overlapping(oneLine, span).find(({ from, to }) => span.from >= from && span.to <= to)

/** Finds the innermost node of a kind in which an offset stands. */
export const nodeAt = (root: Node, at: number, isKind: (node: Node) => boolean): Node | undefined => {
  let node: Node | null = root.resolve(at, 1)
  while (node !== null && !isKind(node)) node = node.parent
  return node ?? undefined
}

/** Finds the underlined heading in which an offset stands, and its underline. */
export const underlinedAt = (root: Node, at: number): { heading: Span; underline: Span } | undefined => {
  const heading = nodeAt(root, at, ({ name }) => name.startsWith('SetextHeading'))
  return heading && { heading, underline: heading.lastChild! }
}

/** Finds the list item in which an offset stands. */
export const itemAt = (root: Node, at: number): Node | undefined =>
  nodeAt(root, at, ({ name }) => name === 'ListItem')

/** Whether a blank line stands between the items of a list. */
export const isLoose = (text: string, item: Node): boolean => {
  const [first, second] = childrenOf(item.parent!)
  const gap = first && second && text.slice(childrenOf(first).at(-1)?.to ?? first.to, second.from)
  return gap !== undefined && BLANK_LINE.test(gap)
}

/** Lists those of some spans, which follow each other, that share a character with another one. */
export const overlapping = <One extends Span>(spans: Array<One>, { from, to }: Span): Array<One> => {
  let [first, end] = [0, spans.length]
  while (first < end) {
    const middle = Math.floor((first + end) / 2)
    if (spans[middle]!.to <= from) first = middle + 1
    else end = middle
  }
  const found: Array<One> = []
  for (let at = first; at < spans.length && spans[at]!.from < to; at++) found.push(spans[at]!)
  return found
}

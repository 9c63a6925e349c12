/** Finds protected regions (such as code), headings, table rows, emphasis marks and unclosed blocks in Markdown. */
import { splitFrontmatter } from '../markdown/frontmatter.ts'
import { isComment, isTextNode, type Node, treeOf } from '../markdown/tree.ts'
import type { Span } from '../text/changed-range.ts'
import { lineNumbers, linesOf } from '../text/line-ending.ts'

/** `kind` is the region's name in messages to the model, such as `a heading`. */
export type Region = Span & { kind: string }

export type Markdown = ReturnType<typeof readMarkdown>

const PROTECTED: Record<string, string> = {
  FencedCode: 'code',
  CodeBlock: 'indented code',
  CommentBlock: 'a comment',
}

// In CommonMark, a numbered list indented by four spaces is code, but people mean a list.
const INDENTED_LIST = /^\d{1,3}[.)][ \t]+\p{L}/u

export const isHeading = (node: Node | null): boolean => /Heading\d$/.test(node?.name ?? '')

/** Parses a text, which must have no byte-order mark. The regions and the emphasis marks are sorted by offset. */
export const readMarkdown = (text: string) => {
  const { length } = splitFrontmatter(text).frontmatter
  const root = treeOf(text, length)
  const regions: Array<Region> = length > 0 ? [{ from: 0, to: length, kind: 'frontmatter' }] : []
  const oneLineRegions: Array<Region> = []
  const marks: Array<Node> = []
  root.cursor().iterate(({ name, from, to, node }) => {
    const isIndentedList = name === 'CodeBlock' && INDENTED_LIST.test(text.slice(from, from + 20))
    const kind = PROTECTED[name] ?? (isComment(text, name, from) ? 'a comment' : undefined)
    if (kind !== undefined && !isIndentedList) regions.push({ from, to, kind })
    if (isHeading(node)) oneLineRegions.push({ from, to, kind: 'a heading' })
    if (/^Table(?:Header|Row)$/.test(name)) oneLineRegions.push({ from, to, kind: 'a table' })
    if (/^(?:Emphasis|Strikethrough)Mark$/.test(name)) marks.push(node)
  })
  const preformatted = preformattedIn(text, regions)
  const protectedRegions = [
    ...regions.filter((region) => overlapping(preformatted, region).length === 0),
    ...preformatted.map((span) => ({ ...span, kind: 'code' })),
  ].sort((a, b) => a.from - b.from)
  return { text, root, lineNumbers: lineNumbers(text), protectedRegions, oneLineRegions, marks }
}

const PRE_TAG = /^[ \t>]*<pre\b[^<>]*>|<\/pre>/gim

/** Finds the spans from `<pre>` to `</pre>`, which the parser reads as prose. */
const preformattedIn = (text: string, codeRegions: Array<Span>): Array<Span> => {
  const spans: Array<Span> = []
  let from: number | undefined
  for (const { 0: tag, index } of text.matchAll(PRE_TAG)) {
    const to = index + tag.length
    if (!tag.startsWith('</')) {
      if (overlapping(codeRegions, { from: index, to }).length === 0) from ??= index
    } else if (from !== undefined) {
      spans.push({ from, to })
      from = undefined
    }
  }
  return spans
}

/** Returns the heading or the table row that contains a whole span. */
export const oneLineRegionAt = ({ oneLineRegions }: Markdown, span: Span): Region | undefined =>
  overlapping(oneLineRegions, span).find(({ from, to }) => span.from >= from && span.to <= to)

const enclosingNode = (root: Node, at: number, isKind: (node: Node) => boolean): Node | undefined => {
  let node: Node | null = root.resolve(at, 1)
  while (node !== null && !isKind(node)) node = node.parent
  return node ?? undefined
}

/** Returns the paragraph or heading that contains an offset. */
export const blockAt = (root: Node, at: number): Node | undefined =>
  enclosingNode(root, at, (node) => isTextNode(node) || isHeading(node))

export const itemAt = (root: Node, at: number): Node | undefined =>
  enclosingNode(root, at, ({ name }) => name === 'ListItem')

/** Whether a blank line separates the first two items of the list to which an item belongs. */
export const isLoose = (text: string, item: Node | undefined): boolean => {
  const [first, second] = item?.parent?.getChildren('ListItem') ?? []
  const lineAboveSecond = first && second && linesOf(text.slice(first.from, second.from)).at(-2)
  return lineAboveSecond !== undefined && /^[\s>]*$/.test(lineAboveSecond)
}

/** Lists the members of `spans` (sorted and disjoint) that overlap a span. */
export const overlapping = <S extends Span>(spans: Array<S>, { from, to }: Span): Array<S> => {
  let [first, end] = [0, spans.length]
  while (first < end) {
    const middle = Math.floor((first + end) / 2)
    if (spans[middle]!.to <= from) first = middle + 1
    else end = middle
  }
  while (end < spans.length && spans[end]!.from < to) end++
  return spans.slice(first, end)
}

// A tag that is alone on its line and must be closed, such as `<rules>`.
const OPENING =
  /^[ \t]*<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|p|li|d[dt]|t[rdh]|option|t(?:body|head|foot))\b)([A-Za-z][\w.:-]*)(?:[ \t][^<>\n]*)?(?<!\/)>[ \t]*$/gim
const CLOSING = /<\/([A-Za-z][\w.:-]*)>/g

/** Returns the line number of the fence or comment that is open at an offset, or of an unclosed tag above. */
export const unclosedLineAt = (text: string, at: number): number | undefined => {
  const before = text.slice(0, at)
  // Appends a paragraph `x`. If a fence or comment is open, its region includes the `x`.
  const { protectedRegions } = readMarkdown(`${before}\n\nx\n`)
  const openRegion = protectedRegions.find(({ to }) => to > before.length + 1)
  // Tags in code need no closing tag.
  const characters = before.split('')
  for (const { from, to } of protectedRegions) characters.fill(' ', from, to)
  const openedAt = openRegion?.from ?? offsetOfUnclosedTag(characters.join(''), text.slice(at))
  return openedAt === undefined ? undefined : lineNumbers(text)[openedAt]
}

const offsetOfUnclosedTag = (before: string, after: string): number | undefined => {
  const closingTags = (before + after).matchAll(CLOSING)
  const lastClosedAt = new Map(Array.from(closingTags, ({ index, 1: tag }) => [tag, index]))
  const openingTags = [...before.matchAll(OPENING)]
  return openingTags.find(({ index, 1: tag }) => (lastClosedAt.get(tag) ?? -1) < index)?.index
}

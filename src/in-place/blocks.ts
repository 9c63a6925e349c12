/** Reads a Markdown text: its paragraphs and the words of its list items, and the parts that hold no rules. */
import { splitFrontmatter } from '../markdown/frontmatter.ts'
import { childrenOf, isText, maskOf, type Node, treeOf } from '../markdown/tree.ts'
import { lineStart, SIGN, type Span, trimmed } from './lines.ts'

/** A paragraph, a line in one that stands for itself, or the own text of a list item; `from` and `to` hold its words. */
export type Block = Span & {
  /** Its paragraph. */
  node: Node
  /** The words as `maskOf` gives them. */
  masked: string
  /** What stands before its words and is no marker of Markdown, such as `✅ `, `• `, `1.2 ` or `<rule>`. */
  sign: string
  /** The closing tag after its words, where its sign has the opening one. */
  closing: string
  /** What is right before and after it in its quotation, item or text; its own node next to a line of its paragraph. */
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

// A line that stands for itself: one that begins with a sign, or with a bold label and a colon, or is one in bold, or
// stands in a tag.
const OWN_LINE = (sign: string): RegExp =>
  new RegExp(
    String
      .raw`(^|\n[ \t>]*)(?:(${sign})(?=\S)|(?:\*\*|__)[^*_\n]+(?::(?:\*\*|__)|(?:\*\*|__)[ \t]*[:：])|(?:\*\*|__)(?!\p{Ll})[^*_\n]+(?:\*\*|__)[ \t]*(?=\r?\n)|<([A-Za-z][\w.:-]*)(?:[ \t][^<>\n]*)?>[^<\n]*(?:<(?!/?\3[\s>])[^<\n]*)*</\3>[ \t]*(?=\r?\n|$))`,
    'gu',
  )

// Labels in letters are signs in a text with the first two of them.
const isLettered = (text: string): boolean =>
  [['a', 'b'], ['A', 'B'], ['i', 'ii'], ['I', 'II']].some((labels) =>
    labels.every((label) => new RegExp(`^[ \\t>]*${label}[.)][ \\t]`, 'm').test(text))
  )

const [OWN, OWN_OR_LETTERED] = [
  OWN_LINE(SIGN),
  OWN_LINE(String.raw`${SIGN}|(?:[a-zA-Z]|[ivxIVX]{2,4})[.)][ \t]+`),
]

// The line of a question, where that of its answer follows, such as `A: …`.
const BEFORE_ANSWER = /[?？؟]["'*_”’»)]*[ \t]*\r?\n[ \t>]*(?=[^\s.:：!?]{1,12}[:：])/g

// Words in one tag, such as `<rule id="1">…</rule>`.
const IN_TAG =
  /^(<([A-Za-z][\w.:-]*)(?:[ \t][^<>]*)?>)(?=\s*(?!<\/)\S)[^<]*(?:<(?!\/?\2[\s>])[^<]*)*(<\/\2>)$/

// How lines begin that are one rule each, such as `Tests: …`, `Rule 2: …`, `Step 2. …` or `text: …` in a file of settings,
// and those of their reasons.
const LABELLED =
  /^[ \t>]*(?:[\p{Lu}§][^.:!?]{0,30}(?::|[ \t][-–—])(?=[ \t])|\p{Lu}\p{L}+ \d{1,3}[.)](?=[ \t])|[a-z][\w-]{0,30}:(?=\s|$))/u
const REASON_LINE = /^[ \t>]*Reason:/
const EACH_LINE = /(^|\n[ \t>]*)(?![ \t>]*Reason:)/g

/** Whether each line of a paragraph has a label; two may be a pair. */
const isLabelled = (words: string): boolean => {
  const lines = words.split('\n')
  return lines.every((line) => LABELLED.test(line))
    && lines.filter((line) => !REASON_LINE.test(line)).length > (/^(?!\p{Ll})\D+:/u.test(words) ? 2 : 1)
}

// The kind of an alert, such as `[!WARNING]`, has a line of its own.
const ALERT = /^\[!\w+\][ \t]*(?:\r\n?|\n)[ \t>]*/

// Words that introduce what follows, or a line in bold. A small letter goes on with the line before, but not in one word.
const LABEL_LINE = /^\P{Ll}.*[:：]["'*_”’»)\]]*$|^[\p{L}\d_-]+:$|^(\*\*?|__?)[^*_]+\1$/u

/**
 * Finds where the last line of an item begins, if that is a label without the indentation of the item: a list goes on there
 * to Markdown, to its writer it ends.
 */
const labelBelow = (words: string, column: number): number | undefined => {
  const start = words.lastIndexOf('\n') + 1
  const indent = /^[ \t>]*/.exec(words.slice(start))![0].length
  const isLabel = start > 0 && indent < column && LABEL_LINE.test(words.slice(start + indent))
  return isLabel ? start + indent : undefined
}

type Start = { from: number; sign: string }

/**
 * Finds where the blocks of a paragraph begin, and the sign there: at its start, and at each line that stands for itself.
 *
 * @param column that of the words of an item. A single sign counts in the first line alone, or before this column: prose
 * may be wrapped there
 */
const startsIn = (words: string, ownLine: RegExp, column: number): Array<Start> => {
  const signs = new Map<number, string>([[ALERT.exec(words)?.[0].length ?? 0, '']])
  const found = [...words.matchAll(isLabelled(words) ? EACH_LINE : ownLine)]
  const isSingle = found.filter(([, , sign]) => sign).length === 1
  for (const { index, 0: line, 1: gap = '', 2: sign = '', 3: tag } of found) {
    const [from, end] = [index + gap.length, index + line.length]
    if (sign !== '' && isSingle && from > 0 && gap.length > column) continue
    signs.set(from, sign)
    if (tag !== undefined && end < words.length) {
      signs.set(end + /^\r?\n[ \t>]*/.exec(words.slice(end))![0].length, '')
    }
  }
  for (const { index, 0: { length } } of words.matchAll(BEFORE_ANSWER)) signs.set(index + length, '')
  return Array.from(signs, ([from, sign]) => ({ from, sign })).toSorted((one, other) => one.from - other.from)
}

type Around = Pick<Block, 'node' | 'previous' | 'next' | 'item'>

/** Makes the blocks of a paragraph, or of the own text of an item. */
const blocksOf = (
  { text, mask }: Markdown,
  { node, previous, next, item }: Around,
  ownLine: RegExp,
): Array<Block> => {
  const all = trimmed(mask, { from: node.getChild('TaskMarker')?.to ?? node.from, to: node.to })
  const words = text.slice(all.from, all.to)
  const column = node.parent?.name === 'ListItem' ? node.from - lineStart(text, node.from) : 0
  const starts = startsIn(words, ownLine, column)
  const isLast = column > 0 && next === undefined
  const label = isLast ? labelBelow(words, column) : undefined
  if (label !== undefined && starts.at(-1)!.from < label) starts.push({ from: label, sign: '' })
  return starts.map(({ from, sign }, index) => {
    const end = starts[index + 1]?.from
    const to = end === undefined ? all.to : lineStart(text, all.from + end)
    const whole = trimmed(text, { from: all.from + from + sign.length, to })
    const isTagged = text[whole.from] === '<'
    const [, opening = '', , tag = ''] = isTagged && IN_TAG.exec(text.slice(whole.from, whole.to)) || []
    const span = trimmed(text, { from: whole.from + opening.length, to: whole.to - tag.length })
    return {
      ...span,
      node,
      masked: mask.slice(span.from, span.to),
      sign: sign + text.slice(whole.from, span.from),
      closing: text.slice(span.to, whole.to),
      previous: index === 0 ? previous : node,
      next: end === undefined ? next : node,
      item: index === 0 ? item : undefined,
    }
  })
}

/** Reads a text without a byte-order mark, in linear time. */
export const readMarkdown = (text: string): Markdown => {
  const { length } = splitFrontmatter(text).frontmatter
  const root = treeOf(text, length)
  const barred = length > 0 ? [{ from: 0, to: length, kind: 'frontmatter' }] : []
  const markdown: Markdown = { text, mask: maskOf(text, root), root, blocks: [], barred }
  const ownLine = isLettered(text) ? OWN_OR_LETTERED : OWN
  const addParts = (nodes: Array<Node>, item?: Node): void =>
    nodes.forEach((node, index) => {
      const kind = barredKindOf(node)
      if (kind !== undefined) barred.push({ ...trimmed(text, node), kind })
      else if (isText(node)) {
        const around = {
          node,
          previous: nodes[index - 1],
          next: nodes[index + 1],
          item: index === 0 ? item : undefined,
        }
        markdown.blocks.push(...blocksOf(markdown, around, ownLine))
      } else addParts(childrenOf(node), node.name === 'ListItem' ? node : undefined)
    })
  addParts(childrenOf(root))
  return markdown
}

/** Marks that have a counterpart in their block: emphasis, brackets, tags. */
import type { Block } from './blocks.ts'
import { hasWords, type Span } from './lines.ts'

/** Two marks, and what stands between them. */
export type Pair = { open: Span; close: Span; kind: 'emphasis' | 'bracket' | 'tag' }

const bracketsIn = ({ from, masked }: Block): Array<Pair> => {
  const [open, found]: [Array<Span>, Array<Pair>] = [[], []]
  for (const { index, 0: sign } of masked.matchAll(/[()（）]/g)) {
    const span = { from: from + index, to: from + index + 1 }
    if (/[(（]/.test(sign)) open.push(span)
    else if (open.length > 0) found.push({ open: open.pop()!, close: span, kind: 'bracket' })
  }
  return found
}

/** Lists the pairs of marks of a block, the outer before the inner ones. */
export const pairsIn = (text: string, block: Block): Array<Pair> => {
  const pairs = bracketsIn(block)
  const tags: Array<Span & { tag: string }> = []
  block.node.cursor().iterate(({ name, node: { from, to, firstChild, lastChild } }) => {
    if (/^(?:(?:Strong)?Emphasis|Strikethrough)$/.test(name)) {
      pairs.push({ open: firstChild!, close: lastChild!, kind: 'emphasis' })
    }
    const [, slash, tag] = name === 'HTMLTag' ? /^<(\/?)([\w.:-]+)/.exec(text.slice(from, to)) ?? [] : []
    if (tag === undefined) return
    if (slash === '') return void tags.push({ tag, from, to })
    const at = tags.findLastIndex((one) => one.tag === tag)
    if (at >= 0) pairs.push({ open: tags.splice(at)[0]!, close: { from, to }, kind: 'tag' })
  })
  // Of a tag around all of the block, no mark is in it.
  const isIn = ({ from, to }: Span) => from >= block.from && to <= block.to
  return pairs.filter(({ open, close }) => isIn(open) || isIn(close)).toSorted((one, other) =>
    one.open.from - other.open.from
  )
}

/** The marks before some words, and those after them. */
type Marks = { open: string; close: string }

/** Gives the marks that open some pairs, and those that close some: what is opened last is closed first. */
export const marksOf = (text: string, opened: Array<Pair>, closed: Array<Pair> = opened): Marks => {
  const wordsOf = (spans: Array<Span>) => spans.map(({ from, to }) => text.slice(from, to)).join('')
  return {
    open: wordsOf(opened.map(({ open }) => open)),
    close: wordsOf(closed.map(({ close }) => close).reverse()),
  }
}

/** Gives the marks at both ends of what is cut out of a block: those of pairs that begin before, or end after it. */
export const marksAround = (text: string, pairs: Array<Pair>, { from, to }: Span): Marks =>
  marksOf(
    text,
    pairs.filter(({ open, close }) => open.to <= from && close.from > from),
    pairs.filter(({ open, close }) => open.from < to && close.to > to),
  )

/** Gives the marks within restated words whose counterpart stays. */
export const marksLeft = (text: string, pairs: Array<Pair>, { from, to }: Span): Marks => {
  const isIn = (span: Span) => span.from >= from && span.to <= to
  return marksOf(
    text,
    pairs.filter(({ open, close }) => isIn(open) && !isIn(close)),
    pairs.filter(({ open, close }) => isIn(close) && !isIn(open)),
  )
}

/**
 * Finds the emphasis and the tags around all letters of restated words: those that are theirs alone, and the emphasis that
 * they share with others.
 */
export const marksAroundAll = (
  text: string,
  pairs: Array<Pair>,
  { from, to }: Span,
): { own: Array<Pair>; shared: string } => {
  const all = pairs.filter(({ open, close, kind }) => {
    const [start, end] = [Math.max(from, open.from), Math.min(to, close.to)]
    return kind !== 'bracket' && end > start && !hasWords(text.slice(from, start) + text.slice(end, to))
  })
  const isOwn = ({ open, close }: Pair) => open.from >= from && close.to <= to
  const shared = all.filter((pair) => pair.kind === 'emphasis' && !isOwn(pair))
  return { own: all.filter(isOwn), shared: marksOf(text, shared).open }
}

/** Marks that have a counterpart in their block: emphasis and tags. */
import type { Block } from './blocks.ts'
import { hasWords, type Span } from './lines.ts'

/** Two marks, and what stands between them. */
export type Pair = { open: Span; close: Span; isTag: boolean }

/** Lists the pairs of marks of a block, the outer before the inner ones. */
export const pairsIn = (text: string, block: Block): Array<Pair> => {
  const pairs: Array<Pair> = []
  const tags: Array<Span & { tag: string }> = []
  block.node.cursor().iterate(({ name, node: { from, to, firstChild, lastChild } }) => {
    if (/^(?:(?:Strong)?Emphasis|Strikethrough)$/.test(name)) {
      pairs.push({ open: firstChild!, close: lastChild!, isTag: false })
    }
    const [, slash, tag] = name === 'HTMLTag' ? /^<(\/?)([\w.:-]+)/.exec(text.slice(from, to)) ?? [] : []
    if (tag === undefined) return
    if (slash === '') return void tags.push({ tag, from, to })
    const at = tags.findLastIndex((one) => one.tag === tag)
    if (at >= 0) pairs.push({ open: tags.splice(at)[0]!, close: { from, to }, isTag: true })
  })
  return pairs.toSorted((one, other) => one.open.from - other.open.from)
}

/** Whether a pair of marks is around all letters of a part, or around these and more. */
export const isAround = (block: Block, { open, close }: Pair, { from, to }: Span): boolean => {
  const [start, end] = [Math.max(from, open.from), Math.min(to, close.to)]
  const textOf = (at: number, end: number) => block.masked.slice(at - block.from, end - block.from)
  return end > start && !hasWords(textOf(from, start) + textOf(end, to))
}

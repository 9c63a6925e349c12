import type { Block, Markdown, Span } from './blocks.ts'
import type { Outcome } from './plan.ts'
import { sentencesOf } from './sentences.ts'

/** Lines of a text that no rule restates, from 1: those that order something, and the ranges of all others. */
export type Remaining = { ordering: Array<number>; others: Array<[first: number, last: number]> }

const LINE_BREAK = /\r\n|\r|\n/

const hasWords = (line: string): boolean => /[\p{L}\p{N}]/u.test(line)

/** Replaces spans of a text by spaces; line breaks stay. */
const without = (text: string, spans: Array<Span>): string => {
  const units = text.split('')
  for (const { from, to } of spans) {
    for (let at = from; at < to; at++) if (!LINE_BREAK.test(units[at]!)) units[at] = ' '
  }
  return units.join('')
}

/** Joins the lines that hold into ranges; a line that counts as blank parts none. */
const rangesOf = (holds: Array<boolean>, blank: Array<boolean>): Remaining['others'] => {
  const ranges: Remaining['others'] = []
  let open: [number, number] | undefined
  holds.forEach((isHeld, index) => {
    if (isHeld && open !== undefined) open[1] = index + 1
    else if (isHeld) ranges.push(open = [index + 1, index + 1])
    else if (!blank[index]) open = undefined
  })
  return ranges
}

/**
 * Lists the lines of a text that no rule restates.
 *
 * @param orders tells whether a sentence orders something
 */
export const remainingLines = (
  { text, blocks, lists }: Markdown,
  outcomes: Map<Block, Outcome>,
  orders: (sentence: string) => boolean,
): Remaining => {
  const planned = [...outcomes.values()]
  const gone = planned.flatMap((
    { sentences, leadIn },
  ) => [leadIn, ...sentences.filter(({ isGone }) => isGone)])
  const markers = lists.flatMap(({ items }) => items.map(({ marker }) => marker))
  const kept = blocks.flatMap((block) => outcomes.get(block)?.sentences ?? sentencesOf(block))
    .filter((sentence) => !('isGone' in sentence && sentence.isGone))
  const ordering = kept.filter(({ from, to }) => orders(text.slice(from, to)))
  const linesOf = (spans: Array<Span>) => without(text, spans).split(LINE_BREAK).map(hasWords)
  const [was, stays, staysElse] = [
    linesOf([]),
    linesOf([...gone, ...markers]),
    linesOf([...gone, ...markers, ...ordering]),
  ]
  const orderingLines = stays.flatMap((isKept, index) => isKept && !staysElse[index] ? [index + 1] : [])
  return { ordering: orderingLines, others: rangesOf(staysElse, was.map((has) => !has)) }
}

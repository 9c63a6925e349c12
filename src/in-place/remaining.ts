import { linesOf } from '../text/line-ending.ts'
import type { Block, Markdown, Span } from './blocks.ts'
import type { Outcome } from './plan.ts'
import { sentencesOf } from './sentences.ts'

/** Lines of a text that no rule restates, from 1. */
export type Remaining = {
  /** Those that order something. */
  ordering: Array<number>
  /** The ranges of all others. */
  others: Array<[first: number, last: number]>
  /** Those with words that followed restated ones in their block, and will precede the rules. */
  overtaken: Array<number>
}

const hasWords = (line: string): boolean => /[\p{L}\p{N}]/u.test(line)

/** Replaces spans of a text by spaces; line breaks stay. */
const without = (text: string, spans: Array<Span>): string => {
  const units = text.split('')
  for (const { from, to } of spans) {
    for (let at = from; at < to; at++) if (!/[\r\n]/.test(units[at]!)) units[at] = ' '
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

/** Gives the lines of some offsets, in one pass. */
const linesAt = (text: string, offsets: Array<number>): Array<number> => {
  let [line, start] = [1, 0]
  return [
    ...new Set(
      offsets.toSorted((one, other) => one - other).map((at) => {
        line += linesOf(text.slice(start, at)).length - 1
        start = at
        return line
      }),
    ),
  ]
}

/**
 * Lists the lines of a text that no rule restates.
 *
 * @param orders whether a sentence orders something
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
  const worded = (spans: Array<Span>) => linesOf(without(text, spans)).map(hasWords)
  const [was, stays, staysElse] = [
    worded([]),
    worded([...gone, ...markers]),
    worded([...gone, ...markers, ...ordering]),
  ]
  const orderingLines = stays.flatMap((isKept, index) => isKept && !staysElse[index] ? [index + 1] : [])
  const overtaken = planned.flatMap(({ sentences, rules }) => {
    const first = sentences.findIndex(({ isGone }) => isGone)
    return rules.length === 0 ? [] : sentences.slice(first).filter(({ isGone }) => !isGone)
  })
  return {
    ordering: orderingLines,
    others: rangesOf(staysElse, was.map((has) => !has)),
    overtaken: linesAt(text, overtaken.map(({ from }) => from)),
  }
}

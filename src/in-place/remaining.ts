import { linesOf } from '../text/line-ending.ts'
import type { Markdown } from './blocks.ts'
import { lineNumbersAt, type Span } from './lines.ts'
import type { Outcome } from './plan.ts'

/** Lines of a text that no rule restates, from 1. */
export type Remaining = {
  /** Those that order something. */
  ordering: Array<number>
  /** The ranges of all others. */
  others: Array<[first: number, last: number]>
  /** Those with words that followed restated ones in their block, and will precede the rules. */
  overtaken: Array<number>
}

/** Says for each line of a text whether it has words outside of some spans. */
const wordsOutside = (text: string, spans: Array<Span>): Array<boolean> => {
  const units = text.split('')
  for (const { from, to } of spans) {
    for (let at = from; at < to; at++) if (!/[\r\n]/.test(units[at]!)) units[at] = ' '
  }
  return linesOf(units.join('')).map((line) => /[\p{L}\p{N}]/u.test(line))
}

/** Joins the lines that hold into ranges; a line without words parts none. */
const rangesOf = (holds: Array<boolean>, hasWords: Array<boolean>): Remaining['others'] => {
  const ranges: Remaining['others'] = []
  let open: [number, number] | undefined
  holds.forEach((isHeld, index) => {
    if (isHeld && open !== undefined) open[1] = index + 1
    else if (isHeld) ranges.push(open = [index + 1, index + 1])
    else if (hasWords[index]) open = undefined
  })
  return ranges
}

/**
 * Lists the lines of a text that no rule restates.
 *
 * @param orders whether a sentence orders something
 */
export const remainingLines = (
  { text, root }: Markdown,
  outcomes: Array<Outcome>,
  orders: (sentence: string) => boolean,
): Remaining => {
  const all = outcomes.flatMap(({ sentences }) => sentences)
  const restated: Array<Span> = [
    ...outcomes.map(({ block, leadInEnd }) => ({ from: block.from, to: leadInEnd })),
    ...all.filter(({ isGone }) => isGone),
  ]
  root.cursor().iterate(({ name, from, to }) => {
    if (name === 'ListMark') restated.push({ from, to })
  })
  const ordering = all.filter(({ from, to, isGone }) => !isGone && orders(text.slice(from, to)))
  const stays = wordsOutside(text, restated)
  const others = wordsOutside(text, [...restated, ...ordering])
  const overtaken = outcomes.filter(({ rules }) => rules.length > 0).flatMap(({ sentences }) =>
    sentences.slice(sentences.findIndex(({ isGone }) => isGone)).filter(({ isGone }) => !isGone)
  )
  return {
    ordering: stays.flatMap((isKept, index) => isKept && !others[index] ? [index + 1] : []),
    others: rangesOf(others, wordsOutside(text, [])),
    overtaken: [...new Set(lineNumbersAt(text, overtaken.map(({ from }) => from)))],
  }
}

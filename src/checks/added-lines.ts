import { changedRange, type Span } from '../text/changed-range.ts'
import { linesOf } from '../text/line-ending.ts'

/** A line of a file, counted from 1. */
export type Line = { line: number; text: string }

const linesIn = (text: string, { from: start, to: end }: Span): Array<string> =>
  start === end ? [] : linesOf(text.slice(start, end).replace(/\r?\n$/, ''))

/** Gives the lines that a file has more than before, and those that it has less; what only moved in it is neither. */
export const changedLines = (
  before: string,
  after: string,
): { added: Array<Line>; removed: Array<string> } => {
  const stretch = changedRange(before, after)
  const left = new Map<string, number>()
  for (const text of linesIn(before, stretch.before)) left.set(text, (left.get(text) ?? 0) + 1)
  const first = linesOf(after.slice(0, stretch.after.from)).length
  const added = linesIn(after, stretch.after).flatMap((text, index) => {
    const count = left.get(text) ?? 0
    if (count > 0) left.set(text, count - 1)
    return count > 0 ? [] : [{ line: first + index, text }]
  })
  return { added, removed: [...left].flatMap(([text, count]) => Array<string>(count).fill(text)) }
}

// A fence, and what stands after it: in a line such as ```` ```npm test``` ```` it is none, and only one alone closes.
const FENCE = /^[ \t>]*(?:[-*+] +|\d{1,9}[.)] +)?(`{3,}(?!.*`)|~{3,})(.*)/

// A backtick that comes later is looked for from each of a long fence.
const MAX_FENCE = 1_000

/** Gives the numbers of the lines of a Markdown text that stand in fenced code. */
export const fencedLines = (text: string): Set<number> => {
  let open = ''
  return new Set(
    linesOf(text).flatMap((line, index) => {
      const [, fence = '', after = ''] = FENCE.exec(line.slice(0, MAX_FENCE)) ?? []
      const isIn = open !== ''
      const isClosed = fence.startsWith(open) && after.trim() === ''
      open = isIn ? (isClosed ? '' : open) : fence
      return isIn ? [index + 1] : []
    }),
  )
}

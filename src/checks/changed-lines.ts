import { changedStretch, type Range } from '../text/changed-stretch.ts'
import { linesOf } from '../text/line-ending.ts'

/** A line of a file, counted from 1. */
export type Line = { number: number; text: string }

/** The lines that a step added to a file and removed from it. A line that only moved is neither. */
export type ChangedLines = { added: Array<Line>; removed: Array<string> }

/** Compares a file before a step with the same after it, in linear time; how lines end does not count. */
export const changedLines = (before: string, after: string): ChangedLines => {
  const stretch = changedStretch(before, after)
  const linesIn = (text: string, { start, end }: Range) =>
    start === end ? [] : linesOf(text.slice(start, end).replace(/(?:\r\n|\n|\r)$/, ''))
  const old = new Map<string, number>()
  for (const text of linesIn(before, stretch.before)) old.set(text, (old.get(text) ?? 0) + 1)
  const first = linesOf(after.slice(0, stretch.after.start)).length
  const added: Array<Line> = []
  for (const [index, text] of linesIn(after, stretch.after).entries()) {
    const count = old.get(text) ?? 0
    if (count > 0) old.set(text, count - 1)
    else added.push({ number: first + index, text })
  }
  return { added, removed: [...old].flatMap(([text, count]) => count > 0 ? [text] : []) }
}

const FENCE = /^[ \t>]*(?:[-*+] +|\d{1,9}[.)] +)?(`{3,}|~{3,})/

/** Gives the numbers of the lines of a Markdown text that stand in fenced code. */
export const fencedLines = (text: string): Set<number> => {
  const fenced = new Set<number>()
  let open = ''
  for (const [index, line] of linesOf(text).entries()) {
    const [, fence = ''] = FENCE.exec(line) ?? []
    if (open !== '') fenced.add(index + 1)
    if (open === '') open = fence
    else if (fence.startsWith(open)) open = ''
  }
  return fenced
}

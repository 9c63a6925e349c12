/** Finds the lines that a change added to a file and removed from it, and the lines in fenced code. */
import { changedRange, countLineBreaks, type Span } from '../text/changed-range.ts'
import { hunksOf } from '../text/hunks.ts'
import { linesOf, withLineFeeds } from '../text/line-ending.ts'

/** A line of a file, numbered from 1. */
export type Line = { line: number; text: string }

/** Neighbouring lines that a change added, and those that they replace. */
export type Hunk = { added: Array<Line>; removed: Array<string> }

const linesIn = (text: string, { from, to }: Span): Array<string> =>
  from === to ? [] : linesOf(text.slice(from, to).replace(/\n$/, ''))

const numberLines = (lines: Array<string>, first: number): Array<Line> =>
  lines.map((text, index) => ({ line: first + index, text }))

// The most characters of a change that are diffed. A diff cannot be interrupted, and would block the host too long.
const MAX_DIFFED = 100_000

/** Returns the hunks of a diff; a single hunk if the change is too long or has too many lines to diff. */
const diffHunks = (before: string, after: string): Array<Hunk> => {
  const range = changedRange(before, after)
  const length = range.before.to - range.before.from + range.after.to - range.after.from
  const hunks = length > MAX_DIFFED ? null : hunksOf(before, after, 0)
  if (hunks) {
    return hunks.map(({ newStart, lines }) => {
      const side = (sign: '+' | '-') => lines.flatMap((line) => line[0] === sign ? line.slice(1) : [])
      return { added: numberLines(side('+'), newStart), removed: side('-') }
    })
  }
  const first = countLineBreaks(after, range.after.from) + 1
  return [{ added: numberLines(linesIn(after, range.after), first), removed: linesIn(before, range.before) }]
}

/** Returns a filter that drops one copy of a line for each copy in `others`, and keeps the rest. */
const dropCopiesOf = (others: Array<string>): (text: string) => boolean => {
  const remaining = new Map<string, number>()
  for (const text of others) remaining.set(text, (remaining.get(text) ?? 0) + 1)
  return (text) => {
    const count = remaining.get(text) ?? 0
    remaining.set(text, count - 1)
    return count <= 0
  }
}

/** Finds the lines that were added to a file and removed from it. A line that only moved is neither. */
export const changedHunks = (before: string, after: string): Array<Hunk> => {
  const hunks = diffHunks(withLineFeeds(before), withLineFeeds(after))
  const isRemoved = dropCopiesOf(hunks.flatMap(({ added }) => added.map(({ text }) => text)))
  const isAdded = dropCopiesOf(hunks.flatMap(({ removed }) => removed))
  return hunks.map(({ added, removed }) => ({
    added: added.filter(({ text }) => isAdded(text)),
    removed: removed.filter(isRemoved),
  }))
}

// An opening or closing fence, and the rest of its line. A line such as ```` ```npm test``` ```` is inline code.
const FENCE = /^[ \t>]*(?:[-*+] +|\d{1,9}[.)] +)?(`{3,}(?!.*`)|~{3,})(.*)/

// In a long run of backticks, `FENCE` backtracks and scans the rest of the line each time, so only the first characters
// of a line are matched.
const MAX_MATCHED = 1_000

/** Returns the numbers of the lines of a Markdown text that are in fenced code, including the closing fences. */
export const fencedLines = (text: string): Set<number> => {
  let open = ''
  return new Set(
    linesOf(text).flatMap((line, index) => {
      const [, fence = '', rest = ''] = FENCE.exec(line.slice(0, MAX_MATCHED)) ?? []
      const isInCode = open !== ''
      const closesFence = fence.startsWith(open) && rest.trim() === ''
      open = isInCode ? (closesFence ? '' : open) : fence
      return isInCode ? [index + 1] : []
    }),
  )
}

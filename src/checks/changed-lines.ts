/** Finds the lines that a change added or removed, and the lines in the fenced code of a Markdown text. */
import { changedRange, countLineBreaks, type Span } from '../text/changed-range.ts'
import { hunksOf } from '../text/hunks.ts'
import { linesOf, withLineFeeds } from '../text/line-ending.ts'
import { dropCopiesOf } from './violations.ts'

/** A line of a file and its number, from 1. */
export type Line = { line: number; text: string }

export type Hunk = { added: Array<Line>; removed: Array<string> }

const linesIn = (text: string, { from, to }: Span): Array<string> =>
  from === to ? [] : linesOf(text.slice(from, to).replace(/\n$/, ''))

const numberLines = (lines: Array<string>, first: number): Array<Line> =>
  lines.map((text, index) => ({ line: first + index, text }))

// A longer change is not diffed, because a diff cannot be interrupted and would block the host.
const MAX_DIFFED = 100_000

const diffHunks = (before: string, after: string): Array<Hunk> => {
  const { before: removed, after: added } = changedRange(before, after)
  const length = removed.to - removed.from + added.to - added.from
  const hunks = length > MAX_DIFFED ? null : hunksOf(before, after, 0)
  if (!hunks) {
    const firstLine = countLineBreaks(after, added.from) + 1
    return [{ added: numberLines(linesIn(after, added), firstLine), removed: linesIn(before, removed) }]
  }
  return hunks.map(({ newStart, lines }) => {
    const linesWith = (sign: '+' | '-') =>
      lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1))
    return { added: numberLines(linesWith('+'), newStart), removed: linesWith('-') }
  })
}

/** Leaves out moved lines: a line that was removed once and added three times counts as added twice. */
export const changedHunks = (before: string, after: string): Array<Hunk> => {
  const hunks = diffHunks(withLineFeeds(before), withLineFeeds(after))
  // Both filters serve all hunks, because a line may move to another hunk.
  const isAdded = dropCopiesOf(hunks.flatMap(({ removed }) => removed))
  const isRemoved = dropCopiesOf(hunks.flatMap(({ added }) => added.map(({ text }) => text)))
  return hunks.map(({ added, removed }) => ({
    added: added.filter(({ text }) => isAdded(text)),
    removed: removed.filter(isRemoved),
  }))
}

// Matches lines such as `> - ~~~ts`.
const FENCE = /^[ \t>]*(?:[-*+] +|\d{1,9}[.)] +)?(`{3,}(?!.*`)|~{3,})(.*)/

// In a long run of backticks, `FENCE` takes quadratic time.
const MAX_MATCHED = 1_000

/** Returns the numbers of the lines in fenced code, including the closing fences but not the opening ones. */
export const fencedLines = (text: string): Set<number> => {
  const fenced = new Set<number>()
  let openFence = ''
  for (const [index, line] of linesOf(text).entries()) {
    const [, fence = '', afterFence = ''] = FENCE.exec(line.slice(0, MAX_MATCHED)) ?? []
    if (openFence === '') {
      openFence = fence
    } else {
      fenced.add(index + 1)
      if (fence.startsWith(openFence) && afterFence.trim() === '') openFence = ''
    }
  }
  return fenced
}

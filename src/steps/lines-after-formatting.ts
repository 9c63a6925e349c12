/** Finds the lines of a text again after a formatter has changed the text. */
import type { Line } from '../checks/changed-lines.ts'
import type { Span } from '../text/changed-range.ts'
import { lineNumbers, linesOf } from '../text/line-ending.ts'
import { bareTextOf } from './realign/bare-text.ts'
import { realign } from './realign/realign.ts'

/** Returns a function that maps a line to its lines in `formatted`: several for a split line, none for a lost line. */
export const linesAfterFormatting = (text: string, formatted: string): (line: number) => Array<Line> => {
  const lines = linesOf(text)
  const formattedLines = linesOf(formatted)
  const lineEnds = [...text.matchAll(/\r\n?|\n/g)].map(({ 0: ending, index }) => index + ending.length)
  const starts = [0, ...lineEnds]
  const numberAt = lineNumbers(formatted)
  const findRange = realign(text, formatted)
  let findByBareText: ((index: number) => number | null) | undefined
  return (number) => {
    const index = number - 1
    const range = findRange(rangeToFind(lines[index]!, starts[index]!))
    if (!range) {
      findByBareText ??= finderByBareText(lines, formattedLines)
      const newIndex = findByBareText(index)
      return newIndex === null ? [] : [{ line: newIndex + 1, text: formattedLines[newIndex]! }]
    }
    const first = numberAt[range.from]!
    const last = numberAt[Math.max(range.from, range.to - 1)]!
    return formattedLines.slice(first - 1, last).map((text, offset) => ({ line: first + offset, text }))
  }
}

const rangeToFind = (line: string, start: number): Span => {
  const trimmed = { from: start + line.length - line.trimStart().length, to: start + line.trimEnd().length }
  return trimmed.from < trimmed.to ? trimmed : { from: start, to: start + line.length }
}

/** Maps, for example, the second line `}` to the second formatted line `}`, if both texts have equally many of them. */
const finderByBareText = (lines: Array<string>, formattedLines: Array<string>) => {
  const old = indexesByBareText(lines)
  const now = indexesByBareText(formattedLines)
  return (index: number): number | null => {
    const { text } = bareTextOf(lines[index]!)
    const oldIndexes = old.get(text)!
    const newIndexes = now.get(text)
    return newIndexes?.length === oldIndexes.length ? newIndexes[oldIndexes.indexOf(index)]! : null
  }
}

/** The bare text is the characters that formatters leave alone. */
const indexesByBareText = (lines: Array<string>): Map<string, Array<number>> => {
  const indexes = new Map<string, Array<number>>()
  for (const [index, line] of lines.entries()) {
    const { text } = bareTextOf(line)
    if (!indexes.has(text)) indexes.set(text, [])
    indexes.get(text)!.push(index)
  }
  return indexes
}

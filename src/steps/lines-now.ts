/** Finds the lines of a text again after a formatter has changed the text. */
import type { Line } from '../checks/changed-lines.ts'
import { lineNumbers, linesOf } from '../text/line-ending.ts'
import { bareTextOf } from './realign/bare-text.ts'
import { realign } from './realign/realign.ts'

/** Groups the indexes of lines by their bare text: the characters that formatters leave alone. */
const indexesByBareText = (lines: Array<string>): Map<string, Array<number>> => {
  const indexes = new Map<string, Array<number>>()
  for (const [index, line] of lines.entries()) {
    const { text } = bareTextOf(line)
    const same = indexes.get(text)
    if (same) same.push(index)
    else indexes.set(text, [index])
  }
  return indexes
}

/**
 * Returns a function that maps a line number of a text to lines of the formatted text. If `realign` does not find the
 * line, but both texts have equally many lines with its bare text, the n-th of these maps to the n-th.
 */
export const linesNow = (text: string, formatted: string): (line: number) => Array<Line> => {
  const lines = linesOf(text)
  const formattedLines = linesOf(formatted)
  const lineEnds = [...text.matchAll(/\r\n?|\n/g)].map(({ 0: ending, index }) => index + ending.length)
  const starts = [0, ...lineEnds]
  const numberAt = lineNumbers(formatted)
  const findRange = realign(text, formatted)
  let indexes: { old: Map<string, Array<number>>; now: Map<string, Array<number>> } | undefined
  const lineByBareText = (index: number): Array<Line> => {
    indexes ??= { old: indexesByBareText(lines), now: indexesByBareText(formattedLines) }
    const key = bareTextOf(lines[index]!).text
    const oldIndexes = indexes.old.get(key)!
    const newIndexes = indexes.now.get(key)
    if (newIndexes?.length !== oldIndexes.length) return []
    const newIndex = newIndexes[oldIndexes.indexOf(index)]!
    return [{ line: newIndex + 1, text: formattedLines[newIndex]! }]
  }
  return (number) => {
    const index = number - 1
    const line = lines[index]!
    const start = starts[index]!
    const trimmed = { from: start + line.length - line.trimStart().length, to: start + line.trimEnd().length }
    const isBlank = trimmed.from >= trimmed.to
    const range = findRange(isBlank ? { from: start, to: start + line.length } : trimmed)
    if (!range) return lineByBareText(index)
    const first = numberAt[range.from]!
    const last = numberAt[Math.max(range.from, range.to - 1)]!
    return formattedLines.slice(first - 1, last).map((text, offset) => ({ line: first + offset, text }))
  }
}

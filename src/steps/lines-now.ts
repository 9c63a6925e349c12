import type { Line } from '../checks/changed-lines.ts'
import { lineNumbers, linesOf } from '../text/line-ending.ts'
import { bareTextOf } from './realign/bare-text.ts'
import { realign } from './realign/realign.ts'

/** Indexes lines by the characters that formatters leave alone. */
const byBareText = (lines: Array<string>): Map<string, Array<number>> => {
  const found = new Map<string, Array<number>>()
  for (const [index, line] of lines.entries()) {
    const key = bareTextOf(line).text
    const same = found.get(key)
    if (same) same.push(index)
    else found.set(key, [index])
  }
  return found
}

/**
 * Returns a function that maps a line of a text to lines of the formatted text, by the alignment that corrects calls. Of
 * several equal lines, each maps to the one at its position among them. Maps to no line if that is not certain.
 */
export const linesNow = (text: string, formatted: string): (line: number) => Array<Line> => {
  const [old, now] = [linesOf(text), linesOf(formatted)]
  const starts = [0, ...Array.from(text.matchAll(/\r\n?|\n/g), ({ 0: end, index }) => index + end.length)]
  const numbers = lineNumbers(formatted)
  const find = realign(text, formatted)
  let same: { old: Map<string, Array<number>>; now: Map<string, Array<number>> } | undefined
  const sameLine = (index: number): Array<Line> => {
    same ??= { old: byBareText(old), now: byBareText(now) }
    const key = bareTextOf(old[index]!).text
    const [before = [], after = []] = [same.old.get(key), same.now.get(key)]
    const found = before.length === after.length ? after[before.indexOf(index)]! : undefined
    return found === undefined ? [] : [{ line: found + 1, text: now[found]! }]
  }
  return (number) => {
    const index = number - 1
    const line = old[index]!
    const start = starts[index]!
    const words = { from: start + line.length - line.trimStart().length, to: start + line.trimEnd().length }
    const found = words.from < words.to ? find(words) : find({ from: start, to: start + line.length })
    if (!found) return sameLine(index)
    const first = numbers[found.from]!
    const last = numbers[Math.max(found.from, found.to - 1)]!
    return now.slice(first - 1, last).map((text, offset) => ({ line: first + offset, text }))
  }
}

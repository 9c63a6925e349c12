import { linesOf } from '../text/line-ending.ts'
import { bareTextOf } from './realign/bare-text.ts'
import { realign } from './realign/realign.ts'

/** A line of a file, counted from 1. */
type Line = { line: number; text: string }

/** The lines of a text, and the offset of each. */
const placesOf = (text: string) => {
  const starts = [0, ...Array.from(text.matchAll(/\r\n?|\n/g), ({ 0: end, index }) => index + end.length)]
  return { lines: linesOf(text), starts }
}

type Places = ReturnType<typeof placesOf>

/** Gives the index of the line in which an offset stands. */
const indexAt = ({ starts }: Places, offset: number): number => {
  let low = 0
  for (let high = starts.length; low + 1 < high;) {
    const middle = (low + high) >> 1
    if (starts[middle]! <= offset) low = middle
    else high = middle
  }
  return low
}

/** Lists the indices of lines by what formatters leave alone of them. */
const byBareText = ({ lines }: Places): Map<string, Array<number>> => {
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
 * Finds the lines that a line of a text has become in the formatted text, by the alignment that corrects calls; of lines
 * that are the same each stands for the one in its order. None where that is not sure.
 */
export const linesNow = (text: string, formatted: string): (line: number) => Array<Line> => {
  const [old, now] = [placesOf(text), placesOf(formatted)]
  const find = realign(text, formatted)
  let same: { old: Map<string, Array<number>>; now: Map<string, Array<number>> } | undefined
  const sameLine = (index: number): Array<number> => {
    same ??= { old: byBareText(old), now: byBareText(now) }
    const key = bareTextOf(old.lines[index]!).text
    const [before = [], after = []] = [same.old.get(key), same.now.get(key)]
    return before.length === after.length ? [after[before.indexOf(index)]!] : []
  }
  return (number) => {
    const index = number - 1
    const line = old.lines[index]!
    const start = old.starts[index]!
    const words = { from: start + line.length - line.trimStart().length, to: start + line.trimEnd().length }
    const found = words.from < words.to ? find(words) : find({ from: start, to: start + line.length })
    if (!found) return sameLine(index).map((at) => ({ line: at + 1, text: now.lines[at]! }))
    const [first, last] = [indexAt(now, found.from), indexAt(now, Math.max(found.from, found.to - 1))]
    return now.lines.slice(first, last + 1).map((text, at) => ({ line: first + at + 1, text }))
  }
}

import { lineStart, type Range } from '../../files/changed-stretch.ts'

/** Whether two lines are taken for the same. */
export type SameLine = (one: string, other: string) => boolean

/** Where the line ends that holds an offset, its line feed left out. */
const lineEnd = (text: string, offset: number): number => {
  const end = text.indexOf('\n', offset)
  return end < 0 ? text.length : end
}

/** Where the line starts that is so many lines above the one at an offset; -1 where there are not so many. */
const startOfLineAbove = (text: string, offset: number, lines: number): number => {
  let start = lineStart(text, offset)
  for (let line = 0; line < lines; line += 1) {
    if (start === 0) return -1
    start = lineStart(text, start - 1)
  }
  return start
}

/** The lines that start at an offset, if they are the wanted ones. */
const matchLines = (text: string, start: number, wanted: Array<string>, isSame: SameLine): Range | null => {
  let end = start - 1
  for (const line of wanted) {
    if (end >= text.length) return null
    const from = end + 1
    end = lineEnd(text, from)
    if (!isSame(text.slice(from, end), line)) return null
  }
  return { start, end }
}

/**
 * Finds where lines stand together in a text. They are sought by the longest of them: to look at all lines of a large
 * file one by one takes too long.
 *
 * @param isSame says no of lines that differ by more than white space at their ends
 * @param from the start of the first line that counts
 */
export function* findLines(
  text: string,
  wanted: Array<string>,
  isSame: SameLine,
  from = 0,
): Generator<Range> {
  const words = wanted.map((line) => line.trim())
  const longest = words.reduce((one, other) => (other.length > one.length ? other : one))
  for (let at = text.indexOf(longest, from); at >= 0;) {
    const start = startOfLineAbove(text, at, words.indexOf(longest))
    const range = start < from ? null : matchLines(text, start, wanted, isSame)
    if (range) yield range
    const end = lineEnd(text, at)
    if (end === text.length) return
    at = text.indexOf(longest, end + 1)
  }
}

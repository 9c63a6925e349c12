/** Finds a late header: a rule file's header that begins below line 1, for example because a licence is above it. */
import { frontmatterOf, splitEntries } from '../markdown/frontmatter.ts'
import { linesOf } from '../text/line-ending.ts'
import { isHeaderEntry } from './header-keys.ts'

const MAX_SEARCHED_LINES = 100
const MAX_SEARCHED_LENGTH = 16_384
// Matches `---`, `-----` and `--- yaml`, even indented or after an invisible sign.
const OPENING_DASHES = /^[^\w-]{0,8}-{3,} ?\w*\s*$/
const FENCE_MARK = /^\s*(```|~~~)/

/** Searches from line `firstLine` on, and returns the number of the line on which a late header begins. */
export const lateHeaderIn = (text: string, firstLine: number): number | undefined => {
  const lines = linesOf(text.slice(0, MAX_SEARCHED_LENGTH)).slice(0, MAX_SEARCHED_LINES)
  const filledLines = lines.map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line, number }) => number >= firstLine && line.trim() !== '')
  let openFenceMark: string | undefined
  for (const [index, { line, number }] of filledLines.entries()) {
    const mark = FENCE_MARK.exec(line)?.[1]
    // A header inside a fence is only an example.
    if (openFenceMark !== undefined) openFenceMark = mark === openFenceMark ? undefined : openFenceMark
    else if (OPENING_DASHES.test(line) && isHeader(lines.slice(number))) return number
    // A fence at the start may enclose the whole file, so a header inside it is no example.
    else if (index > 0) openFenceMark = mark
  }
  return undefined
}

const isHeader = (lines: Array<string>): boolean => {
  const block = frontmatterOf(['---', ...lines].join('\n'))
  return block?.isClosed === true && splitEntries(block.lines).entries.some(isHeaderEntry)
}

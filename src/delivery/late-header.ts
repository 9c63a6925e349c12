import { frontmatterEntries, frontmatterOf } from '../markdown/frontmatter.ts'
import { withLineFeeds } from '../text/line-ending.ts'
import { isLimiting, ruleKeyOf, translatedEntry } from './header-keys.ts'

// The search for a late header ends after so many lines and characters.
const MAX_LINES = 100
const MAX_LENGTH = 16_384
// A `---` that may be indented, longer, after an invisible character, or followed by a word (`--- yaml`).
const OPENING_DASHES = /^[^\w-]{0,8}-{3,} ?\w*\s*$/

/** Whether the lines below a `---` are a closed header with a key that SAT or another tool reads. */
const isHeader = (lines: Array<string>): boolean => {
  const block = frontmatterOf(['---', ...lines].join('\n'))
  return block?.isClosed === true
    && frontmatterEntries(block.lines).some((entry) =>
      ruleKeyOf(entry.key) !== undefined || translatedEntry(entry) !== undefined || isLimiting(entry)
    )
}

/**
 * Finds a header that does not begin on the first line of a rule file, such as one below a licence or in a code fence
 * around the whole file. In any other fence, a header is an example. `readHeader` notes that a late header is not read.
 *
 * @param first the number of the line to start with: the first line below the header, or 1 if the file has no header
 * @returns the line number of the late header; undefined if there is none
 */
export const lateHeaderIn = (text: string, first: number): number | undefined => {
  const lines = withLineFeeds(text.slice(0, MAX_LENGTH)).split('\n').slice(0, MAX_LINES)
  let fence = ''
  let isStart = true
  for (const [index, line] of lines.entries()) {
    if (index + 1 < first || line.trim() === '') continue
    if (fence === '' && OPENING_DASHES.test(line) && isHeader(lines.slice(index + 1))) return index + 1
    const [, mark = ''] = /^\s*(```|~~~)/.exec(line) ?? []
    if (mark !== '' && !isStart) fence = fence === '' ? mark : fence === mark ? '' : fence
    isStart = false
  }
  return undefined
}

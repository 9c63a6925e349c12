import { frontmatterEntries, frontmatterOf } from '../markdown/frontmatter.ts'
import { withLineFeeds } from '../text/line-ending.ts'
import { isLimiting, ruleKeyOf, translatedEntry } from './header-keys.ts'

// The search for a late header ends after so many lines and characters.
const MAX_LINES = 100
const MAX_LENGTH = 16_384
// `---`, also indented, longer, after an invisible character, or with a language.
const RULER = /^[^\w-]{0,8}-{3,} ?\w*\s*$/

/** Whether the lines below a `---` are a header with a key that SAT or another tool reads. */
const isHeader = (lines: Array<string>): boolean => {
  const block = frontmatterOf(['---', ...lines].join('\n'))
  return block?.isClosed === true
    && frontmatterEntries(block.lines).some((entry) =>
      ruleKeyOf(entry.key) !== undefined || translatedEntry(entry) !== undefined || isLimiting(entry)
    )
}

/**
 * Finds a header of a rule file that does not begin on the first line, such as one below a licence or in a fence around
 * the whole file. A header in any other fence is an example.
 *
 * @param first the line to start with: the first below the header, or 1 if the file has none
 * @returns the number of its line; undefined if there is none
 */
export const lateHeaderIn = (text: string, first: number): number | undefined => {
  const lines = withLineFeeds(text.slice(0, MAX_LENGTH)).split('\n').slice(0, MAX_LINES)
  let fence = ''
  let isStart = true
  for (const [index, line] of lines.entries()) {
    if (index + 1 < first || line.trim() === '') continue
    if (fence === '' && RULER.test(line) && isHeader(lines.slice(index + 1))) return index + 1
    const [, mark = ''] = /^\s*(```|~~~)/.exec(line) ?? []
    if (mark !== '' && !isStart) fence = fence === '' ? mark : fence === mark ? '' : fence
    isStart = false
  }
  return undefined
}

import { CHECK_KEYS } from '../checks/patterns.ts'
import { frontmatterEntries, frontmatterOf } from '../markdown/frontmatter.ts'
import { withLineFeeds } from '../text/line-ending.ts'
import { CONDITION_KEYS } from './conditions.ts'
import { GLOB_KEYS } from './header-values.ts'
import { isLimiting, ownPairOf } from './keys-of-other-tools.ts'

// In so many lines and characters a header is looked for that does not begin on the first one.
const MAX_LINES = 100
const MAX_LENGTH = 16_384
const READ = new Set<string>([
  ...GLOB_KEYS,
  ...CONDITION_KEYS,
  ...CHECK_KEYS,
  'keywords',
  'alwaysApply',
  'description',
])
// `---` as people also write it: indented, longer, after an invisible character, or with a language.
const RULER = /^[^\w-]{0,8}-{3,} ?\w*\s*$/

/** Whether some lines, below the one that opens it, are a header with a key that is read, here or by another tool. */
const isHeader = (lines: Array<string>): boolean => {
  const block = frontmatterOf(['---', ...lines].join('\n'))
  return block?.isClosed === true
    && frontmatterEntries(block.lines).some((entry) =>
      READ.has(entry.key) || ownPairOf(entry) !== undefined || isLimiting(entry)
    )
}

/**
 * Finds a header that does not begin on the first line of a rule file, such as below a licence, or in a fence around the
 * whole file; gives its line. In another fence it is an example.
 *
 * @param first the line to start with: the one below the header that is read, if there is one
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

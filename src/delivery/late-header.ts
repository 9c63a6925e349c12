import { frontmatterEntries, frontmatterOf } from '../markdown/frontmatter.ts'
import { withLineFeeds } from '../text/line-ending.ts'
import { GLOB_KEYS } from './header-values.ts'

// In so many lines and characters a header is looked for that does not begin on the first one.
const MAX_LINES = 100
const MAX_LENGTH = 16_384
const SAYS_WHEN = new Set<string>([...GLOB_KEYS, 'alwaysApply', 'description', 'trigger', 'inclusion'])

/** Whether a text begins with a header that says when its rule is sent. */
const startsWithHeader = (text: string): boolean => {
  const block = frontmatterOf(text)
  return block?.isClosed === true && frontmatterEntries(block.lines).some(({ key }) => SAYS_WHEN.has(key))
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
    const isRuler = fence === '' && /^---\s*$/.test(line)
    if (isRuler && startsWithHeader(lines.slice(index).join('\n'))) return index + 1
    const [, mark = ''] = /^\s*(```|~~~)/.exec(line) ?? []
    if (mark !== '' && !isStart) fence = fence === '' ? mark : fence === mark ? '' : fence
    isStart = false
  }
  return undefined
}

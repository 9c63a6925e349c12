import type { Mode } from '../rule-schema.ts'
import { withLineFeeds } from '../text/line-ending.ts'

/** Gives the lines of a rule as they stand in a list item: without `Rule:`, in concise without a reason. */
export const linesOfRule = (rule: string, mode: Mode): Array<string> => {
  const lines = withLineFeeds(rule).trim().replace(/^- +/, '').replace(/^Rule:[ \t]*/, '').split('\n')
  const reason = lines.findIndex((line) => line.startsWith('Reason:'))
  return mode === 'concise' && reason > 0 ? lines.slice(0, reason) : lines
}

/** Joins the lines of a rule; all but the first begin with a prefix. */
export const joinLines = (lines: Array<string>, prefix: string): string =>
  lines.map((line, index) => index === 0 ? line : (prefix + line).trimEnd()).join('\n')

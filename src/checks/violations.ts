/** Counts and groups violations of rules in files, and finds those that are still there after further changes. */
import { fileLinesOf } from '../text/line-ending.ts'
import { pluralize } from '../text/pluralize.ts'
import { truncate } from '../text/quoted-name.ts'
import { TimeBudget } from './budget.ts'
import type { Line } from './changed-lines.ts'
import { type Checks, isForbidden } from './patterns.ts'

/** A violation of a rule: one line (`line`), unlisted lines (`more`) or, if neither is set, a missing required text. */
export type Violation = {
  rule: string
  path: string
  line?: number | undefined
  /** How many lines of the file violate the rule, in addition to the listed ones. */
  more?: number | undefined
  /** What reports show: the line (see `shownLine`), `and 3 more lines`, or what is wrong with the file. */
  text: string
}

/** How many lines of a file are listed for a rule. Further lines are only counted. */
export const MAX_LINES = 20

/** Returns a line as reports show it. */
export const shownLine = (text: string): string => truncate(text.trim(), 120)

/** Whether the violation is that the file lacks what the rule requires. */
export const isLacking = ({ line, more }: Pick<Violation, 'line' | 'more'>): boolean =>
  line === undefined && more === undefined

/** Returns the number of violations, including the lines that are not listed (`more`). */
export const countViolations = (violations: Array<Violation>): number =>
  violations.reduce((sum, { more = 1 }) => sum + more, 0)

/** Creates a violation for `more` unlisted lines; none if that is 0. */
export const unlistedLines = (rule: string, path: string, more: number): Array<Violation> =>
  more > 0 ? [{ rule, path, text: `and ${pluralize(more, 'more line')}`, more }] : []

/** Groups the violations whose key parts are the same. */
export const groupBy = (
  violations: Array<Violation>,
  keyPartsOf: (violation: Violation) => Array<string>,
): Array<Array<Violation>> => {
  const groups = new Map<string, Array<Violation>>()
  for (const violation of violations) {
    const key = JSON.stringify(keyPartsOf(violation))
    groups.set(key, groups.get(key) ?? [])
    groups.get(key)!.push(violation)
  }
  return [...groups.values()]
}

/** Keeps at most `MAX_LINES` lines for a rule and a file; adds the rest to the number of unlisted lines. */
const limitLines = (violations: Array<Violation>): Array<Violation> =>
  groupBy(violations, ({ rule, path }) => [rule, path]).flatMap((group) => {
    const { rule, path } = group[0]!
    const lines = group.filter(({ line }) => line !== undefined)
    const alreadyUnlisted = countViolations(group.filter(({ more }) => more))
    const unlisted = alreadyUnlisted + Math.max(0, lines.length - MAX_LINES)
    return [...lines.slice(0, MAX_LINES), ...group.filter(isLacking), ...unlistedLines(rule, path, unlisted)]
  })

/** Removes the characters that formatters insert, to compare lines without them: `'x': string;` → `x:string`. */
export const keyOf = (text: string): string => text.replace(/[\s;,()'"`]+/g, '')

/**
 * Moves violations of one text (see `keyOf`) to the lines where it is present: if these are 1, 4 and 20,
 * violations of the lines 3 and 9 move to 4 and 20. Each takes the nearest line below the one taken last.
 * If there are more violations than lines, the last ones are dropped.
 */
const moveToNearest = (violations: Array<Violation>, present: Array<Line>): Array<Violation> => {
  const kept = violations.slice(0, present.length)
  let taken = -1
  return kept.map((violation, index) => {
    const distanceTo = (lineIndex: number) => Math.abs(present[lineIndex]!.line - violation.line!)
    // Each later violation needs a line, too.
    const lastFree = present.length - (kept.length - index)
    taken += 1
    while (taken < lastFree && distanceTo(taken + 1) <= distanceTo(taken)) taken += 1
    return { ...violation, line: present[taken]!.line }
  })
}

/** Returns the present checks of a rule. If they are unknown, a violation remains as long as its line does. */
type ChecksOf = (rule: string) => Checks | null | undefined

/** Finds the reported lines that still violate a rule, and updates their numbers; returns null if time ran out. */
const unresolvedLines = async (
  reported: Array<Violation>,
  checksOf: ChecksOf,
  fileText: string,
  budget: TimeBudget,
): Promise<Array<Violation> | null> => {
  // For the key of each reported line, the lines of the file with this key.
  const linesByKey = new Map(reported.map(({ text }): [string, Array<Line>] => [keyOf(text), []]))
  const unread = await budget.forEach([...fileLinesOf(fileText).entries()], ([index, text]) => {
    linesByKey.get(keyOf(shownLine(text)))?.push({ line: index + 1, text })
  })
  if (unread > 0) return null
  const unresolved: Array<Violation> = []
  for (const group of groupBy(reported, ({ rule, text }) => [rule, keyOf(text)])) {
    const { rule, text } = group[0]!
    const checks = checksOf(rule)
    const equalLines = linesByKey.get(keyOf(text))!
    const isViolating = (line: Line) => !checks || isForbidden(checks, line.text)
    const violating = await budget.run(() => equalLines.filter(isViolating))
    if (!violating) return null
    unresolved.push(...moveToNearest(group, violating))
  }
  return unresolved
}

/** Finds the violations that are still in a file, and updates their line numbers; returns null if time ran out. */
export const unresolvedInText = async (
  violations: Array<Violation>,
  checksOf: ChecksOf,
  fileText: string,
  budget = new TimeBudget(),
): Promise<Array<Violation> | null> => {
  const reportedLines = violations.filter(({ line }) => line !== undefined)
  const unresolved = await unresolvedLines(reportedLines, checksOf, fileText, budget)
  if (!unresolved) return null
  const lacking = await budget.filter(violations.filter(isLacking), ({ rule }) => {
    const checks = checksOf(rule)
    return !checks || checks.require.some(({ isIn }) => !isIn(fileText))
  })
  if (lacking.untested > 0) return null
  // The text of unlisted lines is unknown. Their number is kept as long as a listed line still violates the rule.
  const violatedRules = new Set(unresolved.map(({ rule }) => rule))
  const unlisted = violations.filter(({ rule, more }) => more && violatedRules.has(rule))
  return limitLines([...unresolved, ...lacking.kept, ...unlisted])
}

/** Shows and counts violations of rules in files, and finds those that are still there after further changes. */
import { linesOf } from '../text/line-ending.ts'
import { pluralize } from '../text/pluralize.ts'
import { truncate } from '../text/quoted-name.ts'
import { TimeBudget } from './budget.ts'
import type { Line } from './changed-lines.ts'
import { type Checks, isForbidden } from './patterns.ts'

/** What violates a rule in a file. Without `line` and `more`: the whole file, which lacks what the rule requires. */
export type Violation = {
  rule: string
  path: string
  /** The number of the line that violates the rule. */
  line?: number | undefined
  /** How many further lines violate the rule. They are not listed. */
  more?: number | undefined
  /** The violation as it is shown: for a line, its text as `shownLine` returns it. */
  text: string
}

/** The maximum number of lines listed for a rule and a file. Further lines are only counted. */
export const MAX_LINES = 20

const MAX_SHOWN = 120

/** Returns a line as it is shown and stored: trimmed and truncated. */
export const shownLine = (text: string): string => truncate(text.trim(), MAX_SHOWN)

/** Whether a violation is a file that lacks what the rule requires. */
export const isLacking = ({ line, more }: Violation): boolean => line === undefined && more === undefined

/** Counts violations: a violation with `more` counts as that number of lines. */
export const countViolations = (broken: Array<Violation>): number =>
  broken.reduce((sum, { more = 1 }) => sum + more, 0)

/** Creates, in a list, the violation that counts further lines. For 0 lines, the list is empty. */
export const countedLines = (rule: string, path: string, more: number): Array<Violation> =>
  more > 0 ? [{ rule, path, text: `and ${pluralize(more, 'more line')}`, more }] : []

/** Groups violations that have something in common, which `keyPartsOf` returns: for example, their rule and path. */
export const groupBy = (
  broken: Array<Violation>,
  keyPartsOf: (violation: Violation) => Array<string>,
): Array<Array<Violation>> => {
  const groups = new Map<string, Array<Violation>>()
  for (const violation of broken) {
    const key = JSON.stringify(keyPartsOf(violation))
    groups.set(key, groups.get(key) ?? [])
    groups.get(key)!.push(violation)
  }
  return [...groups.values()]
}

/** Keeps the first `MAX_LINES` lines of each rule in each file, and only counts the others. */
const limitLines = (broken: Array<Violation>): Array<Violation> =>
  groupBy(broken, ({ rule, path }) => [rule, path]).flatMap((group) => {
    const { rule, path } = group[0]!
    const lines = group.filter(({ line }) => line !== undefined)
    const countedBefore = countViolations(group.filter(({ more }) => more))
    const countedNow = lines.slice(MAX_LINES).length
    const counted = countedLines(rule, path, countedBefore + countedNow)
    return [...lines.slice(0, MAX_LINES), ...group.filter(isLacking), ...counted]
  })

// Formatters add, remove or change these characters.
const FORMATTED = /[\s;,()'"`]+/g

/** Returns the key by which a line is found again after formatting: `x:string` for `x: string` and `'x': string;`. */
export const keyOf = (text: string): string => text.replace(FORMATTED, '')

/** Finds the lines of a file with the key of one of these violations, by key. Returns null if time ran out. */
const linesByKeyIn = async (
  fileText: string,
  violations: Array<Violation>,
  budget: TimeBudget,
): Promise<Map<string, Array<Line>> | null> => {
  const linesByKey = new Map(violations.map(({ text }): [string, Array<Line>] => [keyOf(text), []]))
  const untested = await budget.forEach(
    [...linesOf(fileText).entries()],
    // The text of a violation may be truncated, so the lines are compared as they would be shown.
    ([index, text]) => linesByKey.get(keyOf(shownLine(text)))?.push({ line: index + 1, text }),
  )
  return untested > 0 ? null : linesByKey
}

/**
 * Updates the line numbers of violations of one rule with the same key. In order, each violation gets a line of its
 * own: the nearest one (of two, the later) that leaves a line for each later violation. For example, violations on
 * lines 3 and 5 move to 5 and 7 if the matching lines are now 1, 5 and 7. Drops violations for which no line is left.
 *
 * @param matching the present lines with this key that violate the rule
 */
const withNearestLines = (group: Array<Violation>, matching: Array<Line>): Array<Violation> => {
  /** The index of the first matching line that is still free. */
  let next = 0
  return group.flatMap((violation, index) => {
    const distance = (candidate: number) => Math.abs(matching[candidate]!.line - violation.line!)
    const laterViolations = group.length - 1 - index
    const last = matching.length - 1 - laterViolations
    while (next < last && distance(next + 1) <= distance(next)) next += 1
    const nearest = matching[next++]
    return nearest ? [{ ...violation, line: nearest.line }] : []
  })
}

/**
 * Finds the violations that are still in a file, and updates their line numbers. A count of further lines is kept while
 * a listed line of its rule is still there.
 *
 * @param broken the earlier violations in this file
 * @param checksOf returns the present checks of a rule, if they are known. If not, a line with the same key still
 * counts as a violation, and a file that lacked something still counts as lacking it
 * @returns null if time ran out
 */
export const unresolvedInText = async (
  broken: Array<Violation>,
  checksOf: (rule: string) => Checks | null | undefined,
  fileText: string,
  budget = new TimeBudget(),
): Promise<Array<Violation> | null> => {
  const withLine = broken.filter(({ line }) => line !== undefined)
  const linesByKey = await linesByKeyIn(fileText, withLine, budget)
  if (!linesByKey) return null
  const unresolved: Array<Violation> = []
  for (const group of groupBy(withLine, ({ rule, text }) => [rule, keyOf(text)])) {
    const { rule, text } = group[0]!
    const checks = checksOf(rule)
    const candidates = linesByKey.get(keyOf(text))!
    const matching = await budget.run(() =>
      checks ? candidates.filter((line) => isForbidden(checks, line.text)) : candidates
    )
    if (!matching) return null
    unresolved.push(...withNearestLines(group, matching))
  }
  const lacking = await budget.filter(broken.filter(isLacking), ({ rule }) => {
    const checks = checksOf(rule)
    return !checks || checks.require.some(({ isIn }) => !isIn(fileText))
  })
  if (lacking.untested > 0) return null
  const further = broken.filter(({ rule, more }) =>
    more && unresolved.some((violation) => violation.rule === rule)
  )
  return limitLines([...unresolved, ...lacking.kept, ...further])
}

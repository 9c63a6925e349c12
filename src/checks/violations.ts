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
  line?: number | undefined
  /** How many further lines violate the rule. */
  more?: number | undefined
  /** For a line, what `shownLine` returns. */
  text: string
}

/** How many lines of a file are listed for a rule. */
export const MAX_LINES = 20

const MAX_SHOWN = 120

/** Returns a line as reports show it. */
export const shownLine = (text: string): string => truncate(text.trim(), MAX_SHOWN)

/** Whether a file lacks what the rule requires. */
export const isLacking = ({ line, more }: Violation): boolean => line === undefined && more === undefined

/** Returns how many violations there are, including those that are only counted. */
export const countViolations = (broken: Array<Violation>): number =>
  broken.reduce((sum, { more = 1 }) => sum + more, 0)

/** Returns the violation that counts further lines, if there are any. */
export const countedLines = (rule: string, path: string, more: number): Array<Violation> =>
  more > 0 ? [{ rule, path, text: `and ${pluralize(more, 'more line')}`, more }] : []

/** Groups violations with the same key. */
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

const limitLines = (broken: Array<Violation>): Array<Violation> =>
  groupBy(broken, ({ rule, path }) => [rule, path]).flatMap((group) => {
    const { rule, path } = group[0]!
    const lines = group.filter(({ line }) => line !== undefined)
    const countedBefore = countViolations(group.filter(({ more }) => more))
    const countedNow = lines.slice(MAX_LINES).length
    const counted = countedLines(rule, path, countedBefore + countedNow)
    return [...lines.slice(0, MAX_LINES), ...group.filter(isLacking), ...counted]
  })

const FORMATTED = /[\s;,()'"`]+/g

/** Returns a line without the characters that formatters change: `x:string` for `'x': string;`. */
export const keyOf = (text: string): string => text.replace(FORMATTED, '')

/** Returns null if time ran out. */
const linesByKeyIn = async (
  fileText: string,
  violations: Array<Violation>,
  budget: TimeBudget,
): Promise<Map<string, Array<Line>> | null> => {
  const linesByKey = new Map(violations.map(({ text }): [string, Array<Line>] => [keyOf(text), []]))
  const untested = await budget.forEach(
    [...linesOf(fileText).entries()],
    ([index, text]) => linesByKey.get(keyOf(shownLine(text)))?.push({ line: index + 1, text }),
  )
  return untested > 0 ? null : linesByKey
}

/**
 * Moves equal violations to the present lines: in order, each to the nearest line (of two, the later) that leaves a
 * line for each later violation. Drops violations for which no line is left.
 */
const withNearestLines = (group: Array<Violation>, matching: Array<Line>): Array<Violation> => {
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
 * Finds the violations that are still in a file, and updates their line numbers; returns null if time ran out. A count
 * of further lines is kept while a listed line of its rule is still there.
 *
 * @param checksOf returns the present checks of a rule; if they are unknown, a line or file that broke it still does
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

/** Counts and groups violations of rules in files, and finds those that are still there after further changes. */
import { linesOf } from '../text/line-ending.ts'
import { pluralize } from '../text/pluralize.ts'
import { truncate } from '../text/quoted-name.ts'
import { TimeBudget } from './budget.ts'
import type { Line } from './changed-lines.ts'
import { type Checks, isForbidden } from './patterns.ts'

/** What violates a rule: a `line`, a number of unlisted lines (`more`), or, without both, the file (`isLacking`). */
export type Violation = {
  rule: string
  path: string
  line?: number | undefined
  more?: number | undefined
  /** For a line, what `shownLine` returns. */
  text: string
}

/** How many lines of a file are listed for a rule. Others are only counted. */
export const MAX_LINES = 20

const MAX_SHOWN_LENGTH = 120

/** Returns a line as reports show it. */
export const shownLine = (text: string): string => truncate(text.trim(), MAX_SHOWN_LENGTH)

/** Whether a file lacks what the rule requires. */
export const isLacking = ({ line, more }: Violation): boolean => line === undefined && more === undefined

/** Returns the number of violations, including the lines that are not listed (`more`). */
export const countViolations = (violations: Array<Violation>): number =>
  violations.reduce((sum, { more = 1 }) => sum + more, 0)

/** Creates the violation that tells the number of unlisted lines, or none if that is 0. */
export const unlistedLines = (rule: string, path: string, more: number): Array<Violation> =>
  more > 0 ? [{ rule, path, text: `and ${pluralize(more, 'more line')}`, more }] : []

/** Groups violations with the same key. */
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

/** Keeps at most `MAX_LINES` lines for a rule and a file; adds the others to the number of unlisted lines. */
const limitLines = (violations: Array<Violation>): Array<Violation> =>
  groupBy(violations, ({ rule, path }) => [rule, path]).flatMap((group) => {
    const { rule, path } = group[0]!
    const lines = group.filter(({ line }) => line !== undefined)
    const unlistedBefore = countViolations(group.filter(({ more }) => more))
    const unlisted = unlistedBefore + lines.slice(MAX_LINES).length
    return [...lines.slice(0, MAX_LINES), ...group.filter(isLacking), ...unlistedLines(rule, path, unlisted)]
  })

const FORMATTED = /[\s;,()'"`]+/g

/** Returns a line without the characters that formatters change: `x:string` for `'x': string;`. */
export const keyOf = (text: string): string => text.replace(FORMATTED, '')

/** Finds the lines of a file that have the keys of the violations. Returns null if time ran out. */
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
 * Gives violations with the same rule and key their present lines, in order: each the nearest line that is free and
 * leaves enough lines for those after it; of two equally near lines, the later. Drops violations beyond the last line.
 */
const withNearestLines = (group: Array<Violation>, presentLines: Array<Line>): Array<Violation> => {
  let lineIndex = 0
  return group.flatMap((violation, index) => {
    const distanceOf = (candidate: number) => Math.abs(presentLines[candidate]!.line - violation.line!)
    const laterViolations = group.length - 1 - index
    const lastIndex = presentLines.length - 1 - laterViolations
    while (lineIndex < lastIndex && distanceOf(lineIndex + 1) <= distanceOf(lineIndex)) lineIndex += 1
    const nearest = presentLines[lineIndex]
    lineIndex += 1
    return nearest ? [{ ...violation, line: nearest.line }] : []
  })
}

/**
 * Finds the violations that are still in a file, and updates their line numbers; returns null if time ran out. The
 * number of a rule's unlisted lines is kept as long as one of its listed lines still violates it.
 *
 * @param checksOf returns the present checks of a rule; if they are unknown, a line that is still there counts as a
 * violation, and so does a file that lacked something
 */
export const unresolvedInText = async (
  violations: Array<Violation>,
  checksOf: (rule: string) => Checks | null | undefined,
  fileText: string,
  budget = new TimeBudget(),
): Promise<Array<Violation> | null> => {
  const withLine = violations.filter(({ line }) => line !== undefined)
  const linesByKey = await linesByKeyIn(fileText, withLine, budget)
  if (!linesByKey) return null
  const unresolved: Array<Violation> = []
  for (const group of groupBy(withLine, ({ rule, text }) => [rule, keyOf(text)])) {
    const { rule, text } = group[0]!
    const checks = checksOf(rule)
    const sameLines = linesByKey.get(keyOf(text))!
    const presentLines = await budget.run(() =>
      checks ? sameLines.filter((line) => isForbidden(checks, line.text)) : sameLines
    )
    if (!presentLines) return null
    unresolved.push(...withNearestLines(group, presentLines))
  }
  const lacking = await budget.filter(violations.filter(isLacking), ({ rule }) => {
    const checks = checksOf(rule)
    return !checks || checks.require.some(({ isIn }) => !isIn(fileText))
  })
  if (lacking.untested > 0) return null
  const unlisted = violations.filter(({ rule, more }) =>
    more && unresolved.some((violation) => violation.rule === rule)
  )
  return limitLines([...unresolved, ...lacking.kept, ...unlisted])
}

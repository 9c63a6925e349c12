/** Shows and counts violations of rules in files, and finds those that are still there after further changes. */
import { linesOf } from '../text/line-ending.ts'
import { pluralize } from '../text/pluralize.ts'
import { truncate } from '../text/quoted-name.ts'
import { TimeBudget } from './budget.ts'
import type { Line } from './changed-lines.ts'
import { type Checks, isForbidden } from './patterns.ts'

/**
 * A violation of a rule, of one of three kinds: a line of a file (`line`); a number of further lines, which are not
 * listed (`more`); or a file that lacks what the rule requires (without `line` and `more`).
 */
export type Violation = {
  rule: string
  path: string
  line?: number | undefined
  /** The violation as it is shown: for a line, its text as `shownLine` returns it. */
  text: string
  more?: number | undefined
}

/** The maximum number of lines listed for a rule and a file. Further lines are only counted. */
export const MAX_LINES = 20

// Formatters add, remove or change these characters.
const FORMATTED = /[\s;,()'"`]+/g

const MAX_SHOWN = 120

/** Returns a line as it is shown and stored: trimmed and truncated. */
export const shownLine = (text: string): string => truncate(text.trim(), MAX_SHOWN)

const isLacking = ({ line, more }: Violation): boolean => line === undefined && more === undefined

/** Counts violations: a violation with `more` counts as that number of lines. */
export const countViolations = (broken: Array<Violation>): number =>
  broken.reduce((sum, { more = 1 }) => sum + more, 0)

/** Creates the violation that counts further lines; none for 0 lines. */
export const countedLines = (rule: string, path: string, more: number): Array<Violation> =>
  more > 0 ? [{ rule, path, text: `and ${pluralize(more, 'more line')}`, more }] : []

/** Groups violations for which `keyPartsOf` returns the same, such as their rule and path. */
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

/** Lists the first `MAX_LINES` lines of each rule in each file, and adds the others to the count of further lines. */
const limitLines = (broken: Array<Violation>): Array<Violation> =>
  groupBy(broken, ({ rule, path }) => [rule, path]).flatMap((group) => {
    const { rule, path } = group[0]!
    const lines = group.filter(({ line }) => line !== undefined)
    const further = countViolations(group.filter(({ more }) => more)) + Math.max(0, lines.length - MAX_LINES)
    const listed = [...lines.slice(0, MAX_LINES), ...group.filter(isLacking)]
    return [...listed, ...countedLines(rule, path, further)]
  })

/** Returns the key by which a line is found again: its text without the characters that formatters change. */
export const keyOf = (text: string): string => text.replace(FORMATTED, '')

/**
 * Updates the line numbers of violations of one rule with the same text. In order, each violation gets a line of its
 * own: the nearest that leaves enough lines for the later violations. Drops violations for which no line is left.
 *
 * @param matching the present lines with this text that break the rule
 */
const withNearestLines = (group: Array<Violation>, matching: Array<Line>): Array<Violation> => {
  let next = 0
  return group.flatMap((violation, index) => {
    const distance = (candidate: number) => Math.abs(matching[candidate]!.line - violation.line!)
    const last = matching.length - (group.length - index)
    while (next < last && distance(next + 1) <= distance(next)) next += 1
    const nearest = matching[next++]
    return nearest ? [{ ...violation, line: nearest.line }] : []
  })
}

/**
 * Finds the violations that are still in a file, and updates their line numbers. A count of further lines is kept while
 * a listed line of its rule is still there.
 *
 * @param checksOf returns the checks of a rule. If there are none, a line with the same text is still a violation, and
 * a file that lacked something still lacks it
 * @returns null if time ran out
 */
export const unresolvedInText = async (
  broken: Array<Violation>,
  checksOf: (rule: string) => Checks | null | undefined,
  fileText: string,
  budget = new TimeBudget(),
): Promise<Array<Violation> | null> => {
  const linesByKey = new Map(broken.map(({ text }): [string, Array<Line>] => [keyOf(text), []]))
  const untestedLines = await budget.forEach(
    [...linesOf(fileText).entries()],
    ([index, text]) => linesByKey.get(keyOf(shownLine(text)))?.push({ line: index + 1, text }),
  )
  const withLine = broken.filter(({ line }) => line !== undefined)
  const unresolved: Array<Violation> = []
  for (const group of groupBy(withLine, ({ rule, text }) => [rule, keyOf(text)])) {
    const { rule, text } = group[0]!
    const checks = checksOf(rule)
    const matching = await budget.run(() =>
      linesByKey.get(keyOf(text))!.filter((line) => !checks || isForbidden(checks, line.text))
    )
    if (!matching) return null
    unresolved.push(...withNearestLines(group, matching))
  }
  const lacking = await budget.filter(broken.filter(isLacking), ({ rule }) => {
    const checks = checksOf(rule)
    return !checks || checks.require.some(({ isIn }) => !isIn(fileText))
  })
  if (untestedLines + lacking.untested > 0) return null
  const further = broken.filter(({ rule, more }) =>
    more && unresolved.some((violation) => violation.rule === rule)
  )
  return limitLines([...unresolved, ...lacking.kept, ...further])
}

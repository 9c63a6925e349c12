/** Violations of rules in files, as they are stored and shown. */
import { linesOf } from '../text/line-ending.ts'
import { pluralize } from '../text/pluralize.ts'
import { truncate } from '../text/quoted-name.ts'
import { TimeBudget } from './budget.ts'
import type { Line } from './changed-lines.ts'
import { type Checks, isForbidden } from './patterns.ts'

/**
 * A violation of a rule, of one of three kinds: a line of a file, with its number `line`; a file that lacks what the
 * rule requires, with neither `line` nor `more`; or a number of further lines of a file, `more`.
 */
export type Violation = {
  rule: string
  path: string
  line?: number | undefined
  /** The violation as it is shown: for a line, its trimmed and truncated text. */
  text: string
  more?: number | undefined
}

/** The maximum number of lines that are listed for a rule and a file. Further lines are only counted. */
export const MAX_LINES = 20

// Formatters add, remove or change these characters.
const FORMATTED = /[\s;,()'"`]+/g

const MAX_SHOWN = 120

/** Returns a line as it is shown and stored: trimmed and truncated. */
export const shownLine = (text: string): string => truncate(text.trim(), MAX_SHOWN)

/** Counts violations: a violation with `more` counts as that number of lines. */
export const countViolations = (broken: Array<Violation>): number =>
  broken.reduce((sum, { more = 1 }) => sum + more, 0)

/** Creates the violation that stands for a number of further lines; `[]` for 0 lines. */
export const countedLines = (rule: string, path: string, more: number): Array<Violation> =>
  more > 0 ? [{ rule, path, text: `and ${pluralize(more, 'more line')}`, more }] : []

const groupBy = (
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

/**
 * Limits the listed lines of each rule in each file to the first `MAX_LINES`. The others become one violation that
 * counts them, together with the lines that were only counted before.
 */
const limitLines = (broken: Array<Violation>): Array<Violation> =>
  groupBy(broken, ({ rule, path }) => [rule, path]).flatMap((group) => {
    const { rule, path } = group[0]!
    const lines = group.filter(({ line }) => line !== undefined)
    const lacking = group.filter(({ line, more }) => line === undefined && more === undefined)
    const more = group.reduce(
      (sum, violation) => sum + (violation.more ?? 0),
      Math.max(0, lines.length - MAX_LINES),
    )
    return [...lines.slice(0, MAX_LINES), ...lacking, ...countedLines(rule, path, more)]
  })

/** Returns the key by which a line is found again: its text without the characters that formatters change. */
export const keyOf = (text: string): string => text.replace(FORMATTED, '')

/** Maps the key of each violation to the lines of the file that have it. */
const linesByKey = async (broken: Array<Violation>, fileText: string, budget: TimeBudget) => {
  const byKey = new Map(broken.map(({ text }): [string, Array<Line>] => [keyOf(text), []]))
  const { untested } = await budget.filter(
    [...linesOf(fileText).entries()],
    ([index, text]) => (byKey.get(keyOf(shownLine(text)))?.push({ line: index + 1, text }) ?? 0) > 0,
  )
  return { byKey, untested }
}

/**
 * Updates the line numbers of violations of one rule with the same text. Each gets a line of its own, in order: the
 * nearest one that leaves enough matching lines below it for the later violations. Leaves out those without a line.
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
 * Finds the violations that are still in a file, and updates their line numbers. A count of further lines is kept while a
 * listed line of its rule is still there.
 *
 * @param checksOf returns the checks of a rule; without checks, a line with the same text is still a violation, and so is
 * what the file lacked
 * @returns null if time ran out
 */
export const unresolvedInText = async (
  broken: Array<Violation>,
  checksOf: (rule: string) => Checks | null | undefined,
  fileText: string,
  budget = new TimeBudget(),
): Promise<Array<Violation> | null> => {
  const { byKey, untested } = await linesByKey(broken, fileText, budget)
  const withLine = broken.filter(({ line }) => line !== undefined)
  const unresolved: Array<Violation> = []
  for (const group of groupBy(withLine, ({ rule, text }) => [rule, keyOf(text)])) {
    const { rule, text } = group[0]!
    const checks = checksOf(rule)
    const found = await budget.run(() => {
      const matching = byKey.get(keyOf(text))!.filter((line) => !checks || isForbidden(checks, line.text))
      return withNearestLines(group, matching)
    })
    if (!found) return null
    unresolved.push(...found)
  }
  const lacking = await budget.filter(broken, ({ rule, line, more }) => {
    const checks = checksOf(rule)
    return line === undefined && more === undefined
      && (!checks || checks.require.some(({ isIn }) => !isIn(fileText)))
  })
  if (untested + lacking.untested > 0) return null
  const further = broken.filter(({ rule, more }) =>
    more && unresolved.some((violation) => violation.rule === rule)
  )
  return limitLines([...unresolved, ...lacking.kept, ...further])
}

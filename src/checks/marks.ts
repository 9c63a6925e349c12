/** Violations of rules in files, as they are stored and shown. */
import { linesOf } from '../text/line-ending.ts'
import { pluralize } from '../text/pluralize.ts'
import { truncate } from '../text/quoted-name.ts'
import { TimeBudget } from './budget.ts'
import type { Line } from './changed-lines.ts'
import { type Checks, isForbidden } from './patterns.ts'

/**
 * A violation of a rule: a line of a file, as it is shown; or without `line` a file that lacks what the rule requires;
 * or `more` lines of a file that are only counted.
 */
export type Broken = {
  rule: string
  path: string
  line?: number | undefined
  text: string
  more?: number | undefined
}

// Per rule and file. Further lines are counted.
export const MAX_MARKS = 20

// Formatters change these characters.
const FORMATTED = /[\s;,()'"`]+/g

const MAX_SHOWN = 120

/** Returns a line as it is shown and stored: trimmed and truncated. */
export const shownLine = (text: string): string => truncate(text.trim(), MAX_SHOWN)

/** Counts violations, including those that are only counted. */
export const countOf = (broken: Array<Broken>): number => broken.reduce((sum, { more = 1 }) => sum + more, 0)

/** Returns a violation that counts further lines; none for 0. */
export const counted = (rule: string, path: string, more: number): Array<Broken> =>
  more > 0 ? [{ rule, path, text: `and ${pluralize(more, 'more line')}`, more }] : []

const groupBy = (broken: Array<Broken>, keyOf: (mark: Broken) => Array<string>): Array<Array<Broken>> => {
  const groups = new Map<string, Array<Broken>>()
  for (const mark of broken) {
    const key = JSON.stringify(keyOf(mark))
    groups.set(key, groups.get(key) ?? [])
    groups.get(key)!.push(mark)
  }
  return [...groups.values()]
}

/** Keeps the first lines of each rule in each file, and counts the others. */
const capped = (broken: Array<Broken>): Array<Broken> =>
  groupBy(broken, ({ rule, path }) => [rule, path]).flatMap((group) => {
    const { rule, path } = group[0]!
    const lines = group.filter(({ line }) => line !== undefined)
    const lacking = group.filter(({ line, more }) => line === undefined && more === undefined)
    const more = group.reduce((sum, mark) => sum + (mark.more ?? 0), Math.max(0, lines.length - MAX_MARKS))
    return [...lines.slice(0, MAX_MARKS), ...lacking, ...counted(rule, path, more)]
  })

/** Returns the key of a line: the text that formatters leave alone. */
export const keyOf = (text: string): string => text.replace(FORMATTED, '')

/** Indexes the lines of a file that have the key of a violation. */
const linesByKey = async (broken: Array<Broken>, file: string, budget: TimeBudget) => {
  const byKey = new Map(broken.map(({ text }): [string, Array<Line>] => [keyOf(text), []]))
  const { untested } = await budget.filter(
    [...linesOf(file).entries()],
    ([index, text]) => (byKey.get(keyOf(shownLine(text)))?.push({ line: index + 1, text }) ?? 0) > 0,
  )
  return { byKey, untested }
}

/**
 * Finds the violations that are still in a file, and updates their line numbers. Violations with the same text are
 * different lines: each gets the nearest one that leaves a line for each of the others. Null if time ran out.
 */
export const stillBroken = async (
  broken: Array<Broken>,
  checksOf: (rule: string) => Checks | null | undefined,
  file: string,
  budget = new TimeBudget(),
): Promise<Array<Broken> | null> => {
  const { byKey, untested } = await linesByKey(broken, file, budget)
  const inLines = broken.filter(({ line }) => line !== undefined)
  const still: Array<Broken> = []
  const looked = await budget.filter(groupBy(inLines, ({ rule, text }) => [rule, keyOf(text)]), (group) => {
    const { rule, text } = group[0]!
    const checks = checksOf(rule)
    const same = byKey.get(keyOf(text))!.filter((line) => !checks || isForbidden(checks, line.text))
    let next = 0
    for (const [index, mark] of group.entries()) {
      const distance = (at: number) => Math.abs(same[at]!.line - mark.line!)
      const last = same.length - (group.length - index)
      while (next < last && distance(next + 1) <= distance(next)) next += 1
      const nearest = same[next++]
      if (nearest) still.push({ ...mark, line: nearest.line })
    }
    return true
  })
  const lacking = await budget.filter(broken, ({ rule, line, more }) => {
    const checks = checksOf(rule)
    return line === undefined && more === undefined
      && (!checks || checks.require.some(({ isIn }) => !isIn(file)))
  })
  if (untested + looked.untested + lacking.untested > 0) return null
  const rest = broken.filter(({ rule, more }) => more && still.some((mark) => mark.rule === rule))
  return capped([...still, ...lacking.kept, ...rest])
}

/** What breaks rules in files, as it is stored and shown. */
import { linesOf } from '../text/line-ending.ts'
import { pluralize } from '../text/pluralize.ts'
import { truncate } from '../text/quoted-name.ts'
import type { Line } from './added-lines.ts'
import { TimeBudget } from './budget.ts'
import { type Checks, isForbidden } from './patterns.ts'

/**
 * What breaks a rule: a line of a file, as it is shown, or a file that lacks what the rule requires; or as how many `more`
 * lines of a file, which are counted only.
 */
export type Broken = {
  rule: string
  path: string
  line?: number | undefined
  text: string
  more?: number | undefined
}

// Of a rule and a file, as many are stored and shown.
export const MAX_MARKS = 20

/** What a formatter changes next to blanks. */
const FORMATTED = /[\s;,()'"`]+/g

const MAX_SHOWN = 120

/** Gives a line as it is shown and remembered: without the blanks around it, cut. */
export const shownLine = (text: string): string => truncate(text.trim(), MAX_SHOWN)

/** Counts what breaks rules, with what is counted only. */
export const countOf = (broken: Array<Broken>): number => broken.reduce((sum, { more = 1 }) => sum + more, 0)

/** Makes the mark of as many more lines; none for 0. */
export const counted = (rule: string, path: string, more: number): Array<Broken> =>
  more > 0 ? [{ rule, path, text: `and ${pluralize(more, 'more line')}`, more }] : []

/** Keeps the first lines of what breaks a rule in a file, and counts the others. */
const capped = (broken: Array<Broken>): Array<Broken> => {
  const groups = new Map<string, Array<Broken>>()
  for (const one of broken) {
    const key = JSON.stringify([one.rule, one.path])
    const group = groups.get(key) ?? []
    groups.set(key, group)
    group.push(one)
  }
  return [...groups.values()].flatMap((group) => {
    const { rule, path } = group[0]!
    const lines = group.filter(({ line }) => line !== undefined)
    const more = group.reduce((sum, one) => sum + (one.more ?? 0), 0)
    const lacking = group.filter(({ line, more }) => line === undefined && more === undefined)
    const rest = Math.max(0, lines.length - MAX_MARKS)
    return [...lines.slice(0, MAX_MARKS), ...lacking, ...counted(rule, path, rest + more)]
  })
}

/** The key of a line by which it is found again, also after a formatter. */
export const keyOf = (text: string): string => text.replace(FORMATTED, '')

/** Lists the lines of a file by their keys: those that have the key of what broke a rule. */
const linesByKey = async (broken: Array<Broken>, file: string, budget: TimeBudget) => {
  const byKey = new Map(broken.map(({ text }): [string, Array<Line>] => [keyOf(text), []]))
  const { untested } = await budget.filter(
    [...linesOf(file).entries()],
    ([index, text]) => (byKey.get(keyOf(shownLine(text)))?.push({ line: index + 1, text }) ?? 0) > 0,
  )
  return { byKey, untested }
}

/**
 * Gives what broke rules in a file with its present numbers; what is mended is left out. Of lines that are the same each
 * stands for another one: the nearest that leaves one for each of the others. Null where there was no time for all of it.
 */
export const stillBroken = async (
  broken: Array<Broken>,
  checksOf: (rule: string) => Checks | null | undefined,
  file: string,
  budget = new TimeBudget(),
): Promise<Array<Broken> | null> => {
  const { byKey, untested } = await linesByKey(broken, file, budget)
  const idOf = ({ rule, text }: Broken) => JSON.stringify([rule, keyOf(text)])
  const left = new Map<string, { same: Array<Line>; count: number; next: number }>()
  const looked = await budget.filter(broken, (one) => {
    const checks = checksOf(one.rule)
    const same = () => byKey.get(keyOf(one.text))!.filter(({ text }) => !checks || isForbidden(checks, text))
    const own = left.get(idOf(one)) ?? { same: same(), count: 0, next: 0 }
    own.count += 1
    return Boolean(left.set(idOf(one), own))
  })
  const lacking = await budget.filter(broken, ({ rule, line, more }) => {
    const checks = checksOf(rule)
    return line === undefined && more === undefined
      && (!checks || checks.require.some(({ isIn }) => !isIn(file)))
  })
  if (untested + looked.untested + lacking.untested > 0) return null
  const stand = broken.flatMap((one) => {
    if (one.line === undefined) return lacking.kept.includes(one) ? one : []
    const own = left.get(idOf(one))!
    const far = (at: number) => Math.abs(own.same[at]!.line - one.line!)
    while (own.next < own.same.length - own.count && far(own.next + 1) <= far(own.next)) own.next += 1
    own.count -= 1
    const nearest = own.same[own.next++]
    return nearest ? { ...one, line: nearest.line } : []
  })
  const rest = broken.filter(({ rule, more }) => more && stand.some((one) => one.rule === rule))
  return capped([...stand, ...rest])
}

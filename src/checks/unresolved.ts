/** Finds the reported violations that are still in a file after further changes. */
import { fileLinesOf } from '../text/line-ending.ts'
import { TimeBudget } from './budget.ts'
import type { Line } from './changed-lines.ts'
import { type Checks, isForbidden } from './patterns.ts'
import {
  countViolations,
  groupBy,
  isLacking,
  lineKeyOf,
  MAX_LINES,
  shownLine,
  unlistedLines,
  type Violation,
} from './violations.ts'

const limitLines = (violations: Array<Violation>): Array<Violation> =>
  groupBy(violations, ({ rule, path }) => [rule, path]).flatMap((group) => {
    const lines = group.filter(({ line }) => line !== undefined)
    const unlisted = group.filter(({ more }) => more)
    const count = countViolations(unlisted) + Math.max(0, lines.length - MAX_LINES)
    return [
      ...lines.slice(0, MAX_LINES),
      ...group.filter(isLacking),
      ...unlistedLines(count, { ...group[0]!, tolerated: unlisted[0]?.tolerated }, lines.length > 0),
    ]
  })

/** Moves each violation to the present line nearest to its old line, below the previous violation's new line. */
const moveToNearest = (violations: Array<Violation>, present: Array<Line>): Array<Violation> => {
  const kept = violations.slice(0, present.length)
  let taken = -1
  return kept.map((violation, index) => {
    const distanceTo = (lineIndex: number) => Math.abs(present[lineIndex]!.line - violation.line!)
    // Leaves a line for each later violation.
    const lastFree = present.length - (kept.length - index)
    taken += 1
    while (taken < lastFree && distanceTo(taken + 1) <= distanceTo(taken)) taken += 1
    return { ...violation, line: present[taken]!.line }
  })
}

/** Returns a rule's present checks. If they are unknown, a violation is unresolved while its line exists. */
export type ChecksOf = (rule: string) => Checks | null | undefined

type KeyedLine = Line & { key: string }

const keyedLines = async (fileText: string, budget: TimeBudget): Promise<Array<KeyedLine> | null> => {
  const lines: Array<KeyedLine> = []
  const unread = await budget.forEach([...fileLinesOf(fileText).entries()], ([index, text]) => {
    lines.push({ line: index + 1, text, key: lineKeyOf(shownLine(text)) })
  })
  return unread > 0 ? null : lines
}

const linesLike = async (
  ofRule: Array<Violation>,
  checks: Checks | null | undefined,
  lines: Array<KeyedLine> | null,
  budget: TimeBudget,
): Promise<Array<KeyedLine> | null> => {
  const keys = new Set(ofRule.map(({ text }) => lineKeyOf(text)))
  // The texts of unlisted lines are unknown, so every line that violates the rule counts.
  const anyIsLike = checks && ofRule.some(({ more }) => more)
  const { kept, untested } = await budget.filter(
    lines ?? [],
    ({ key, text }) => (anyIsLike || keys.has(key)) && (!checks || isForbidden(checks, text)),
  )
  return lines === null || untested > 0 ? null : kept
}

/**
 * Sets the `tolerated` counts of a rule's new violations in a file. If time runs out, returns them without counts.
 * `newLines` includes the numbers of unlisted lines.
 */
export const withTolerated = async (
  newViolations: Array<Violation>,
  newLines: ReadonlySet<number>,
  { checks, isReported, fileText }: {
    checks: Checks
    isReported: (text: string) => boolean
    fileText: string
  },
  budget: TimeBudget,
): Promise<Array<Violation>> => {
  const like = await linesLike(newViolations, checks, await keyedLines(fileText, budget), budget) ?? []
  const others = like.filter(({ line }) => !newLines.has(line))
  if (others.length === 0) return newViolations
  return newViolations.map((violation) => {
    const reportedKey = lineKeyOf(violation.text)
    const tolerated = others.filter(({ key, text }) =>
      violation.more ? !isReported(text) : key === reportedKey
    )
    return { ...violation, tolerated: tolerated.length || undefined }
  })
}

// In a later report, `tolerated` also counts lines of earlier reports, so the lowest count is right.
const toleratedOf = (violations: Array<Violation>): number =>
  Math.min(...violations.map(({ tolerated = 0 }) => tolerated))

const unresolvedOfRule = (
  ofRule: Array<Violation>,
  like: Array<KeyedLine>,
  isChecked: boolean,
): Array<Violation> => {
  const [unlisted, listed] = [ofRule.filter(({ more }) => more), ofRule.filter(({ more }) => !more)]
  const linesByKey = new Map(groupBy(like, ({ key }) => [key]).map((lines) => [lines[0]!.key, lines]))
  const found = groupBy(listed, ({ text }) => [lineKeyOf(text)]).flatMap((group) => {
    const equalLines = linesByKey.get(lineKeyOf(group[0]!.text)) ?? []
    const count = Math.max(0, equalLines.length - toleratedOf(group))
    return moveToNearest(group.slice(0, count), equalLines)
  })
  // Without the rule's checks, it is unknown whether an unlisted line is still in the file.
  if (!isChecked) return found.length > 0 || listed.length === 0 ? [...found, ...unlisted] : []
  const foundLines = new Set(found.map(({ line }) => line))
  const others = like.filter(({ line }) => !foundLines.has(line))
  const count = Math.max(0, Math.min(countViolations(unlisted), others.length - toleratedOf(unlisted)))
  const { rule, path } = ofRule[0]!
  if (count < others.length) {
    return [...found, ...unlistedLines(count, { rule, path, tolerated: toleratedOf(unlisted) })]
  }
  // All other lines were reported, so they can be listed.
  return [...found, ...others.map(({ line, text }) => ({ rule, path, line, text: shownLine(text) }))]
}

/** Returns the violations that are still in a file, with their present lines, or null if time ran out. */
export const unresolvedInText = async (
  violations: Array<Violation>,
  checksOf: ChecksOf,
  fileText: string,
  budget = new TimeBudget(),
): Promise<Array<Violation> | null> => {
  const lines = await keyedLines(fileText, budget)
  const unresolved: Array<Violation> = []
  for (const ofRule of groupBy(violations.filter((each) => !isLacking(each)), ({ rule }) => [rule])) {
    const checks = checksOf(ofRule[0]!.rule)
    const like = await linesLike(ofRule, checks, lines, budget)
    if (!like) return null
    unresolved.push(...unresolvedOfRule(ofRule, like, Boolean(checks)))
  }
  const lacking = await budget.filter(violations.filter(isLacking), ({ rule }) => {
    const checks = checksOf(rule)
    return !checks || checks.require.some(({ isIn }) => !isIn(fileText))
  })
  return lacking.untested > 0 ? null : limitLines([...unresolved, ...lacking.kept])
}

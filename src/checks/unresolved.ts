/** Creates the violations of new lines, and finds the violations that are still in a file after further changes. */
import { fileLinesOf } from '../text/line-ending.ts'
import { TimeBudget } from './budget.ts'
import type { Line } from './changed-lines.ts'
import type { MapLines, StepFile } from './file-changes.ts'
import type { CheckedRule, StepContext } from './forbidden-lines.ts'
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

const listLines = (lines: Array<Line>, place: Pick<Violation, 'rule' | 'path'>): Array<Violation> =>
  lines.map(({ line, text }) => ({ ...place, line, text: shownLine(text) }))

const limitLines = (violations: Array<Violation>): Array<Violation> =>
  [...groupBy(violations, ({ rule }) => rule).values()].flatMap((group) => {
    const lines = group.filter(({ line }) => line !== undefined)
    const unlisted = group.filter(({ more }) => more)
    const count = countViolations(unlisted) + Math.max(0, lines.length - MAX_LINES)
    return [
      ...lines.slice(0, MAX_LINES),
      ...group.filter(isLacking),
      ...unlistedLines(count, { ...group[0]!, tolerated: unlisted[0]?.tolerated }, lines.length > 0),
    ]
  })

/** Moves each violation to the `present` line nearest to its old line, but below the previous violation's new line. */
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
type ChecksOf = (rule: string) => Checks | undefined

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
  checks: Checks | undefined,
  lines: Array<KeyedLine>,
  budget: TimeBudget,
): Promise<Array<KeyedLine> | null> => {
  const keys = new Set(ofRule.map(({ text }) => lineKeyOf(text)))
  // A violation with `more` does not contain the texts of its lines, so every line that violates the rule counts.
  const anyIsLike = checks && ofRule.some(({ more }) => more)
  const { kept, untested } = await budget.filter(
    lines,
    ({ key, text }) => (anyIsLike || keys.has(key)) && (!checks || isForbidden(checks, text)),
  )
  return untested > 0 ? null : kept
}

/** Creates the violations of a rule in `newLines`. If time runs out, `tolerated` is not set. */
export const toViolations = async (
  newLines: Array<Line>,
  { path, presentText }: StepFile,
  { name: rule, checks }: CheckedRule,
  { isReported, budget }: StepContext,
): Promise<Array<Violation>> => {
  const place = { rule, path }
  const listed = listLines(newLines.slice(0, MAX_LINES), place)
  const violations = [...listed, ...unlistedLines(newLines.length - listed.length, place)]
  const lines = await keyedLines(presentText ?? '', budget)
  const like = lines && await linesLike(violations, checks, lines, budget)
  const newNumbers = new Set(newLines.map(({ line }) => line))
  const others = like?.filter(({ line }) => !newNumbers.has(line)) ?? []
  if (others.length === 0) return violations
  return violations.map((violation) => {
    const reportedKey = lineKeyOf(violation.text)
    const tolerated = others.filter(({ key, text }) =>
      violation.more ? !isReported(path, text, rule) : key === reportedKey
    )
    return { ...violation, tolerated: tolerated.length || undefined }
  })
}

// `tolerated` counts lines that are not new. Later reports include lines of earlier reports, so the lowest is right.
export const toleratedOf = (violations: Array<Violation>): number =>
  Math.min(...violations.map(({ tolerated = 0 }) => tolerated))

const unresolvedOfRule = (
  ofRule: Array<Violation>,
  like: Array<KeyedLine>,
  isChecked: boolean,
): Array<Violation> => {
  const [unlisted, listed] = [ofRule.filter(({ more }) => more), ofRule.filter(({ more }) => !more)]
  const linesByKey = groupBy(like, ({ key }) => key)
  const found = [...groupBy(listed, ({ text }) => lineKeyOf(text))].flatMap(([key, group]) => {
    const equalLines = linesByKey.get(key) ?? []
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
  // All lines in `others` were reported, so they can be listed.
  return [...found, ...listLines(others, { rule, path })]
}

/** Returns the violations that are still in a file, with their present lines, or null if time ran out. */
export const unresolvedInText = async (
  violations: Array<Violation>,
  checksOf: ChecksOf,
  fileText: string,
  budget = new TimeBudget(),
): Promise<Array<Violation> | null> => {
  const lines = await keyedLines(fileText, budget)
  if (!lines) return null
  const unresolved: Array<Violation> = []
  for (const [rule, ofRule] of groupBy(violations.filter((each) => !isLacking(each)), ({ rule }) => rule)) {
    const checks = checksOf(rule)
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

/**
 * If a formatter changed a file after the step's calls, returns the file's violations with their new texts and lines.
 * Otherwise, or if time runs out, returns `[]`.
 */
export const reformattedViolations = async (
  violations: Array<Violation>,
  { path, written, presentText }: StepFile,
  checksOf: ChecksOf,
  mapLines: MapLines,
  budget: TimeBudget,
): Promise<Array<Violation>> => {
  const after = written.at(-1)?.after ?? null
  const listed = violations.filter((violation) => violation.path === path && violation.line !== undefined)
  if (listed.length === 0 || after === null || presentText === null || after === presentText) return []
  const beforeFormatting = await unresolvedInText(listed, checksOf, after, budget)
  if (!beforeFormatting?.length) return []
  const toPresent = await budget.run(() => mapLines(after, presentText))
  return beforeFormatting.flatMap((violation) => {
    const checks = checksOf(violation.rule)
    if (!checks || violation.line === undefined) return []
    const parts = toPresent?.(violation.line) ?? []
    return listLines(parts.filter(({ text }) => isForbidden(checks, text)), violation)
  })
}

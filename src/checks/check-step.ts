/** The folder `checks/`: finds where a step (a session's calls since its last request) broke a rule. */
import { TimeBudget } from './budget.ts'
import type { Line } from './changed-lines.ts'
import { type Change, changesOf, type StepFile } from './file-changes.ts'
import { type CheckedRule, forbiddenLines, type StepContext } from './forbidden-lines.ts'
import { movedLines } from './moved-lines.ts'
import type { Checks, Pattern } from './patterns.ts'
import { withTolerated } from './unresolved.ts'
import { lineKeyOf, MAX_LINES, shownLine, unlistedLines, type Violation } from './violations.ts'

/** Counts the lines that were not checked in a file, and the rules whose `require` was not checked. */
export type Unchecked = { path: string; lines: number; rules: number }

const MAX_KEPT_REMOVED = 1_000

/** If a file is new or matched a `require` pattern before the step, it must match the pattern now. */
const checkRequired = async (
  { written, presentText }: StepFile,
  { require }: Checks,
  budget: TimeBudget,
): Promise<'lost' | 'not lost' | 'unchecked'> => {
  const before = written[0]?.before ?? null
  const after = written.at(-1)?.after ?? null
  if (after === null || presentText === null) return 'not lost'
  const isLost = ({ isIn }: Pattern) =>
    (before === null || isIn(before)) && !isIn(after) && !isIn(presentText)
  const longest = Math.max(before?.length ?? 0, after.length, presentText.length)
  const checkable = require.filter(({ maxLength }) => longest <= maxLength)
  const { kept: lost, untested } = await budget.filter(checkable, isLost)
  if (lost.length > 0) return 'lost'
  return untested > 0 || checkable.length < require.length ? 'unchecked' : 'not lost'
}

const violationsOf = (
  lines: Array<Line>,
  { path, presentText }: StepFile,
  { name: rule, checks }: CheckedRule,
  context: StepContext,
): Promise<Array<Violation>> => {
  const listed = lines.slice(0, MAX_LINES).map(({ line, text }) => ({
    rule,
    path,
    line,
    text: shownLine(text),
  }))
  const violations = [...listed, ...unlistedLines(lines.length - listed.length, { rule, path })]
  const isReported = (text: string) => context.isReported(path, text, rule)
  const newLines = new Set(lines.map(({ line }) => line))
  return withTolerated(
    violations,
    newLines,
    { checks, isReported, fileText: presentText ?? '' },
    context.budget,
  )
}

const violationsIn = async (
  file: StepFile,
  changes: Array<Change>,
  rules: Array<CheckedRule>,
  context: StepContext,
): Promise<{ broken: Array<Violation>; unchecked: Unchecked }> => {
  const { path } = file
  const broken: Array<Violation> = []
  const unchecked = { path, lines: 0, rules: 0 }
  for (const checkedRule of rules) {
    const { name: rule, checks } = checkedRule
    const { lines, untested } = await forbiddenLines(file, changes, checkedRule, context)
    if (lines.length > 0) broken.push(...await violationsOf(lines, file, checkedRule, context))
    // Each rule usually leaves the same lines untested, so they are not added up.
    unchecked.lines = Math.max(unchecked.lines, untested)

    const required = await checkRequired(file, checks, context.budget)
    if (required === 'lost') broken.push({ rule, path, text: 'the file lacks what the rule requires' })
    if (required === 'unchecked') unchecked.rules += 1
  }
  return { broken, unchecked }
}

const indexReported = (broken: Array<Violation>): StepContext['isReported'] => {
  const idOf = (path: string, text: string, rule = '') => JSON.stringify([path, text, rule])
  const ids = new Set(broken.flatMap(({ rule, path, text }) => {
    const key = lineKeyOf(text)
    return [idOf(path, key), idOf(path, key, rule)]
  }))
  return (path, text, rule) => ids.has(idOf(path, lineKeyOf(shownLine(text)), rule))
}

/**
 * Returns the new violations (`broken`), and the unreported lines that the turn removed and did not add again.
 *
 * @param earlier the violations reported before the step, and `removed` of the turn's previous step
 */
export const checkStep = async (
  files: Array<StepFile>,
  rulesFor: (path: string) => Array<CheckedRule>,
  mapLines: StepContext['mapLines'],
  earlier: { broken: Array<Violation>; removed: Array<string> } = { broken: [], removed: [] },
  budget = new TimeBudget(),
): Promise<{ broken: Array<Violation>; unchecked: Array<Unchecked>; removed: Array<string> }> => {
  const isReported = indexReported(earlier.broken)
  const broken: Array<Violation> = []
  const unchecked: Array<Unchecked> = []

  // All files are compared before the first is checked, because a line may move to another file.
  const changed: Array<{ file: StepFile; changes: Array<Change>; uncheckedLines: number }> = []
  for (const file of files) {
    const { changes, uncheckedLines } = await changesOf(file, budget)
    if (changes.length > 0) changed.push({ file, changes, uncheckedLines })
    else if (uncheckedLines > 0) unchecked.push({ path: file.path, lines: uncheckedLines, rules: 0 })
  }
  const compared = await budget.run(() =>
    movedLines(changed.map(({ file: { path }, changes }) => ({ path, changes })), earlier.removed, isReported)
  )
  const moved = compared?.moved
  const removed = compared?.removed ?? earlier.removed

  const context = { isReported, moved, mapLines, comparisons: new Map(), budget }
  for (const { file, changes, uncheckedLines } of changed) {
    const ofFile = await violationsIn(file, changes, rulesFor(file.path), context)
    broken.push(...ofFile.broken)
    ofFile.unchecked.lines += uncheckedLines
    if (ofFile.unchecked.lines + ofFile.unchecked.rules > 0) unchecked.push(ofFile.unchecked)
  }
  return { broken, removed: removed.slice(-MAX_KEPT_REMOVED), unchecked }
}

/** The folder `checks/`: finds where a step (a session's calls since its last request) broke a rule. */
import { TimeBudget } from './budget.ts'
import { type ChangedFile, changesOf, type StepFile } from './file-changes.ts'
import { type CheckedRule, forbiddenLines, type StepContext } from './forbidden-lines.ts'
import { indexRemoved, newCopyFinder, type ReadPresent, type Turn } from './moved-lines.ts'
import type { Checks, Pattern } from './patterns.ts'
import { toViolations } from './unresolved.ts'
import { lineKeyOf, shownLine, type Violation } from './violations.ts'

/** Counts the lines that were not checked in a file, and the rules whose `require` was not checked. */
export type Unchecked = { path: string; lines: number; rules: number }

/** A new file must match each `require` pattern, and an existing file each pattern that it matched before the step. */
const checkRequired = async (
  { written, presentText }: StepFile,
  { require }: Checks,
  budget: TimeBudget,
): Promise<'lost' | 'not lost' | 'unchecked'> => {
  const [before, after] = [written[0]?.before ?? null, written.at(-1)?.after ?? null]
  if (after === null || presentText === null) return 'not lost'
  const isLost = ({ isIn }: Pattern) =>
    (before === null || isIn(before)) && !isIn(after) && !isIn(presentText)
  const longest = Math.max(before?.length ?? 0, after.length, presentText.length)
  const checkable = require.filter(({ maxLength }) => longest <= maxLength)
  const { kept: lost, untested } = await budget.filter(checkable, isLost)
  if (lost.length > 0) return 'lost'
  return untested > 0 || checkable.length < require.length ? 'unchecked' : 'not lost'
}

const indexReported = (broken: Array<Violation>): StepContext['isReported'] => {
  const idOf = (path: string, text: string, rule = '') => JSON.stringify([path, lineKeyOf(text), rule])
  const ids = new Set(broken.flatMap(({ rule, path, text }) => [idOf(path, text), idOf(path, text, rule)]))
  return (path, text, rule) => ids.has(idOf(path, shownLine(text), rule))
}

/**
 * Returns the new violations of a step (`broken`), and adds its changes to `turn`.
 *
 * @param earlier the violations that were reported before the step
 * @param readPresent reads a file of the turn that is not in `files`
 */
export const checkStep = async (
  files: Array<StepFile>,
  rulesFor: (path: string) => Array<CheckedRule>,
  mapLines: StepContext['mapLines'],
  { earlier, turn, readPresent }: {
    earlier: Array<Violation>
    turn: Turn
    readPresent: ReadPresent
  },
  budget = new TimeBudget(),
): Promise<{ broken: Array<Violation>; unchecked: Array<Unchecked> }> => {
  const isReported = indexReported(earlier)
  // The changes of all files are found before the first file is checked, because a line may move to another file.
  const changed: Array<ChangedFile> = []
  for (const file of files) changed.push(await changesOf(file, budget))
  await turn.addStep(changed, isReported, budget)
  // If time ran out, every line counts as moved, to avoid wrong reports.
  const wasRemovedInTurn = await budget.run(() => indexRemoved(turn.removed)) ?? (() => true)
  const read: ReadPresent = async (path) => {
    const file = files.find((each) => each.path === path)
    return file ? file.presentText : readPresent(path)
  }
  const isNewCopy = newCopyFinder(changed, turn, read, budget)

  const broken: Array<Violation> = []
  const unchecked: Array<Unchecked> = []
  const context = { isReported, wasRemovedInTurn, isNewCopy, mapLines, budget }
  for (const { file, changes, uncheckedLines } of changed) {
    const { path } = file
    let [lineCount, ruleCount] = [0, 0]
    for (const rule of changes.length > 0 ? rulesFor(path) : []) {
      const { lines, untested } = await forbiddenLines(file, changes, rule, context)
      if (lines.length > 0) broken.push(...await toViolations(lines, file, rule, context))
      // Each rule usually leaves the same lines untested, so the numbers are not added up.
      lineCount = Math.max(lineCount, untested)

      const required = await checkRequired(file, rule.checks, budget)
      if (required === 'unchecked') ruleCount += 1
      if (required === 'lost') {
        broken.push({ rule: rule.name, path, text: 'the file lacks what the rule requires' })
      }
    }
    lineCount += uncheckedLines
    if (lineCount + ruleCount > 0) unchecked.push({ path, lines: lineCount, rules: ruleCount })
  }
  broken.forEach((violation) => turn.countReport(violation))
  return { broken, unchecked }
}

/** Checks the files of a step against one rule, for the unit tests of `src/checks`. */
import type { TimeBudget } from '../../src/checks/budget.ts'
import { checkStep } from '../../src/checks/check-step.ts'
import type { StepFile } from '../../src/checks/file-changes.ts'
import { Turn } from '../../src/checks/moved-lines.ts'
import { CHECK_KEYS, type Checks, compileChecks } from '../../src/checks/patterns.ts'
import type { Violation } from '../../src/checks/violations.ts'
import { linesAfterFormatting } from '../../src/steps/lines-after-formatting.ts'

export type HeaderTexts = { [key in (typeof CHECK_KEYS)[number]]?: string }

export const compileTexts = (header: HeaderTexts): ReturnType<typeof compileChecks> => {
  const entries = Object.entries(header).map(([key, text], index) => [key, [{ text, line: 2 + index }]])
  return compileChecks(Object.fromEntries(entries))
}

export const checksOf = async (header: HeaderTexts): Promise<Checks> => (await compileTexts(header)).data!

/** A text is null if the file does not exist. */
export type FileTexts = [before: string | null, after: string | null, formatted?: string]

export const fileOf = (path: string, [before, after, formatted]: FileTexts): StepFile => ({
  path,
  written: [{ before, after }],
  presentText: formatted ?? after,
})

type JudgeOptions = {
  reported?: Array<Violation>
  globs?: Array<string>
  turn?: Turn
  /** The present texts of files that earlier steps of the turn changed. */
  present?: Record<string, string>
  budget?: TimeBudget
}

type Judged = ReturnType<typeof checkStep>

/** Checks files against a rule named `r` with this header. */
export const judgeFiles = async (
  header: HeaderTexts,
  files: Array<StepFile>,
  { reported = [], globs = [], turn = new Turn(), present = {}, budget }: JudgeOptions = {},
): Judged => {
  const rules = [{ name: 'r', checks: await checksOf(header), globs }]
  const place = { earlier: reported, turn, readPresent: async (path: string) => present[path] ?? null }
  return checkStep(files, () => rules, linesAfterFormatting, place, budget)
}

export const judge = (header: HeaderTexts, texts: FileTexts): Judged =>
  judgeFiles(header, [fileOf('a.ts', texts)])

export const lineNumbersOf = ({ broken }: Awaited<Judged>): Array<number> => broken.map(({ line }) => line!)

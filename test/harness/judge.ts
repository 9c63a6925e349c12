/**
 * Checks files against a rule, for the unit tests of `src/checks`. A test gives the rule's header (patterns, examples)
 * and the texts of each file before and after a step (the calls in one answer of the model).
 */
import { checkStep } from '../../src/checks/check-step.ts'
import type { StepFile } from '../../src/checks/file-changes.ts'
import { CHECK_KEYS, type Checks, compileChecks } from '../../src/checks/patterns.ts'
import type { Violation } from '../../src/checks/violations.ts'
import { linesAfterFormatting } from '../../src/steps/lines-now.ts'

/** A header with at most one pattern or example per key: `{ forbid: 'any', good: 'unknown' }`. */
export type HeaderTexts = { [key in (typeof CHECK_KEYS)[number]]?: string }

/** Compiles a header. A fault names a line: the first key is on line 2, below the opening `---`, the next on line 3. */
export const compileTexts = (header: HeaderTexts): ReturnType<typeof compileChecks> => {
  const entries = Object.entries(header).map(([key, text], index) => [key, [{ text, line: 2 + index }]])
  return compileChecks(Object.fromEntries(entries))
}

/** Compiles a header that must have a pattern and no fault. */
export const checksOf = async (header: HeaderTexts): Promise<Checks> => (await compileTexts(header)).data!

/** A file before a step, after the calls of the step, and, if a formatter changed it, after that; null for no file. */
export type FileTexts = [before: string | null, after: string | null, formatted?: string]

/** Creates a file that one call of a step changed. */
export const fileOf = (path: string, [before, after, formatted]: FileTexts): StepFile => ({
  path,
  written: [{ before, after }],
  presentText: formatted ?? after,
})

type Judged = ReturnType<typeof checkStep>

/** Checks the files of a step against one rule, `r`. `reported` lists the violations that were reported before. */
export const judgeFiles = async (
  header: HeaderTexts,
  files: Array<StepFile>,
  { reported = [], globs = [] }: { reported?: Array<Violation>; globs?: Array<string> } = {},
): Judged => {
  const rules = [{ name: 'r', checks: await checksOf(header), globs }]
  return checkStep(files, () => rules, linesAfterFormatting, { broken: reported, removed: [] })
}

/** Checks a step that changed only `a.ts`. */
export const judge = (header: HeaderTexts, texts: FileTexts): Judged =>
  judgeFiles(header, [fileOf('a.ts', texts)])

export const lineNumbersOf = ({ broken }: Awaited<Judged>): Array<number> => broken.map(({ line }) => line!)

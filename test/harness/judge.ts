/** Checks the changed files of a step (an answer of the model) against one rule, of which a test gives the header. */
import { checkStep } from '../../src/checks/check-step.ts'
import type { StepFile } from '../../src/checks/file-changes.ts'
import { CHECK_KEYS, type Checks, compileChecks } from '../../src/checks/patterns.ts'
import type { Violation } from '../../src/checks/violations.ts'
import { linesNow } from '../../src/steps/lines-now.ts'

/** The patterns and examples of a header, one per key: `{ forbid: 'any', good: 'unknown' }`. */
export type HeaderTexts = { [key in (typeof CHECK_KEYS)[number]]?: string }

/** Compiles the texts of a header, which are on consecutive lines from line 2. */
export const compileTexts = (header: HeaderTexts): ReturnType<typeof compileChecks> =>
  compileChecks(
    Object.fromEntries(Object.entries(header).map(([key, text], at) => [key, [{ text, line: 2 + at }]])),
  )

/** Returns the checks of a header that has at least one pattern and no fault. */
export const checksOf = async (header: HeaderTexts): Promise<Checks> => (await compileTexts(header)).data!

/** The text of a file before a step, after its calls, and after a formatter if there was one; null for no file. */
export type FileTexts = [before: string | null, after: string | null, formatted?: string]

export const fileOf = (path: string, [before, after, formatted]: FileTexts): StepFile => ({
  path,
  written: [{ before, after }],
  presentText: formatted ?? after,
})

type Judged = ReturnType<typeof checkStep>

/** Checks the files of a step against one rule, `r`. */
export const judgeFiles = async (
  header: HeaderTexts,
  files: Array<StepFile>,
  { reported = [], globs = [] }: { reported?: Array<Violation>; globs?: Array<string> } = {},
): Judged => {
  const rules = [{ name: 'r', checks: await checksOf(header), globs }]
  return checkStep(files, () => rules, linesNow, { broken: reported, removed: [] })
}

/** Checks a step that changed only `a.ts`. */
export const judge = (header: HeaderTexts, texts: FileTexts): Judged =>
  judgeFiles(header, [fileOf('a.ts', texts)])

export const lineNumbersOf = ({ broken }: Awaited<Judged>): Array<number> => broken.map(({ line }) => line!)

/** Checks the changed files of a step against one rule, of which a test writes the header. */
import { checkStep } from '../../src/checks/check-step.ts'
import type { StepFile } from '../../src/checks/file-changes.ts'
import { CHECK_KEYS, type Checks, compileChecks } from '../../src/checks/patterns.ts'
import type { Violation } from '../../src/checks/violations.ts'
import { linesNow } from '../../src/steps/lines-now.ts'

/** The texts of a header for checking, one per key: `{ forbid: 'any', good: 'unknown' }`. */
export type Texts = { [key in (typeof CHECK_KEYS)[number]]?: string }

/** Compiles the texts of a header, which are on consecutive lines from line 2. */
export const compileTexts = (texts: Texts): ReturnType<typeof compileChecks> =>
  compileChecks(
    Object.fromEntries(Object.entries(texts).map(([key, text], at) => [key, [{ text, line: 2 + at }]])),
  )

/** Returns the checks of a header that has at least one pattern and no fault. */
export const checksOf = async (texts: Texts): Promise<Checks> => (await compileTexts(texts)).data!

/** A file before a step, after its calls, and after a formatter if there was one. */
export type Step = [before: string | null, after: string | null, formatted?: string]

export const fileOf = (path: string, [before, after, formatted = after ?? undefined]: Step): StepFile => ({
  path,
  written: [{ before, after }],
  presentText: formatted ?? null,
})

type Judged = ReturnType<typeof checkStep>

/** Checks the files of a step against one rule, `r`. */
export const judgeFiles = async (
  texts: Texts,
  files: Array<StepFile>,
  { reported = [], globs = [] }: { reported?: Array<Violation>; globs?: Array<string> } = {},
): Judged => {
  const rules = [{ name: 'r', checks: await checksOf(texts), globs }]
  return checkStep(files, () => rules, linesNow, { broken: reported, removed: [] })
}

/** Checks a step that changed `a.ts`. */
export const judge = (texts: Texts, step: Step): Judged => judgeFiles(texts, [fileOf('a.ts', step)])

export const linesOf = ({ broken }: Awaited<Judged>): Array<number> => broken.map(({ line }) => line!)

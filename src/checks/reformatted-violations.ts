/** Finds reported violations again in lines that a formatter has split or joined since. */
import type { TimeBudget } from './budget.ts'
import type { StepFile } from './file-changes.ts'
import type { MapLines } from './forbidden-lines.ts'
import { isForbidden } from './patterns.ts'
import { type ChecksOf, unresolvedInText } from './unresolved.ts'
import { shownLine, type Violation } from './violations.ts'

/**
 * If a formatter changed a file after the calls of the step, returns its violations with their new texts and lines.
 * Returns none if the time runs out.
 */
export const reformattedViolations = async (
  violations: Array<Violation>,
  { path, written, presentText }: StepFile,
  checksOf: ChecksOf,
  mapLines: MapLines,
  budget: TimeBudget,
): Promise<Array<Violation>> => {
  const after = written.at(-1)?.after ?? null
  if (after === null || presentText === null || after === presentText) return []
  const listed = violations.filter((violation) => violation.path === path && violation.line !== undefined)
  const beforeFormatting = listed.length > 0 ? await unresolvedInText(listed, checksOf, after, budget) : []
  if (!beforeFormatting?.length) return []
  const toPresent = await budget.run(() => mapLines(after, presentText))
  return beforeFormatting.flatMap((violation) => {
    const checks = checksOf(violation.rule)
    if (!checks || violation.line === undefined) return []
    const parts = toPresent?.(violation.line) ?? []
    return parts.filter(({ text }) => isForbidden(checks, text))
      .map(({ line, text }) => ({ ...violation, line, text: shownLine(text) }))
  })
}

/**
 * Finds the lines that a step (see `check-step.ts`) added and that match a rule's forbidden patterns. Leaves out lines
 * that only moved, edited lines that already matched (see `touched-lines.ts`), and lines that a formatter fixed.
 */
import type { TimeBudget } from './budget.ts'
import type { Line } from './changed-lines.ts'
import type { Change, MapLines, StepFile, WasRemoved } from './file-changes.ts'
import { indexRemoved, type IsNewCopy } from './moved-lines.ts'
import type { Checks, Pattern } from './patterns.ts'
import { touchedLines } from './touched-lines.ts'
import { lineKeyOf } from './violations.ts'

export type CheckedRule = { name: string; checks: Checks; globs?: Array<string> }

export type StepContext = {
  /** If a rule is given, only reports of this rule count. */
  isReported: (path: string, text: string, rule?: string) => boolean
  /** Searches the unreported lines that the turn removed. */
  wasRemovedInTurn: WasRemoved
  isNewCopy: IsNewCopy
  mapLines: MapLines
  budget: TimeBudget
}

type Found = { lines: Array<Line>; untested: number }

// A formatter may have split the written line into parts, and joined the last part with an old line. This joined part
// counts only if no earlier part matches.
const matchingParts = (written: string, parts: Array<Line>, { isIn }: Pattern): Array<Line> =>
  parts.filter(({ text }) => isIn(text)).filter((part, index) =>
    index === 0 || part !== parts.at(-1) || lineKeyOf(written).endsWith(lineKeyOf(part.text))
  )

const newViolations = async (
  { path, presentText }: StepFile,
  change: Change,
  { rule, pattern, matching }: { rule: string; pattern: Pattern; matching: Array<Line> },
  { isReported, wasRemovedInTurn, isNewCopy, mapLines, budget }: StepContext,
): Promise<Found> => {
  const { after, hunks, argsKey } = change
  if (after !== presentText) {
    change.toPresent ??= await budget.run(() => mapLines(after ?? '', presentText ?? ''))
  }
  change.wasRemoved ??= await budget.run(() => indexRemoved(hunks.flatMap(({ removed }) => removed)))
  const { toPresent, wasRemoved } = change

  const moved = new Set<Line>()
  await budget.forEach(matching, (line) => {
    if (wasRemoved?.(line.text, pattern) || wasRemovedInTurn(line.text, pattern)) moved.add(line)
  })
  for (const line of [...moved]) if (await isNewCopy(rule, line)) moved.delete(line)
  const isOfCall = (text: string) => argsKey === undefined || argsKey.includes(lineKeyOf(text))
  const candidates = await budget.filter(matching, (line) => !moved.has(line) && isOfCall(line.text))
  if (candidates.kept.length === 0) return { lines: [], untested: candidates.untested }

  const isTolerated = (removed: string) => !isReported(path, removed, rule) && pattern.isIn(removed)
  const touched = await touchedLines(matching, hunks, isTolerated, pattern.matchesIn, budget)

  const lines: Array<Line> = []
  const unmapped = await budget.forEach(candidates.kept, (line) => {
    if (touched.has(line)) return
    lines.push(...(toPresent ? matchingParts(line.text, toPresent(line.line), pattern) : [line]))
  })
  return { lines, untested: candidates.untested + unmapped }
}

const MARKDOWN_GLOB = /\b(?:md|mdx|mdc|markdown)\b/i

/** In Markdown files, fenced code is checked only by rules whose globs name Markdown, such as `*.md`. */
export const checksFencedCode = (globs: Array<string> = []): boolean => MARKDOWN_GLOB.test(globs.join())

/** Returns the new violations of a rule as lines of the present text. */
export const forbiddenLines = async (
  file: StepFile,
  changes: Array<Change>,
  { name: rule, checks, globs }: CheckedRule,
  context: StepContext,
): Promise<Found> => {
  const isForMarkdown = checksFencedCode(globs)
  const linesByNumber = new Map<number, Line>()
  let untested = 0
  for (const pattern of checks.forbid) {
    let untestedByPattern = 0
    for (const change of changes) {
      const added = isForMarkdown ? change.added : change.addedOutsideFences
      const matching = await context.budget.filter(added, ({ text }) => pattern.isIn(text))
      const isTooLong = (line: Line) => line.text.length > pattern.maxLength && !matching.kept.includes(line)
      untestedByPattern += matching.untested + added.filter(isTooLong).length
      if (matching.kept.length === 0) continue
      const found = await newViolations(file, change, { rule, pattern, matching: matching.kept }, context)
      untestedByPattern += found.untested
      for (const line of found.lines) linesByNumber.set(line.line, line)
    }
    // The patterns usually leave the same lines untested, so their counts are not added up.
    untested = Math.max(untested, untestedByPattern)
  }
  return { lines: [...linesByNumber.values()].toSorted((one, other) => one.line - other.line), untested }
}

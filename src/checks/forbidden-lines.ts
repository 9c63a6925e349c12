/**
 * Finds the lines of a step that newly violate a rule's forbidden patterns: the added lines that match, except lines
 * that only moved, that were only touched (see `touched-lines.ts`), or that a formatter has since fixed.
 */
import type { TimeBudget } from './budget.ts'
import type { Line } from './changed-lines.ts'
import { type Change, removedLinesOf, type StepFile } from './file-changes.ts'
import { indexRemoved, type WasRemoved } from './moved-lines.ts'
import type { Checks, Pattern } from './patterns.ts'
import { touchedLines } from './touched-lines.ts'
import { lineKeyOf } from './violations.ts'

export type CheckedRule = { name: string; checks: Checks; globs?: Array<string> }

/** Returns a function that maps a line number in `written` to the lines of `present` that it became. */
export type MapLines = (written: string, present: string) => (line: number) => Array<Line>

export type StepContext = {
  /** Whether a line of a file was reported before. If a rule is given, only its reports count. */
  isReported: (path: string, text: string, rule?: string) => boolean
  /** Searches unreported lines that the turn removed. A reported line that moves to another file is reported again. */
  wasRemovedAnywhere: WasRemoved
  mapLines: MapLines
  /** The results of `comparisonOf`, which are the same for all rules and patterns. */
  comparisons: Map<Change, Comparison>
  budget: TimeBudget
}

type Comparison = {
  /** Searches the lines that the change removed, including reported lines; undefined if time ran out. */
  wasRemovedHere: WasRemoved | undefined
  /** `argsIfUncertain` without the characters that formatters insert (see `lineKeyOf`). */
  argsKey: string | undefined
  /** Maps written lines to present lines; undefined if the text has not changed since, or if time ran out. */
  toPresent: ReturnType<MapLines> | undefined
}

const comparisonOf = async (
  change: Change,
  { presentText }: StepFile,
  { mapLines, comparisons, budget }: StepContext,
): Promise<Comparison> => {
  const known = comparisons.get(change)
  if (known) return known
  const { after, argsIfUncertain } = change
  const isPresent = after === presentText
  const comparison = {
    wasRemovedHere: await budget.run(() => indexRemoved(removedLinesOf([change]))),
    argsKey: argsIfUncertain === undefined ? undefined : lineKeyOf(argsIfUncertain),
    toPresent: isPresent ? undefined : await budget.run(() => mapLines(after ?? '', presentText ?? '')),
  }
  comparisons.set(change, comparison)
  return comparison
}

/** New violations, as lines of the present text, and the number of added lines for which time ran out. */
type Found = { lines: Array<Line>; untested: number }

/**
 * Returns the matching parts into which a formatter split a written line; `[]` if the formatter fixed the line. The
 * formatter may have joined the last part with an old line, so the last part counts only if it is the only matching
 * part, or if the written line ends with it.
 */
const matchingParts = (written: string, parts: Array<Line>, { isIn }: Pattern): Array<Line> =>
  parts.filter(({ text }) => isIn(text)).filter((part, index) =>
    index === 0 || part !== parts.at(-1) || lineKeyOf(written).endsWith(lineKeyOf(part.text))
  )

const newViolations = async (
  file: StepFile,
  change: Change,
  { rule, pattern, matching }: { rule: string; pattern: Pattern; matching: Array<Line> },
  context: StepContext,
): Promise<Found> => {
  const { isReported, wasRemovedAnywhere, budget } = context
  const { wasRemovedHere, argsKey, toPresent } = await comparisonOf(change, file, context)

  const isMoved = (text: string) => wasRemovedHere?.(text, pattern) || wasRemovedAnywhere(text, pattern)
  // Where a formatter may have changed the text, only a line that occurs in the arguments is certainly from the call.
  const isOfCall = (text: string) => argsKey === undefined || argsKey.includes(lineKeyOf(text))
  const candidates = await budget.filter(matching, ({ text }) => !isMoved(text) && isOfCall(text))
  if (candidates.kept.length === 0) return { lines: [], untested: candidates.untested }

  // A line that broke the rule before and was not reported may change without a report.
  const isTolerated = (removed: string) => !isReported(file.path, removed, rule) && pattern.isIn(removed)
  const { matchesIn } = pattern
  const touched = await touchedLines(matching, change.hunks, { isTolerated, matchesIn }, budget)

  const lines: Array<Line> = []
  const unmapped = await budget.forEach(candidates.kept, (line) => {
    if (touched.has(line)) return
    lines.push(...(toPresent ? matchingParts(line.text, toPresent(line.line), pattern) : [line]))
  })
  return { lines, untested: candidates.untested + unmapped }
}

const MARKDOWN_GLOB = /\b(?:md|mdx|mdc|markdown)\b/i

/** Whether a rule's globs name Markdown. In Markdown, only such a rule checks fenced code. */
export const checksFencedCode = (globs: Array<string> = []): boolean => MARKDOWN_GLOB.test(globs.join())

/** Counts the lines of which only the start was searched, without a match. */
const countTooLong = (lines: Array<Line>, matching: Array<Line>, { maxLength }: Pattern): number =>
  lines.filter((line) => line.text.length > maxLength && !matching.includes(line)).length

/** Finds the new violations of a rule in a file. */
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
      untestedByPattern += matching.untested + countTooLong(added, matching.kept, pattern)
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

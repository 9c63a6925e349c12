/** Finds the lines of a step that are new violations of a rule's forbidden patterns. */
import type { TimeBudget } from './budget.ts'
import type { Line } from './changed-lines.ts'
import { type Change, removedLinesOf, type StepFile } from './file-changes.ts'
import type { Checks, Pattern } from './patterns.ts'
import { touchedLines } from './touched-lines.ts'
import { keyOf } from './violations.ts'

export type CheckedRule = { name: string; checks: Checks; globs?: Array<string> }

/** Maps the number of a written line to the present lines that it became, or to none if that is uncertain. */
type MapLines = (written: string, present: string) => (line: number) => Array<Line>

type WasRemoved = (line: string, pattern: Pattern) => boolean

// A lookup may try each of the removed lines that differ only in whitespace.
const MAX_VARIANTS = 10

/**
 * Creates the function that tells whether a removed line equals a line and matches the pattern, too. Ignores
 * whitespace, because moving a line into a block indents it.
 */
export const indexRemoved = (removed: Array<string>): WasRemoved => {
  const withoutBlanks = (text: string) => text.replace(/\s+/g, '')
  const textsByKey = new Map<string, Set<string>>()
  for (const text of removed) {
    const key = withoutBlanks(text)
    const texts = textsByKey.get(key) ?? new Set()
    if (texts.size < MAX_VARIANTS) textsByKey.set(key, texts.add(text))
  }
  return (text, { isIn }) => [...textsByKey.get(withoutBlanks(text)) ?? []].some(isIn)
}

export type StepContext = {
  /** Whether a line of a file was reported before as a violation of the rule, or of any rule if none is given. */
  isReported: (path: string, text: string, rule?: string) => boolean
  /** Whether a line was removed from any file of the step, or earlier in the turn. Reported lines do not count. */
  wasRemovedAnywhere: WasRemoved
  mapLines: MapLines
  comparisons: Map<Change, Comparison>
  budget: TimeBudget
}

type Comparison = {
  /** Undefined if time ran out. */
  wasRemovedHere: WasRemoved | undefined
  wordsKey: string | undefined
  /** Undefined if the written text is the present one, or time ran out. */
  toPresent: ReturnType<MapLines> | undefined
}

const comparisonOf = async (
  change: Change,
  { presentText }: StepFile,
  { mapLines, comparisons, budget }: StepContext,
): Promise<Comparison> => {
  const known = comparisons.get(change)
  if (known) return known
  const { after, words } = change
  const comparison = {
    // Includes reported lines: one that only moved within the file is not reported again.
    wasRemovedHere: await budget.run(() => indexRemoved(removedLinesOf([change]))),
    wordsKey: words === undefined ? undefined : keyOf(words),
    toPresent: after === presentText
      ? undefined
      : await budget.run(() => mapLines(after ?? '', presentText ?? '')),
  }
  comparisons.set(change, comparison)
  return comparison
}

type Found = { lines: Array<Line>; untested: number }

const newViolations = async (
  file: StepFile,
  change: Change,
  { rule, pattern, matching }: { rule: string; pattern: Pattern; matching: Array<Line> },
  context: StepContext,
): Promise<Found> => {
  const { isReported, wasRemovedAnywhere, budget } = context
  const { wasRemovedHere, wordsKey, toPresent } = await comparisonOf(change, file, context)

  const isMoved = (text: string) => wasRemovedHere?.(text, pattern) || wasRemovedAnywhere(text, pattern)
  const isWritten = (text: string) => wordsKey === undefined || wordsKey.includes(keyOf(text))
  const candidates = await budget.filter(matching, ({ text }) => !isMoved(text) && isWritten(text))
  if (candidates.kept.length === 0) return { lines: [], untested: candidates.untested }

  const mayAccount = (removed: string) => !isReported(file.path, removed, rule) && pattern.isIn(removed)
  const { matchesIn } = pattern
  const touched = await touchedLines(matching, change.hunks, { mayAccount, matchesIn }, budget)

  // A formatter may have fixed a line.
  const presentLineOf = (line: Line) =>
    toPresent ? toPresent(line.line).find(({ text }) => pattern.isIn(text)) : line
  const lines: Array<Line> = []
  const unmapped = await budget.forEach(candidates.kept, (line) => {
    const presentLine = touched.has(line) ? undefined : presentLineOf(line)
    if (presentLine) lines.push(presentLine)
  })
  return { lines, untested: candidates.untested + unmapped }
}

const MARKDOWN = /\b(?:md|mdx|mdc|markdown)\b/i

/** Lists the present lines of a file that newly match a forbidden pattern, and counts those for which time ran out. */
export const forbiddenLines = async (
  file: StepFile,
  changes: Array<Change>,
  { name: rule, checks, globs = [] }: CheckedRule,
  context: StepContext,
): Promise<Found> => {
  const { budget } = context
  // Fenced code is only checked by rules for Markdown.
  const isForMarkdown = MARKDOWN.test(globs.join())
  const byNumber = new Map<number, Line>()
  let untested = 0
  for (const pattern of checks.forbid) {
    let untestedByPattern = 0
    for (const change of changes) {
      const added = isForMarkdown ? change.added : change.addedOutsideFences
      const matching = await budget.filter(added, ({ text }) => pattern.isIn(text))
      untestedByPattern += matching.untested
      if (matching.kept.length === 0) continue
      const found = await newViolations(file, change, { rule, pattern, matching: matching.kept }, context)
      untestedByPattern += found.untested
      for (const line of found.lines) byNumber.set(line.line, line)
    }
    // Patterns usually leave the same lines untested: these count once.
    untested = Math.max(untested, untestedByPattern)
  }
  return { lines: [...byNumber.values()].toSorted((one, other) => one.line - other.line), untested }
}

/**
 * Finds the lines of a step that are new violations of a rule's forbidden patterns. Not every added line that matches a
 * pattern is new: some only moved, and some replace a line that matched already.
 */
import type { TimeBudget } from './budget.ts'
import type { Line } from './changed-lines.ts'
import { type Change, removedLinesOf, type StepFile } from './file-changes.ts'
import type { Checks, Pattern } from './patterns.ts'
import { touchedLines } from './touched-lines.ts'
import { keyOf } from './violations.ts'

/** A rule that checks files. */
export type CheckedRule = { name: string; checks: Checks; globs?: Array<string> }

/**
 * Compares the text that a call wrote with the present text. Returns a function that maps the number of a written line
 * to the present lines that the line became, or to none if that is uncertain.
 */
type MapLines = (written: string, present: string) => (line: number) => Array<Line>

/** Whether a removed line equals this line, apart from whitespace, and matches the pattern, too. */
type WasRemoved = (line: string, pattern: Pattern) => boolean

// The maximum number of kept lines that differ only in whitespace. A lookup may try each of them.
const MAX_VARIANTS = 10

/** Creates the function that looks up removed lines. Ignores whitespace: moving a line into a block indents it. */
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

/** What is the same for all files and rules of a step. */
export type StepContext = {
  /** Whether a line of a file was reported before as a violation of the rule, or of any rule if none is given. */
  isReported: (path: string, text: string, rule?: string) => boolean
  /** Whether a line was removed from any file of the step, or earlier in the turn. Reported lines do not count. */
  wasRemovedAnywhere: WasRemoved
  mapLines: MapLines
  /** The comparisons so far. A change gets one when a pattern first matches one of its added lines; most get none. */
  comparisons: Map<Change, Comparison>
  budget: TimeBudget
}

/** What the matching lines of a change are compared with. */
type Comparison = {
  /** Whether the change itself removed a line; undefined if time ran out. */
  wasRemovedHere: WasRemoved | undefined
  /** The change's `words` without the characters that formatters change; undefined without `words`. */
  wordsKey: string | undefined
  /** Maps a written line to present lines; undefined if the written text is still the present one, or time ran out. */
  toPresent: ReturnType<MapLines> | undefined
}

/** Returns the comparison of a change; creates it at the first call. */
const comparisonOf = async (
  change: Change,
  { presentText }: StepFile,
  { mapLines, comparisons, budget }: StepContext,
): Promise<Comparison> => {
  const known = comparisons.get(change)
  if (known) return known
  const { after, words } = change
  const comparison = {
    // Here, reported lines count, too: one that only moved within the file is not reported again.
    wasRemovedHere: await budget.run(() => indexRemoved(removedLinesOf([change]))),
    wordsKey: words === undefined ? undefined : keyOf(words),
    toPresent: after === presentText
      ? undefined
      : await budget.run(() => mapLines(after ?? '', presentText ?? '')),
  }
  comparisons.set(change, comparison)
  return comparison
}

/** Present lines that are new violations, and the number of lines left untested because time ran out. */
type Found = { lines: Array<Line>; untested: number }

/** Selects the new violations among the added lines that match a pattern (`matching`); returns their present lines. */
const newViolations = async (
  file: StepFile,
  change: Change,
  { rule, pattern, matching }: { rule: string; pattern: Pattern; matching: Array<Line> },
  context: StepContext,
): Promise<Found> => {
  const { isReported, wasRemovedAnywhere, budget } = context
  const { wasRemovedHere, wordsKey, toPresent } = await comparisonOf(change, file, context)

  // 1. Not new: a line that only moved, or that is not in the call's `words`. The host's formatter may already have
  // changed the line, so it is searched without the characters that formatters change.
  const isMoved = (text: string) => wasRemovedHere?.(text, pattern) || wasRemovedAnywhere(text, pattern)
  const isWritten = (text: string) => wordsKey === undefined || wordsKey.includes(keyOf(text))
  const candidates = await budget.filter(matching, ({ text }) => !isMoved(text) && isWritten(text))

  // 2. Not new: a line that replaces an unreported line with the same matches.
  const mayAccount = (removed: string) => !isReported(file.path, removed, rule) && pattern.isIn(removed)
  const hunks = candidates.kept.length > 0 ? change.hunks : []
  const touched = await touchedLines(matching, hunks, { mayAccount, matchesIn: pattern.matchesIn }, budget)

  // 3. No violation any more: a line that no longer matches, for example because a formatter fixed it.
  const presentLineOf = (line: Line) =>
    toPresent ? toPresent(line.line).find(({ text }) => pattern.isIn(text)) : line
  const lines: Array<Line> = []
  const unmapped = await budget.forEach(candidates.kept, (line) => {
    const presentLine = touched.has(line) ? undefined : presentLineOf(line)
    if (presentLine) lines.push(presentLine)
  })
  return { lines, untested: candidates.untested + unmapped }
}

// Matches globs for Markdown, such as `docs/**/*.{md,mdx}`.
const MARKDOWN = /\b(?:md|mdx|mdc|markdown)\b/i

/** Lists, in order, the present lines of a file that newly match a forbidden pattern of a rule. */
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

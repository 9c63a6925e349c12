/**
 * Finds the lines of a step that newly violate a rule's forbidden patterns. An added line that matches is compared with
 * the removed lines, because it may only have moved or changed, and then searched for in the present text of the file,
 * because a formatter may have moved or fixed it.
 */
import type { TimeBudget } from './budget.ts'
import type { Line } from './changed-lines.ts'
import { type Change, removedLinesOf, type StepFile } from './file-changes.ts'
import type { Checks, Pattern } from './patterns.ts'
import { touchedLines } from './touched-lines.ts'
import { keyOf } from './violations.ts'

export type CheckedRule = { name: string; checks: Checks; globs?: Array<string> }

/** Returns a function from the number of a line in `written` to the lines in `present` that it became, if known. */
type MapLines = (written: string, present: string) => (line: number) => Array<Line>

/** Whether a removed line that matches the pattern equals a line, apart from whitespace. If so, the line only moved. */
type WasRemoved = (line: string, pattern: Pattern) => boolean

// How many removed lines are kept that differ only in whitespace: a lookup may try each of them.
const MAX_VARIANTS = 10

/** Indexes removed lines. Whitespace is ignored, because moving a line into a block indents it. */
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
  /** The results of `comparisonOf`: each serves all rules and patterns. */
  comparisons: Map<Change, Comparison>
  budget: TimeBudget
}

/** What the matching lines of a change are compared with. */
type Comparison = {
  /** Whether a line only moved within the change; undefined if time ran out. */
  wasRemovedHere: WasRemoved | undefined
  /** The key (`keyOf`) of the call's arguments; undefined if it is certain what the call wrote. */
  wordsKey: string | undefined
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
  const { after, words } = change
  const isPresent = after === presentText
  const comparison = {
    // Includes reported lines: a line that only moved within the file is not reported again.
    wasRemovedHere: await budget.run(() => indexRemoved(removedLinesOf([change]))),
    wordsKey: words === undefined ? undefined : keyOf(words),
    toPresent: isPresent ? undefined : await budget.run(() => mapLines(after ?? '', presentText ?? '')),
  }
  comparisons.set(change, comparison)
  return comparison
}

type Found = { lines: Array<Line>; untested: number }

/** Finds which of the added lines that match (`matching`) are new violations. Returns the present lines they became. */
const newViolations = async (
  file: StepFile,
  change: Change,
  { rule, pattern, matching }: { rule: string; pattern: Pattern; matching: Array<Line> },
  context: StepContext,
): Promise<Found> => {
  const { isReported, wasRemovedAnywhere, budget } = context
  const { wasRemovedHere, wordsKey, toPresent } = await comparisonOf(change, file, context)

  const isMoved = (text: string) => wasRemovedHere?.(text, pattern) || wasRemovedAnywhere(text, pattern)
  // If it is uncertain what the call wrote, it certainly wrote the lines that occur in its arguments.
  const isInWords = (text: string) => wordsKey === undefined || wordsKey.includes(keyOf(text))
  const candidates = await budget.filter(matching, ({ text }) => !isMoved(text) && isInWords(text))
  if (candidates.kept.length === 0) return { lines: [], untested: candidates.untested }

  // A matching line that replaces an unreported line with the same matches is only touched, so it is not new.
  const mayExcuse = (removed: string) => !isReported(file.path, removed, rule) && pattern.isIn(removed)
  const { matchesIn } = pattern
  const touched = await touchedLines(matching, change.hunks, { mayExcuse, matchesIn }, budget)

  const lines: Array<Line> = []
  const unmapped = await budget.forEach(candidates.kept, (line) => {
    if (touched.has(line)) return
    // A formatter may have split the line, so that only one part matches, or fixed it, so that none does.
    const presentLine = toPresent ? toPresent(line.line).find(({ text }) => pattern.isIn(text)) : line
    if (presentLine) lines.push(presentLine)
  })
  return { lines, untested: candidates.untested + unmapped }
}

const MARKDOWN_GLOB = /\b(?:md|mdx|mdc|markdown)\b/i

/** Lists the present lines of a file that are new violations. `untested` counts the lines for which time ran out. */
export const forbiddenLines = async (
  file: StepFile,
  changes: Array<Change>,
  { name: rule, checks, globs = [] }: CheckedRule,
  context: StepContext,
): Promise<Found> => {
  // In Markdown, fenced code is only checked by rules whose globs name Markdown files.
  const isForMarkdown = MARKDOWN_GLOB.test(globs.join())
  const linesByNumber = new Map<number, Line>()
  let untested = 0
  for (const pattern of checks.forbid) {
    let untestedByPattern = 0
    for (const change of changes) {
      const added = isForMarkdown ? change.added : change.addedOutsideFences
      const matching = await context.budget.filter(added, ({ text }) => pattern.isIn(text))
      untestedByPattern += matching.untested
      if (matching.kept.length === 0) continue
      const found = await newViolations(file, change, { rule, pattern, matching: matching.kept }, context)
      untestedByPattern += found.untested
      for (const line of found.lines) linesByNumber.set(line.line, line)
    }
    // Each pattern usually leaves the same lines untested, so they are not added up.
    untested = Math.max(untested, untestedByPattern)
  }
  return { lines: [...linesByNumber.values()].toSorted((one, other) => one.line - other.line), untested }
}

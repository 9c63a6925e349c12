/** The folder `checks/`: finds the lines added in a step that break a rule, by the patterns of the rules. */
import { linesOf } from '../text/line-ending.ts'
import { TimeBudget } from './budget.ts'
import type { Hunk, Line } from './changed-lines.ts'
import type { Checks, Pattern } from './patterns.ts'
import { touchedLines } from './touched-lines.ts'
import { countedLines, keyOf, MAX_LINES, shownLine, type Violation } from './violations.ts'

/**
 * How much of a file was not checked: the number of lines, because time ran out; and the number of rules that require
 * something, because time ran out or the file is too long for a pattern.
 */
export type Unchecked = { path: string; lines: number; rules: number }

/** A file's text before and after calls of a step, without what formatters and others changed; null for no file. */
export type Written = {
  before: string | null
  after: string | null
  /** Set if it is not certain what the calls changed: a line counts as written only if it occurs in these words. */
  words?: string
}

/** A file of a step: the changes that its calls made, and its present text. */
export type StepFile = { path: string; written: Array<Written>; presentText: string | null }

/**
 * Compares a written text with the present one. Returns a function that maps the number of a written line to the
 * present lines that it became; to none if that is not certain.
 */
export type MapLines = (written: string, present: string) => (line: number) => Array<Line>

/** A rule that checks files. */
export type CheckedRule = { name: string; checks: Checks; globs?: Array<string> }

const MARKDOWN = /\b(?:md|mdx|mdc|markdown)\b/i
const MARKDOWN_FILE = new RegExp(String.raw`\.${MARKDOWN.source}$`, 'i')

// Removed lines are stored until the end of the turn.
const MAX_REMOVED = 1_000

const LACKS = 'the file lacks what it requires'

/** Whether one of the removed lines equals a line except for whitespace, and matches the pattern as the line does. */
type WasRemoved = (text: string, pattern: Pattern) => boolean

/** Indexes removed lines without whitespace, because moving a line into a block changes its indentation. */
const indexRemoved = (removed: Array<string>): WasRemoved => {
  const withoutBlanks = (text: string) => text.replace(/\s+/g, '')
  const byText = new Map(removed.map((text) => [withoutBlanks(text), text]))
  return (text, { isIn }) => {
    const removedLine = byText.get(withoutBlanks(text))
    return removedLine !== undefined && isIn(removedLine)
  }
}

/** What is computed for a change once a pattern matches one of its added lines, because most changes have none. */
type Comparison = {
  wasRemovedHere: WasRemoved | undefined
  /** The key of `words`, set if `words` is. */
  wordsKey: string | undefined
  /** Maps a line of the change to the present file; undefined if the change's text is the present one. */
  toPresent: ReturnType<MapLines> | undefined
}

/** A change of a file. `added` are its added lines, and `outsideFences` those of them that are not in fenced code. */
type Change = Written & {
  hunks: Array<Hunk>
  added: Array<Line>
  outsideFences: Array<Line>
  comparison?: Comparison
}

const removedLinesOf = (changes: Array<Change>): Array<string> =>
  changes.flatMap(({ hunks }) => hunks.flatMap(({ removed }) => removed))

/** Compares a file's texts before and after its calls. Counts the lines of texts that were not compared in time. */
const changesOf = async ({ path, written }: StepFile, budget: TimeBudget) => {
  // The import loads the library for diffs, which would delay the start of the host.
  const { changedHunks, fencedLines } = await import('./changed-lines.ts')
  const changes: Array<Change> = []
  const addedEarlier = new Set<string>()
  let uncheckedLines = 0
  for (const texts of written) {
    const after = texts.after ?? ''
    const hunks = await budget.run(() => changedHunks(texts.before ?? '', after))
    const fenced = MARKDOWN_FILE.test(path) ? await budget.run(() => fencedLines(after)) : new Set<number>()
    if (!hunks || !fenced) {
      uncheckedLines += linesOf(after).length
      continue
    }
    // A removed line that an earlier call of the step added was not there before the step: it does not count as
    // removed, so that an added line with the same text is new.
    for (const hunk of addedEarlier.size > 0 ? hunks : []) {
      hunk.removed = hunk.removed.filter((text) => !addedEarlier.has(keyOf(text)))
    }
    const added = hunks.flatMap((hunk) => hunk.added)
    changes.push({ ...texts, hunks, added, outsideFences: added.filter(({ line }) => !fenced.has(line)) })
    if (written.length > 1) { for (const { text } of added) addedEarlier.add(keyOf(text)) }
  }
  return { changes, uncheckedLines }
}

type CheckContext = {
  /** Whether a line of a file was reported before: as breaking the given rule, or any rule if none is given. */
  isReported: (path: string, text: string, rule?: string) => boolean
  /** Whether a line was removed from any file of the step, or earlier in the turn; reported lines do not count. */
  wasRemovedAnywhere: WasRemoved
  mapLines: MapLines
  budget: TimeBudget
}

/** Compares a change with the lines that it removed, and with the present file. */
const compare = async (
  { presentText }: StepFile,
  change: Change,
  { mapLines, budget }: CheckContext,
): Promise<Comparison> => {
  const { after, words } = change
  return {
    // Here, reported lines count as removed, so that one that only moved within the file is not reported again.
    wasRemovedHere: await budget.run(() => indexRemoved(removedLinesOf([change]))),
    wordsKey: words && keyOf(words),
    toPresent: after === presentText
      ? undefined
      : await budget.run(() => mapLines(after ?? '', presentText ?? '')),
  }
}

/**
 * Selects the new violations among the added lines of a change that match a pattern, and returns the present lines. A
 * line is not a new violation if it was only moved, if it replaces a line with the same matches, if it is uncertain
 * that the calls wrote it, or if it is not in the present file or does not match there.
 */
const newViolations = async (
  path: string,
  { hunks, comparison }: Change & { comparison: Comparison },
  { rule, pattern, matching }: { rule: string; pattern: Pattern; matching: Array<Line> },
  { isReported, wasRemovedAnywhere, budget }: CheckContext,
): Promise<{ violations: Array<Line>; untested: number }> => {
  const { wasRemovedHere, wordsKey, toPresent } = comparison
  // Lines are looked up by key, because a formatter of the host may have changed them after the call wrote them.
  const isWritten = ({ text }: Line) => wordsKey === undefined || wordsKey.includes(keyOf(text))
  const isMoved = ({ text }: Line) => wasRemovedHere?.(text, pattern) || wasRemovedAnywhere(text, pattern)
  const written = await budget.filter(matching, (line) => !isMoved(line) && isWritten(line))
  // A line that was reported before does not excuse the line that replaces it.
  const excuses = (text: string) => !isReported(path, text, rule) && pattern.isIn(text)
  const replacing = written.kept.length > 0 ? hunks : []
  const touched = await touchedLines(matching, replacing, { ...pattern, isIn: excuses }, budget)
  const violations: Array<Line> = []
  const unmapped = await budget.forEach(written.kept, (line) => {
    if (touched.has(line)) return
    // If none of the present lines matches, a formatter has fixed the line.
    const presentLine = toPresent ? toPresent(line.line).find(({ text }) => pattern.isIn(text)) : line
    if (presentLine) violations.push(presentLine)
  })
  return { violations, untested: written.untested + unmapped }
}

/**
 * Whether a file lacks what a rule requires because a step removed it, or created the file without it; undefined if no
 * such pattern was found, but some were not checked, because time ran out or the file is too long for them.
 */
const lostRequired = async (
  { written, presentText }: StepFile,
  { require }: Checks,
  budget: TimeBudget,
): Promise<boolean | undefined> => {
  const before = written[0]?.before ?? null
  const after = written.at(-1)?.after ?? null
  if (after === null || presentText === null) return false
  // The step is not at fault if the file lacked it before, if only a formatter removed it, or if a formatter added it.
  const isLost = ({ isIn }: Pattern) =>
    (before === null || isIn(before)) && !isIn(after) && (after === presentText || !isIn(presentText))
  const longest = Math.max(before?.length ?? 0, after.length, presentText.length)
  const checkable = require.filter(({ maxLength }) => longest <= maxLength)
  const lost = await budget.filter(checkable, isLost)
  if (lost.kept.length > 0) return true
  return lost.untested > 0 || checkable.length < require.length ? undefined : false
}

/** Lists the present lines that newly match a forbidden pattern of a rule, and counts the lines left untested. */
const forbiddenLines = async (
  file: StepFile,
  changes: Array<Change>,
  { name: rule, checks, globs = [] }: CheckedRule,
  context: CheckContext,
): Promise<{ lines: Array<Line>; untested: number }> => {
  const { budget } = context
  const isForMarkdown = MARKDOWN.test(globs.join())
  const byNumber = new Map<number, Line>()
  let untested = 0
  for (const pattern of checks.forbid) {
    let untestedByPattern = 0
    for (const change of changes) {
      const added = isForMarkdown ? change.added : change.outsideFences
      const matching = await budget.filter(added, ({ text }) => pattern.isIn(text))
      untestedByPattern += matching.untested
      if (matching.kept.length === 0) continue
      const comparison = change.comparison ??= await compare(file, change, context)
      const check = { rule, pattern, matching: matching.kept }
      const found = await newViolations(file.path, { ...change, comparison }, check, context)
      untestedByPattern += found.untested
      for (const line of found.violations) byNumber.set(line.line, line)
    }
    // The lines that one pattern did not test are usually among those that the next did not: they count once.
    untested = Math.max(untested, untestedByPattern)
  }
  return { lines: [...byNumber.values()].toSorted((one, other) => one.line - other.line), untested }
}

/** Lists the new violations in a file of a step, and counts the lines and rules that were not checked. */
const violationsIn = async (
  file: StepFile,
  changes: Array<Change>,
  rules: Array<CheckedRule>,
  context: CheckContext,
): Promise<{ broken: Array<Violation>; unchecked: Unchecked }> => {
  const { path } = file
  const broken: Array<Violation> = []
  const unchecked = { path, lines: 0, rules: 0 }
  for (const checkedRule of rules) {
    const { name: rule, checks } = checkedRule
    const { lines, untested } = await forbiddenLines(file, changes, checkedRule, context)
    unchecked.lines = Math.max(unchecked.lines, untested)
    const listed = lines.slice(0, MAX_LINES)
    broken.push(...listed.map(({ line, text }) => ({ rule, path, line, text: shownLine(text) })))
    broken.push(...countedLines(rule, path, lines.length - listed.length))
    const isLost = checks.require.length > 0 && await lostRequired(file, checks, context.budget)
    if (isLost) broken.push({ rule, path, text: LACKS })
    else if (isLost === undefined) unchecked.rules += 1
  }
  return { broken, unchecked }
}

/**
 * Checks the lines that the calls of a step wrote to files, until time runs out.
 *
 * @param earlier `broken`: the violations reported before; `removed`: the lines that earlier steps of the turn removed,
 * except reported ones
 * @returns `broken`: the new violations, which are lines that the calls added and files that lost what a rule requires;
 * `removed`: the same as in `earlier`, with the lines of this step, at most the last `MAX_REMOVED`
 */
export const checkStep = async (
  files: Array<StepFile>,
  rulesFor: (path: string) => Array<CheckedRule>,
  mapLines: MapLines,
  earlier: { broken: Array<Violation>; removed: Array<string> } = { broken: [], removed: [] },
  budget = new TimeBudget(),
): Promise<{ broken: Array<Violation>; unchecked: Array<Unchecked>; removed: Array<string> }> => {
  const idOf = (path: string, text: string, rule = '') => JSON.stringify([path, text, rule])
  const reported = new Set(
    earlier.broken.flatMap(({ rule, path, text }) => [idOf(path, text), idOf(path, text, rule)]),
  )
  const isReported: CheckContext['isReported'] = (path, text, rule) =>
    reported.has(idOf(path, shownLine(text), rule))
  const unchecked: Array<Unchecked> = []
  const changed: Array<{ file: StepFile; changes: Array<Change> }> = []
  const removed = [...earlier.removed]
  for (const file of files) {
    const { changes, uncheckedLines } = await changesOf(file, budget)
    if (changes.length > 0) changed.push({ file, changes })
    if (uncheckedLines > 0) unchecked.push({ path: file.path, lines: uncheckedLines, rules: 0 })
    await budget.forEach(removedLinesOf(changes), (text) => {
      if (!isReported(file.path, text)) removed.push(text)
    })
  }
  // Without time to index the removed lines, every line counts as moved: a line that only moved must not be reported.
  const wasRemovedAnywhere = await budget.run(() => indexRemoved(removed)) ?? (() => true)
  const context = { isReported, wasRemovedAnywhere, mapLines, budget }
  const broken: Array<Violation> = []
  for (const { file, changes } of changed) {
    const ofFile = await violationsIn(file, changes, rulesFor(file.path), context)
    for (const violation of ofFile.broken) broken.push(violation)
    if (ofFile.unchecked.lines + ofFile.unchecked.rules > 0) unchecked.push(ofFile.unchecked)
  }
  return { broken, removed: removed.slice(-MAX_REMOVED), unchecked }
}

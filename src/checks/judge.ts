/** The folder `checks/`: patterns of rules and the lines that a step added → the lines that break a rule. */
import { linesOf } from '../text/line-ending.ts'
import { TimeBudget } from './budget.ts'
import type { Hunk, Line } from './changed-lines.ts'
import { type Broken, counted, keyOf, MAX_MARKS, shownLine } from './marks.ts'
import type { Checks, Pattern } from './patterns.ts'
import { touchedLines } from './touched-lines.ts'

/** How much of a file was not checked for lack of time: lines, and rules that require something. */
export type Unchecked = { path: string; lines: number; rules: number }

/**
 * A file before some calls of a step and as they wrote it, without the changes of formatters and others; null
 * if there was or is no file. With `words`, it is only known that the calls' lines occur in these words.
 */
export type Written = { before: string | null; after: string | null; words?: string }

/** A file of a step: what its calls wrote, and its present text. */
export type StepFile = { path: string; written: Array<Written>; now: string | null }

/** Creates a function that maps a line of a text to lines of another text; to none if that is not certain. */
export type MapLines = (text: string, now: string) => (line: number) => Array<Line>

/** A rule that checks files. */
export type CheckedRule = { name: string; checks: Checks; globs?: Array<string> }

const MARKDOWN = /\b(?:md|mdx|mdc|markdown)\b/i
const MARKDOWN_FILE = new RegExp(String.raw`\.${MARKDOWN.source}$`, 'i')

// Removed lines are remembered for the rest of a turn.
const MAX_REMOVED = 1_000

const BLANKS = /\s+/g

const LACKS = 'the file lacks what it requires'

/** Whether a removed line is the same as a line except for whitespace, and matched the pattern too. */
type WasRemoved = (text: string, pattern: Pattern) => boolean

/** Indexes removed lines by their text without whitespace: a move into a block changes the indentation. */
const indexRemoved = (removed: Array<string>): WasRemoved => {
  const old = new Map(removed.map((text) => [text.replace(BLANKS, ''), text]))
  return (text, { isIn }) => {
    const before = old.get(text.replace(BLANKS, ''))
    return before !== undefined && isIn(before)
  }
}

/** A change of a file; `outside` are the added lines outside fenced code. */
type Change = Written & { hunks: Array<Hunk>; added: Array<Line>; outside: Array<Line> }

const removedBy = (changes: Array<Change>): Array<string> =>
  changes.flatMap(({ hunks }) => hunks.flatMap(({ removed }) => removed))

/** Compares the texts of a file before and after its calls; counts the lines for which there was no time. */
const changesOf = async ({ path, written }: StepFile, budget: TimeBudget) => {
  // Loads a library, which no start of the host should wait for.
  const { changedHunks, fencedLines } = await import('./changed-lines.ts')
  const changes: Array<Change> = []
  const own = new Set<string>()
  let lines = 0
  for (const texts of written) {
    const after = texts.after ?? ''
    const hunks = await budget.run(() => changedHunks(texts.before ?? '', after))
    const fenced = MARKDOWN_FILE.test(path) ? await budget.run(() => fencedLines(after)) : new Set<number>()
    if (!hunks || !fenced) {
      lines += linesOf(after).length
      continue
    }
    // A line that an earlier call of the step wrote is not old.
    for (const hunk of own.size > 0 ? hunks : []) {
      hunk.removed = hunk.removed.filter((text) => !own.has(keyOf(text)))
    }
    const added = hunks.flatMap((hunk) => hunk.added)
    changes.push({ ...texts, hunks, added, outside: added.filter(({ line }) => !fenced.has(line)) })
    if (written.length > 1) { for (const { text } of added) own.add(keyOf(text)) }
  }
  return { changes, lines }
}

type Judging = {
  /** Whether a line of a file was reported before, by a rule or by any rule. */
  isReported: (path: string, text: string, rule?: string) => boolean
  wasElsewhere: WasRemoved
  mapLines: MapLines
  budget: TimeBudget
}

/**
 * Returns a function that selects new violations among the hits of a pattern, as lines of the present file. A hit is not
 * new if its line was moved, or if it replaces a line with the same matches.
 */
const newHitsIn = (
  { path, now }: StepFile,
  change: Change,
  { isReported, wasElsewhere, mapLines, budget }: Judging,
) => {
  const { after, words, hunks } = change
  let wasHere: WasRemoved | undefined
  let toPresent: ReturnType<MapLines> | undefined
  return async (hits: Array<Line>, rule: string, pattern: Pattern) => {
    wasHere ??= await budget.run(() => indexRemoved(removedBy([change])))
    const isFresh = ({ text }: Line) =>
      !wasHere?.(text, pattern) && !wasElsewhere(text, pattern) && (words?.includes(text.trim()) ?? true)
    const fresh = await budget.filter(hits, isFresh)
    // A line that was reported excuses no line that replaces it.
    const isIn = (text: string) => !isReported(path, text, rule) && pattern.isIn(text)
    const replaced = fresh.kept.length > 0 ? hunks : []
    const touched = await touchedLines(hits, replaced, { ...pattern, isIn }, budget)
    if (after !== now) toPresent ??= await budget.run(() => mapLines(after ?? '', now ?? ''))
    const found: Array<Line> = []
    const placed = await budget.filter(fresh.kept, (line) => {
      if (touched.has(line)) return false
      // A formatter may have fixed the line.
      const lineNow = toPresent ? toPresent(line.line).find(({ text }) => pattern.isIn(text)) : line
      return lineNow !== undefined && found.push(lineNow) > 0
    })
    return { found, untested: fresh.untested + placed.untested }
  }
}

/** Whether a step removed what a rule requires; undefined where there was no time to find out. */
const isLacking = async (
  { written, now }: StepFile,
  { require }: Checks,
  budget: TimeBudget,
): Promise<boolean | undefined> => {
  const [before = null, after = null] = [written[0]?.before, written.at(-1)?.after]
  if (after === null || now === null) return false
  // If the file lacked it before, or only a formatter removed it, the step is not at fault.
  const isLost = ({ isIn }: Pattern) =>
    (before === null || isIn(before)) && !isIn(after) && (after === now || !isIn(now))
  const longest = Math.max(before?.length ?? 0, after.length, now.length)
  const tried = require.filter(({ maxLength }) => longest <= maxLength)
  const lost = await budget.filter(tried, isLost)
  if (lost.kept.length > 0) return true
  return lost.untested > 0 || tried.length < require.length ? undefined : false
}

/** Lists what breaks rules in a file of a step, and counts what was not checked. */
const brokenIn = async (
  file: StepFile,
  changes: Array<Change>,
  rules: Array<CheckedRule>,
  judging: Judging,
): Promise<{ broken: Array<Broken>; unchecked: Unchecked }> => {
  const { path } = file
  const { budget } = judging
  const broken: Array<Broken> = []
  const unchecked = { path, lines: 0, rules: 0 }
  const parts = changes.map((change) => ({ ...change, newHits: newHitsIn(file, change, judging) }))
  for (const { name: rule, checks, globs = [] } of rules) {
    const isForMarkdown = MARKDOWN.test(globs.join())
    const found = new Map<number, Line>()
    for (const pattern of checks.forbid) {
      let lines = 0
      for (const { added, outside, newHits } of parts) {
        const isHit = ({ text }: Line) => pattern.isIn(text)
        const { kept: hits, untested } = await budget.filter(isForMarkdown ? added : outside, isHit)
        lines += untested
        if (hits.length === 0) continue
        const fresh = await newHits(hits, rule, pattern)
        for (const hit of fresh.found) found.set(hit.line, hit)
        lines += fresh.untested
      }
      unchecked.lines = Math.max(unchecked.lines, lines)
    }
    const marks = [...found.values()].toSorted((one, other) => one.line - other.line).slice(0, MAX_MARKS)
      .map(({ line, text }) => ({ rule, path, line, text: shownLine(text) }))
    broken.push(...marks, ...counted(rule, path, found.size - marks.length))
    const lacks = checks.require.length > 0 && await isLacking(file, checks, budget)
    if (lacks) broken.push({ rule, path, text: LACKS })
    else if (lacks === undefined) unchecked.rules += 1
  }
  return { broken, unchecked }
}

/**
 * Checks what the calls of a step wrote to files, as long as there is time.
 *
 * @param mapLines maps lines as the calls wrote them to lines of the present file
 * @param earlier what was reported before, and the other lines that the turn has removed before
 * @returns what breaks rules: lines that the calls added, and files that lost what a rule requires; the lines that the
 * turn has removed by now; and what was not checked
 */
export const judgeStep = async (
  files: Array<StepFile>,
  rulesFor: (path: string) => Array<CheckedRule>,
  mapLines: MapLines,
  earlier: { broken: Array<Broken>; removed: Array<string> } = { broken: [], removed: [] },
  budget = new TimeBudget(),
): Promise<{ broken: Array<Broken>; unchecked: Array<Unchecked>; removed: Array<string> }> => {
  const idOf = (path: string, text: string, rule: string) => JSON.stringify([path, text, rule])
  const reported = new Set(
    earlier.broken.flatMap(({ rule, path, text }) => ['', rule].map((by) => idOf(path, text, by))),
  )
  const isReported: Judging['isReported'] = (path, text, rule = '') =>
    reported.has(idOf(path, shownLine(text), rule))
  const unchecked: Array<Unchecked> = []
  const changed: Array<{ file: StepFile; changes: Array<Change> }> = []
  const gone = [...earlier.removed]
  for (const file of files) {
    const { changes, lines } = await changesOf(file, budget)
    if (changes.length > 0) changed.push({ file, changes })
    if (lines > 0) unchecked.push({ path: file.path, lines, rules: 0 })
    const { kept } = await budget.filter(removedBy(changes), (text) => !isReported(file.path, text))
    for (const text of kept) gone.push(text)
  }
  const wasElsewhere = await budget.run(() => indexRemoved(gone)) ?? (() => true)
  const judging = { isReported, wasElsewhere, mapLines, budget }
  const broken: Array<Broken> = []
  for (const { file, changes } of changed) {
    const found = await brokenIn(file, changes, rulesFor(file.path), judging)
    for (const mark of found.broken) broken.push(mark)
    if (found.unchecked.lines + found.unchecked.rules > 0) unchecked.push(found.unchecked)
  }
  return { broken, removed: gone.slice(-MAX_REMOVED), unchecked }
}

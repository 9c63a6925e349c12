/** The room `checks/`: patterns of rules and the lines that a step added → the lines that break a rule. */
import { linesOf } from '../text/line-ending.ts'
import { changedLines, fencedLines, type Line } from './added-lines.ts'
import { TimeBudget } from './budget.ts'
import { type Broken, counted, keyOf, MAX_MARKS, shownLine } from './marks.ts'
import type { Checks, Pattern } from './patterns.ts'
import { type Replaced, replacedLines, touchedLines } from './replaced-lines.ts'

/** How much of what a step wrote to a file was not judged for lack of time: lines, and rules that require something. */
export type Unchecked = { path: string; lines: number; rules: number }

/**
 * A file before some calls of a step and as they wrote it, without what a formatter or anybody else did; null where there
 * was or is none. Where `words` are given, no more is known of what the calls wrote than that these words hold it.
 */
export type Written = { before: string | null; after: string | null; words?: string }

/** A file of a step: what its calls wrote, and what it says now. */
export type StepFile = { path: string; written: Array<Written>; now: string | null }

/** Finds the lines that a line of a text has become in another text; none where that is not sure. */
export type Carry = (text: string, now: string) => (line: number) => Array<Line>

/** A rule that checks files. */
export type CheckedRule = { name: string; checks: Checks; globs?: Array<string> }

const MARKDOWN = /\b(?:md|mdx|mdc|markdown)\b/i
const MARKDOWN_FILE = new RegExp(String.raw`\.${MARKDOWN.source}$`, 'i')

// The removed lines that are remembered for the rest of a turn.
const MAX_REMOVED = 1_000

const BLANKS = /\s+/g

const LACKS = 'the file lacks what it requires'

/** Makes the function that says whether a line with a pattern is among those that were removed. */
const wasAmong = (removed: Array<string>) => {
  const old = new Map(removed.map((text) => [text.replace(BLANKS, ''), text]))
  return (text: string, { isIn }: Pattern): boolean => {
    const before = old.get(text.replace(BLANKS, ''))
    return before !== undefined && isIn(before)
  }
}

type Removed = { removed: Array<string> }

type Changed = Written & { path: string; now: string | null; added: Array<Line> } & Removed

type Judging = {
  /** Whether a line of a file was told before, by a rule or by any. */
  isTold: (path: string, text: string, rule?: string) => boolean
  wasElsewhere: ReturnType<typeof wasAmong>
  carry: Carry
  budget: TimeBudget
}

/** Makes the function that finds the lines that have a pattern of a rule and that are neither old nor another's. */
const finderOf = (file: Changed, { isTold, wasElsewhere, carry, budget }: Judging) => {
  const { path, after, now, removed, words } = file
  const wasHere = wasAmong(removed)
  let replaced: Array<Replaced> | undefined
  let carried: ReturnType<Carry> | undefined
  return async (judged: Array<Line>, rule: string, pattern: Pattern) => {
    const isNew = ({ text }: Line) =>
      ![wasHere, wasElsewhere].some((was) => was(text, pattern)) && (words?.includes(text.trim()) ?? true)
    const hits = await budget.filter(judged, ({ text }) => pattern.isIn(text))
    const fresh = await budget.filter(hits.kept, isNew)
    const left = hits.untested + fresh.untested
    if (fresh.kept.length === 0) return { found: [], untested: left }
    replaced ??= await replacedLines(file, removed, budget)
    // What the rule told is not old.
    const isIn = (text: string) => !isTold(path, text, rule) && pattern.isIn(text)
    const { touched, untested } = await touchedLines(hits.kept, replaced, { ...pattern, isIn }, budget)
    if (untested > 0) return { found: [], untested: left + fresh.kept.length }
    const found: Array<Line> = []
    carried ??= await budget.run(() => carry(after ?? '', now ?? ''))
    const placed = await budget.filter(fresh.kept, (one) => {
      if (touched.has(one)) return false
      // What a formatter mended is broken no more.
      const there = after === now ? one : carried?.(one.line).find(({ text }) => pattern.isIn(text))
      return there !== undefined && found.push(there) > 0
    })
    return { found, untested: left + placed.untested }
  }
}

/** Finds the lines that break a rule by the patterns that it forbids, and how many were not judged. */
const forbiddenIn = async (
  lines: Array<Line>,
  { name, checks }: CheckedRule,
  find: ReturnType<typeof finderOf>,
): Promise<{ found: Map<number, Line>; untested: number }> => {
  const all = { found: new Map<number, Line>(), untested: 0 }
  for (const pattern of checks.forbid) {
    const { found, untested } = await find(lines, name, pattern)
    for (const one of found) all.found.set(one.line, one)
    all.untested = Math.max(all.untested, untested)
  }
  return all
}

/** Whether a rule requires what a step took from a file; undefined where that was not tried. */
const isLacking = async (
  { written, now }: StepFile,
  { require }: Checks,
  budget: TimeBudget,
): Promise<boolean | undefined> => {
  const [before = null, after = null] = [written[0]?.before, written.at(-1)?.after]
  if (after === null || now === null) return false
  // A file that lacked it before does not lack it by this step, nor by what a formatter dropped.
  const isLost = ({ isIn }: Pattern) =>
    (before === null || isIn(before)) && !isIn(after) && (after === now || !isIn(now))
  const longest = Math.max(before?.length ?? 0, after.length, now.length)
  const tried = require.filter(({ maxLength }) => longest <= maxLength)
  const lost = await budget.filter(tried, isLost)
  if (lost.kept.length > 0) return true
  return lost.untested > 0 || tried.length < require.length ? undefined : false
}

/** Lists what breaks rules in a file of a step, and how much was not judged. */
const brokenIn = async (
  file: StepFile,
  changes: Array<Changed>,
  rules: Array<CheckedRule>,
  judging: Judging,
): Promise<{ broken: Array<Broken>; lines: number; rules: number }> => {
  const { path } = file
  const { budget } = judging
  const broken: Array<Broken> = []
  const unchecked = { lines: 0, rules: 0 }
  const isMarkdown = MARKDOWN_FILE.test(path)
  const parts = changes.map((change) => ({
    change,
    find: finderOf(change, judging),
    fenced: new Set<number>(),
  }))
  for (const part of isMarkdown ? parts : []) {
    part.fenced = await budget.run(() => fencedLines(part.change.after ?? '')) ?? part.fenced
  }
  for (const rule of rules) {
    const { name, checks, globs = [] } = rule
    const found = new Map<number, Line>()
    let untested = 0
    for (const { change: { added }, find, fenced } of parts) {
      const judged = MARKDOWN.test(globs.join()) ? added : added.filter(({ line }) => !fenced.has(line))
      const forbidden = await forbiddenIn(judged, rule, find)
      for (const one of forbidden.found.values()) found.set(one.line, one)
      untested += forbidden.untested
    }
    unchecked.lines = Math.max(unchecked.lines, untested)
    const lines = [...found.values()].toSorted((one, other) => one.line - other.line)
    const marks = lines.slice(0, MAX_MARKS)
      .map(({ line, text }) => ({ rule: name, path, line, text: shownLine(text) }))
    broken.push(...marks, ...counted(name, path, lines.length - marks.length))
    const lacks = checks.require.length > 0 && await isLacking(file, checks, budget)
    if (lacks) broken.push({ rule: name, path, text: LACKS })
    else if (lacks === undefined) unchecked.rules += 1
  }
  return { broken, ...unchecked }
}

/** Lists what the calls of a step changed in a file, and how many lines of it there was no time for. */
const changesOf = async ({ path, written, now }: StepFile, budget: TimeBudget) => {
  const changes: Array<Changed> = []
  const own = new Set<string>()
  let lines = 0
  for (const one of written) {
    const { before, after } = one
    const changed = await budget.run(() => changedLines(before ?? '', after ?? ''))
    if (!changed) {
      lines += linesOf(after ?? '').length
      continue
    }
    // What an earlier call of the step wrote is no old line.
    const removed = changed.removed.filter((text) => !own.has(keyOf(text)))
    changes.push({ ...one, path, now, added: changed.added, removed })
    if (written.length > 1) { for (const { text } of changed.added) own.add(keyOf(text)) }
  }
  return { changes, lines }
}

/**
 * Judges what the calls of a step wrote to files, as long as there is time.
 *
 * @param carry finds the lines in the files as they are now
 * @param earlier what broke rules before and was told, and the other lines that the turn removed before
 * @returns what breaks rules, of the lines that the calls added and of what a file had and now lacks; the lines that the
 * turn has removed by now; and what was not judged
 */
export const judgeStep = async (
  files: Array<StepFile>,
  rulesFor: (path: string) => Array<CheckedRule>,
  carry: Carry,
  earlier: { broken: Array<Broken> } & Removed = { broken: [], removed: [] },
  budget = new TimeBudget(),
): Promise<{ broken: Array<Broken>; unchecked: Array<Unchecked> } & Removed> => {
  const idOf = (path: string, text: string, rule: string) => JSON.stringify([path, text, rule])
  const told = new Set(
    earlier.broken.flatMap(({ rule, path, text }) => ['', rule].map((by) => idOf(path, text, by))),
  )
  const isTold: Judging['isTold'] = (path, text, rule = '') => told.has(idOf(path, shownLine(text), rule))
  const unchecked: Array<Unchecked> = []
  const all: Array<{ file: StepFile; changes: Array<Changed> }> = []
  const gone = [...earlier.removed]
  for (const file of files) {
    const { changes, lines } = await changesOf(file, budget)
    all.push({ file, changes })
    if (lines > 0) unchecked.push({ path: file.path, lines, rules: 0 })
    for (const { path, removed } of changes) {
      for (const text of (await budget.filter(removed, (text) => !isTold(path, text))).kept) gone.push(text)
    }
  }
  const wasElsewhere = await budget.run(() => wasAmong(gone)) ?? (() => true)
  const broken: Array<Broken> = []
  for (const { file, changes } of all) {
    if (changes.length === 0) continue
    const judging = { isTold, wasElsewhere, carry, budget }
    const { broken: found, lines, rules } = await brokenIn(file, changes, rulesFor(file.path), judging)
    for (const one of found) broken.push(one)
    if (lines + rules > 0) unchecked.push({ path: file.path, lines, rules })
  }
  return { broken, removed: gone.slice(-MAX_REMOVED), unchecked }
}

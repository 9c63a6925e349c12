import { linesOf } from '../text/line-ending.ts'
import { changedLines, fencedLines, type Line } from './added-lines.ts'
import { type Broken, counted, FORMATTED, MAX_MARKS, shownLine } from './marks.ts'
import type { Checks, Pattern } from './patterns.ts'
import { type Replaced, replacedLines, touchedLines } from './replaced-lines.ts'
import { TimeBudget } from './time-budget.ts'

/** How much of what a step wrote to a file was not judged for lack of time: lines, and rules that require something. */
export type Unchecked = { path: string; lines: number; rules: number }

/** A file before a step and after it; null where there was or is none. */
export type StepFile = {
  path: string
  before: string | null
  after: string | null
  /** Whether a formatter changed it: what differs in blanks and signs is taken for the formatter's. */
  isFormatted: boolean
  /** Its text when the last call had run: what a shell or a person wrote before a formatter ended is not judged. */
  written?: string | null | undefined
}

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
  const oldText = removed.join('').replace(FORMATTED, '')
  return (text: string, { isIn }: Pattern, isFormatted: boolean): boolean => {
    if (isFormatted && oldText.includes(text.replace(FORMATTED, ''))) return true
    const before = old.get(text.replace(BLANKS, ''))
    return before !== undefined && isIn(before)
  }
}

/** Makes the function that says whether the calls of a step wrote what a pattern finds; a formatter may change the rest. */
const isByCalls = ({ isFormatted, written }: StepFile) => {
  const plain = isFormatted ? written?.replace(FORMATTED, '') : undefined
  return (text: string, { matchesIn }: Pattern): boolean =>
    plain === undefined || matchesIn(text).some((match) => {
      const bare = match.replace(FORMATTED, '')
      return bare === '' ? written!.includes(match) : plain.includes(bare)
    })
}

type Removed = { removed: Array<string> }

type Changed = StepFile & { added: Array<Line> } & Removed

type Judging = {
  /** Whether a line of a file was told before, by a rule or by any. */
  isTold: (path: string, text: string, rule?: string) => boolean
  wasElsewhere: ReturnType<typeof wasAmong>
  budget: TimeBudget
}

/** Makes the function that finds the lines of a file that have a pattern of a rule and that are neither old nor another's. */
const finderOf = (file: Changed, { isTold, wasElsewhere, budget }: Judging) => {
  const { path, isFormatted, removed } = file
  const [isOwn, wasHere] = [isByCalls(file), wasAmong(removed)]
  let replaced: Array<Replaced> | undefined
  return async (judged: Array<Line>, rule: string, pattern: Pattern) => {
    const isNew = ({ text }: Line) =>
      ![wasHere, wasElsewhere].some((was) => was(text, pattern, isFormatted)) && isOwn(text, pattern)
    const hits = await budget.filter(judged, ({ text }) => pattern.isIn(text))
    const fresh = await budget.filter(hits.kept, isNew)
    const left = hits.untested + fresh.untested
    if (fresh.kept.length === 0) return { found: [], untested: left }
    replaced ??= await replacedLines(file, removed, budget)
    // What the rule told is not old.
    const isIn = (text: string) => !isTold(path, text, rule) && pattern.isIn(text)
    const { touched, untested } = await touchedLines(hits.kept, replaced, { ...pattern, isIn }, budget)
    if (untested > 0) return { found: [], untested: left + fresh.kept.length }
    return { found: fresh.kept.filter((one) => !touched.has(one)), untested: left }
  }
}

/** Lists what breaks rules in a file of a step, and how much was not judged. */
const brokenIn = async (
  file: Changed,
  rules: Array<CheckedRule>,
  judging: Judging,
): Promise<{ broken: Array<Broken>; lines: number; rules: number }> => {
  const { path, before, after, added } = file
  const { budget } = judging
  const find = await budget.run(() => finderOf(file, judging))
  if (!find) return { broken: [], lines: added.length, rules: 0 }
  const broken: Array<Broken> = []
  const unchecked = { lines: 0, rules: 0 }
  const fenced = MARKDOWN_FILE.test(path) ? await budget.run(() => fencedLines(after ?? '')) : undefined
  for (const { name: rule, checks, globs = [] } of rules) {
    const judged = MARKDOWN.test(globs.join()) ? added : added.filter(({ line }) => !fenced?.has(line))
    const found = new Set<Line>()
    for (const pattern of checks.forbid) {
      const { found: lines, untested } = await find(judged, rule, pattern)
      for (const one of lines) found.add(one)
      unchecked.lines = Math.max(unchecked.lines, untested)
    }
    const lines = added.filter((one) => found.has(one))
    const marks = lines.slice(0, MAX_MARKS)
      .map(({ line, text }) => ({ rule, path, line, text: shownLine(text) }))
    broken.push(...marks, ...counted(rule, path, lines.length - marks.length))
    // A file that lacked it before does not lack it by this step.
    const isLost = ({ isIn }: Pattern) => after !== null && (before === null || isIn(before)) && !isIn(after)
    const longer = Math.max(before?.length ?? 0, after?.length ?? 0)
    const tried = checks.require.filter(({ maxLength }) => longer <= maxLength)
    const lost = await budget.filter(tried, isLost)
    if (lost.kept.length > 0) broken.push({ rule, path, text: LACKS })
    else if (lost.untested > 0 || tried.length < checks.require.length) unchecked.rules += 1
  }
  return { broken, ...unchecked }
}

/**
 * Judges the files of a step, as long as there is time.
 *
 * @param earlier what broke rules before and was told, and the other lines that the turn removed before
 * @returns what breaks rules, of the lines that the step added and of what a file had and now lacks; the lines that the turn
 * has removed by now; and what was not judged
 */
export const judgeStep = async (
  files: Array<StepFile>,
  rulesFor: (path: string) => Array<CheckedRule>,
  earlier: { broken: Array<Broken> } & Removed = { broken: [], removed: [] },
  budget = new TimeBudget(),
): Promise<{ broken: Array<Broken>; unchecked: Array<Unchecked> } & Removed> => {
  const keyOf = (path: string, text: string, rule: string) => JSON.stringify([path, text, rule])
  const told = new Set(
    earlier.broken.flatMap(({ rule, path, text }) => ['', rule].map((by) => keyOf(path, text, by))),
  )
  const isTold: Judging['isTold'] = (path, text, rule = '') => told.has(keyOf(path, shownLine(text), rule))
  const unchecked: Array<Unchecked> = []
  const changes: Array<Changed> = []
  for (const file of files) {
    const lines = await budget.run(() => changedLines(file.before ?? '', file.after ?? ''))
    if (lines) changes.push({ ...file, ...lines })
    else if (file.after) unchecked.push({ path: file.path, lines: linesOf(file.after).length, rules: 0 })
  }
  const old: Array<Array<string>> = []
  for (const { path, removed } of changes) {
    old.push((await budget.filter(removed, (text) => !isTold(path, text))).kept)
  }
  const gone = [earlier.removed, ...old].flat()
  const wasElsewhere = await budget.run(() => wasAmong(gone)) ?? (() => true)
  const broken: Array<Broken> = []
  for (const file of changes) {
    const judged = await brokenIn(file, rulesFor(file.path), { isTold, wasElsewhere, budget })
    for (const one of judged.broken) broken.push(one)
    const { lines, rules } = judged
    if (lines + rules > 0) unchecked.push({ path: file.path, lines, rules })
  }
  return { broken, removed: gone.slice(-MAX_REMOVED), unchecked }
}

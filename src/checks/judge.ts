import { setImmediate } from 'node:timers/promises'
import { linesOf } from '../text/line-ending.ts'
import { cut } from '../text/quoted-name.ts'
import { changedLines, fencedLines, type Line } from './added-lines.ts'
import { type Checks, isForbidden, type Pattern } from './patterns.ts'
import { type Replaced, replacedLines, touchedLines } from './replaced-lines.ts'

/** What breaks a rule: a line of a file, as it is shown, or a file that lacks what the rule requires. */
export type Broken = {
  rule: string
  path: string
  line?: number | undefined
  text: string
}

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

// A step is judged for so long; the host goes on after each slice. What is beyond that breaks nothing.
const MAX_MS = 2_000
const SLICE_MS = 20
// The removed lines that are remembered for the rest of a turn.
const MAX_REMOVED = 1_000

/** Makes the function that lets the host go on from time to time, and says whether time is left. */
const timeLeft = (): () => Promise<boolean> => {
  const end = performance.now() + MAX_MS
  let pause = 0
  return async () => {
    if (performance.now() > pause) {
      await setImmediate()
      pause = performance.now() + SLICE_MS
    }
    return performance.now() < end
  }
}

const BLANKS = /\s+/g
// What a formatter changes next to blanks.
const FORMATTED = /[\s;,()'"`]+/g

const MAX_SHOWN = 120

/** Gives a line as it is shown and remembered: without the blanks around it, cut. */
const shownLine = (text: string): string => cut(text.trim(), MAX_SHOWN)

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

type Judging = {
  /** Whether a line of a file was told before, by a rule or by any. */
  isTold: (path: string, text: string, rule?: string) => boolean
  wasElsewhere: ReturnType<typeof wasAmong>
  hasTime: () => Promise<boolean>
}

/** Lists what breaks rules in a file of a step. */
const brokenIn = async (
  file: StepFile & { added: Array<Line> } & Removed,
  rules: Array<CheckedRule>,
  { isTold, wasElsewhere, hasTime }: Judging,
): Promise<Array<Broken>> => {
  const { path, before, after, isFormatted, added, removed } = file
  const [isOwn, wasHere] = [isByCalls(file), wasAmong(removed)]
  const isNew = ({ text }: Line, pattern: Pattern) =>
    ![wasHere, wasElsewhere].some((was) => was(text, pattern, isFormatted)) && isOwn(text, pattern)
  const broken: Array<Broken> = []
  let replaced: Array<Replaced> | undefined
  const fenced = MARKDOWN_FILE.test(path) ? fencedLines(after ?? '') : new Set()
  for (const { name: rule, checks, globs = [] } of rules) {
    const judged = MARKDOWN.test(globs.join()) ? added : added.filter(({ line }) => !fenced.has(line))
    const found = new Set<Line>()
    for (const pattern of checks.forbid) {
      const hits: Array<Line> = []
      for (const one of judged) if (await hasTime() && pattern.isIn(one.text)) hits.push(one)
      const fresh = hits.filter((one) => isNew(one, pattern))
      if (fresh.length > 0) replaced ??= await replacedLines(file, removed)
      // What the rule told is not old.
      const isIn = (text: string) => !isTold(path, text, rule) && pattern.isIn(text)
      const old = { ...pattern, isIn }
      const touched = await touchedLines(fresh.length > 0 ? hits : [], replaced ?? [], old, hasTime)
      for (const one of fresh) if (!touched.has(one)) found.add(one)
    }
    const lines = added.filter((one) => found.has(one))
    broken.push(...lines.map(({ line, text }) => ({ rule, path, line, text: shownLine(text) })))
    // A file that lacked it before does not lack it by this step.
    const isLost = ({ isIn }: Pattern) => after !== null && (before === null || isIn(before)) && !isIn(after)
    if (await hasTime() && checks.require.some(isLost)) broken.push({ rule, path, text: LACKS })
  }
  return broken
}

/**
 * Judges the files of a step, as long as there is time.
 *
 * @param earlier what broke rules before and was told, and the other lines that the turn removed before
 * @returns what breaks rules, of the lines that the step added and of what a file had and now lacks, and the lines that
 * the turn has removed by now
 */
export const judgeStep = async (
  files: Array<StepFile>,
  rulesFor: (path: string) => Array<CheckedRule>,
  earlier: { broken: Array<Broken> } & Removed = { broken: [], removed: [] },
): Promise<{ broken: Array<Broken> } & Removed> => {
  const keyOf = (path: string, text: string, rule: string) => JSON.stringify([path, text, rule])
  const told = new Set(
    earlier.broken.flatMap(({ rule, path, text }) => ['', rule].map((by) => keyOf(path, text, by))),
  )
  const isTold: Judging['isTold'] = (path, text, rule = '') => told.has(keyOf(path, shownLine(text), rule))
  const changes = files.map((file) => ({ ...file, ...changedLines(file.before ?? '', file.after ?? '') }))
  const old = changes.flatMap(({ path, removed }) => removed.filter((text) => !isTold(path, text)))
  const gone = [...earlier.removed, ...old]
  const judging = { isTold, wasElsewhere: wasAmong(gone), hasTime: timeLeft() }
  const broken: Array<Broken> = []
  for (const file of changes) broken.push(...await brokenIn(file, rulesFor(file.path), judging))
  return { broken, removed: gone.slice(-MAX_REMOVED) }
}

/**
 * Gives what broke rules in a file with its present numbers; what is mended is left out. Of lines that are the same each
 * stands for another one: the nearest that leaves one for each of the others.
 */
export const stillBroken = (
  broken: Array<Broken>,
  checksOf: (rule: string) => Checks | null | undefined,
  file: string,
): Array<Broken> => {
  const keyOf = (text: string) => text.replace(FORMATTED, '')
  const lines = new Map(broken.map(({ text }): [string, Array<Line>] => [keyOf(text), []]))
  for (const [index, text] of linesOf(file).entries()) {
    lines.get(keyOf(shownLine(text)))?.push({ line: index + 1, text })
  }
  const idOf = ({ rule, text }: Broken) => JSON.stringify([rule, keyOf(text)])
  const left = new Map<string, { same: Array<Line>; count: number; next: number }>()
  for (const one of broken) {
    const checks = checksOf(one.rule)
    const same = () => lines.get(keyOf(one.text))!.filter(({ text }) => !checks || isForbidden(checks, text))
    const own = left.get(idOf(one)) ?? { same: same(), count: 0, next: 0 }
    own.count += 1
    left.set(idOf(one), own)
  }
  return broken.flatMap((one) => {
    const { rule, line } = one
    const checks = checksOf(rule)
    if (line === undefined) return !checks || checks.require.some(({ isIn }) => !isIn(file)) ? one : []
    const own = left.get(idOf(one))!
    const far = (at: number) => Math.abs(own.same[at]!.line - line)
    while (own.next < own.same.length - own.count && far(own.next + 1) <= far(own.next)) own.next += 1
    own.count -= 1
    const nearest = own.same[own.next++]
    return nearest ? { ...one, line: nearest.line } : []
  })
}

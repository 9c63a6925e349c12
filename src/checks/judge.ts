import { setImmediate } from 'node:timers/promises'
import { linesOf } from '../text/line-ending.ts'
import { changedLines, fencedLines, type Line } from './changed-lines.ts'
import { type Checks, isForbidden, type Pattern } from './patterns.ts'
import { touchedLines } from './touched-lines.ts'

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
  /** Its text when the last call had run, where that is known: what others wrote until the step ended is not judged. */
  written?: string | null | undefined
}

/** A rule that checks files. */
export type CheckedRule = { name: string; checks: Checks; globs?: Array<string> }

const MARKDOWN = /\b(?:md|mdx|mdc|markdown)\b/i

// A step is judged for so long; the host goes on after each slice. What is beyond that breaks nothing.
const MAX_MS = 2_000
const SLICE_MS = 20
// Of a file, the removed lines that are remembered for the rest of a turn.
const MAX_REMOVED = 200
const MAX_LENGTH = 1_000

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
const shownLine = (text: string): string => {
  const plain = text.trim()
  return plain.length > MAX_SHOWN ? `${plain.slice(0, MAX_SHOWN)}…` : plain
}

/** What a file lacks, where the pattern is not to be said. */
export const LACKS = 'the file lacks what it requires'

const lacks = ({ source }: Pattern): string => `the file lacks ${shownLine(`/${source}/`)}`

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

/**
 * Makes the function that says whether the calls of a step left a line with a pattern in a file. A formatter may have
 * changed the words around what the pattern matches, as from `let` to `const`.
 */
const isByCalls = ({ written, isFormatted }: StepFile) => {
  if (typeof written !== 'string') return () => true
  const lines = linesOf(written).map((line) => line.replace(FORMATTED, ''))
  const [known, plain] = [new Set(lines), isFormatted ? lines.join('') : '']
  return (text: string, { matchesIn }: Pattern): boolean =>
    known.has(text.replace(FORMATTED, ''))
    || (isFormatted && matchesIn(text).some((match) => plain.includes(match.replace(FORMATTED, ''))))
}

/**
 * Judges the files of a step, as long as there is time.
 *
 * @param earlier what broke rules before and was told, and the other lines that broke one and that the turn removed
 * @returns what breaks rules, of the lines that the step added and of what a file had and now lacks, and the lines that
 * broke one, were never told and are removed
 */
export const judgeStep = async (
  files: Array<StepFile>,
  rulesFor: (path: string) => Array<CheckedRule>,
  earlier: { broken: Array<Broken>; removed: Array<string> } = { broken: [], removed: [] },
): Promise<{ broken: Array<Broken>; removed: Array<string> }> => {
  const changes = files.map((file) => ({ ...file, ...changedLines(file.before ?? '', file.after ?? '') }))
  const wasThere = wasAmong([...earlier.removed, ...changes.flatMap(({ removed }) => removed)])
  const told = new Set(earlier.broken.map(({ text }) => text))
  const hasTime = timeLeft()
  const hitsOf = async <L extends { text: string }>(all: Array<L>, { isIn }: Pattern): Promise<Array<L>> => {
    const hits: Array<L> = []
    for (const one of all) if (await hasTime() && isIn(one.text)) hits.push(one)
    return hits
  }
  const [broken, gone]: [Array<Broken>, Set<string>] = [[], new Set()]
  for (const file of changes) {
    const { path, before, after, isFormatted, written, added } = file
    const isOwn = isByCalls(file)
    const old = file.removed.filter((text) => !told.has(shownLine(text)))
    const short = old.slice(0, MAX_REMOVED).flatMap((text) => text.length > MAX_LENGTH ? [] : { text })
    const fenced = MARKDOWN.test(path) ? fencedLines(after ?? '') : new Set()
    for (const { name: rule, checks, globs = [] } of rulesFor(path)) {
      const judged = MARKDOWN.test(globs.join()) ? added : added.filter(({ line }) => !fenced.has(line))
      const found = new Set<Line>()
      for (const pattern of checks.forbid) {
        const hits = await hitsOf(judged, pattern)
        const fresh = hits.filter(({ text }) => !wasThere(text, pattern, isFormatted) && isOwn(text, pattern))
        const touched = fresh.length > 0 ? await touchedLines(hits, old, file, pattern) : new Set()
        for (const one of fresh) if (!touched.has(one)) found.add(one)
        for (const { text } of await hitsOf(short, pattern)) {
          gone.add(text)
        }
      }
      const lines = added.filter((one) => found.has(one))
      broken.push(...lines.map(({ line, text }) => ({ rule, path, line, text: shownLine(text) })))
      // A file that lacked it before does not lack it by this step.
      const isLost = ({ isIn }: Pattern) =>
        after !== null && (before === null || isIn(before)) && !isIn(after) && !isIn(written ?? after)
      const lost = await hasTime() ? checks.require.filter(isLost) : []
      broken.push(...lost.map((pattern) => ({ rule, path, text: lacks(pattern) })))
    }
  }
  return { broken, removed: [...gone] }
}

/** Gives what broke rules in a file with its present numbers, each of the nearest line; what is mended is left out. */
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
  return broken.flatMap((one) => {
    const { rule, line, text: shown } = one
    const checks = checksOf(rule)
    if (line === undefined) {
      const isLacking = (pattern: Pattern) => !pattern.isIn(file) && [LACKS, lacks(pattern)].includes(shown)
      return !checks || checks.require.some(isLacking) ? one : []
    }
    const [nearest] = lines.get(keyOf(shown))!
      .toSorted((a, b) => Math.abs(a.line - line) - Math.abs(b.line - line))
    return nearest && (!checks || isForbidden(checks, nearest.text)) ? { ...one, line: nearest.line } : []
  })
}

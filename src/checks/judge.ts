import { setImmediate } from 'node:timers/promises'
import { linesOf } from '../text/line-ending.ts'
import { changedLines, fencedLines } from './changed-lines.ts'
import { type Checks, isForbidden, type Pattern } from './patterns.ts'

/** What breaks a rule: a line of a file, as it is shown, or a file that lacks what the rule requires. */
export type Broken = {
  rule: string
  path: string
  line?: number | undefined
  text?: string | undefined
}

/** A file before a step and after it; null where there was or is none. */
export type StepFile = {
  path: string
  before: string | null
  after: string | null
  /** Whether a formatter changed it: what differs in blanks and signs is taken for the formatter's. */
  isFormatted: boolean
}

/** A rule that checks files. */
export type CheckedRule = { name: string; checks: Checks; globs?: Array<string> }

const MARKDOWN = /\b(?:md|mdx|mdc|markdown)\b/i

// A step is judged for so long; the host goes on after each slice. What is beyond that breaks nothing.
const MAX_MS = 2_000
const SLICE_MS = 20

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

/** Lists what breaks rules in the files of a step, of the lines that it added and of what a file had and now lacks. */
export const judgeStep = async (
  files: Array<StepFile>,
  rulesFor: (path: string) => Array<CheckedRule>,
): Promise<Array<Broken>> => {
  const changes = files.map(({ before, after }) => changedLines(before ?? '', after ?? ''))
  const removed = changes.flatMap((change) => change.removed)
  const old = new Map(removed.map((text) => [text.replace(BLANKS, ''), text]))
  const oldText = removed.join('').replace(FORMATTED, '')
  const wasThere = (text: string, { isIn }: Pattern, isFormatted: boolean): boolean => {
    if (isFormatted && oldText.includes(text.replace(FORMATTED, ''))) return true
    const before = old.get(text.replace(BLANKS, ''))
    return before !== undefined && isIn(before)
  }
  const found: Array<Broken> = []
  const hasTime = timeLeft()
  for (const [index, { path, before, after, isFormatted }] of files.entries()) {
    const fenced = MARKDOWN.test(path) ? fencedLines(after ?? '') : null
    for (const { name: rule, checks, globs = [] } of after === null ? [] : rulesFor(path)) {
      const leftOut = fenced && !MARKDOWN.test(globs.join()) ? fenced : new Set()
      for (const { line, text } of changes[index]!.added.filter(({ line }) => !leftOut.has(line))) {
        for (const pattern of checks.forbid) {
          if (!await hasTime()) return found
          if (!pattern.isIn(text) || wasThere(text, pattern, isFormatted)) continue
          found.push({ rule, path, line, text: shownLine(text) })
          break
        }
      }
      // A file that lacked it before does not lack it by this step.
      const isLost = checks.require.some(({ isIn }) => (before === null || isIn(before)) && !isIn(after!))
      if (isLost) found.push({ rule, path })
    }
  }
  return found
}

/** Gives what broke a rule with the present number of its line, the nearest one; undefined where it is mended. */
export const stillBroken = (
  one: Broken,
  checks: Checks | null | undefined,
  file: string,
): Broken | undefined => {
  const { line = 1, text: shown } = one
  if (shown === undefined) return !checks || checks.require.some(({ isIn }) => !isIn(file)) ? one : undefined
  const key = shown.replace(FORMATTED, '')
  const [nearest] = linesOf(file).map((text, index) => ({ line: index + 1, text }))
    .filter(({ text }) => shownLine(text).replace(FORMATTED, '') === key)
    .sort((a, b) => Math.abs(a.line - line) - Math.abs(b.line - line))
  return nearest && (!checks || isForbidden(checks, nearest.text))
    ? { ...one, line: nearest.line }
    : undefined
}

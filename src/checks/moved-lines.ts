/** Recognizes added lines that only moved, possibly with another indentation, and so are no new violations. */
import { linesOf } from '../text/line-ending.ts'
import type { TimeBudget } from './budget.ts'
import type { Line } from './changed-lines.ts'
import type { ChangedFile, WasRemoved } from './file-changes.ts'
import { lineKeyOf, shownLine, type Violation } from './violations.ts'

const MAX_VARIANTS = 10

export const indexRemoved = (removed: Array<string>): WasRemoved => {
  const withoutBlanks = (text: string) => text.replace(/\s+/g, '')
  const variantsByKey = new Map<string, Set<string>>()
  for (const text of removed) {
    const key = withoutBlanks(text)
    const variants = variantsByKey.get(key) ?? new Set()
    if (variants.size < MAX_VARIANTS) variantsByKey.set(key, variants.add(text))
  }
  return (text, { isIn }) => [...variantsByKey.get(withoutBlanks(text)) ?? []].some(isIn)
}

const MAX_KEPT_REMOVED = 1_000
const MAX_KEPT_FILES = 200
const MAX_KEPT_LENGTH = 5_000_000

type IsReported = (path: string, text: string) => boolean

/** Reads the present text of a file; returns null if the file is gone. */
export type ReadPresent = (path: string) => Promise<string | null>

/** Records the changes that the calls of a turn have made so far. */
export class Turn {
  /** Removed lines that were not reported. If the turn adds an equal line to any file, that line may have moved. */
  removed: Array<string> = []
  readonly #reportCounts = new Map<string, number>()
  /** The text of each changed file before the turn, or null if copies can no longer be counted. */
  #textsBefore: Map<string, string> | null = new Map()

  async addStep(files: Array<ChangedFile>, isReported: IsReported, budget: TimeBudget): Promise<void> {
    this.removed = this.removed.slice(-MAX_KEPT_REMOVED)
    for (const { file: { path, written }, changes } of files) {
      await budget.forEach(
        changes.flatMap(({ hunks }) => hunks).flatMap(({ removed }) => removed),
        (text) => {
          if (!isReported(path, text)) this.removed.push(text)
        },
      )
      if (!this.#textsBefore?.has(path)) this.#textsBefore?.set(path, written[0]?.before ?? '')
    }
    const texts = [...this.#textsBefore?.values() ?? []]
    const length = texts.reduce((sum, text) => sum + text.length, 0)
    if (texts.length > MAX_KEPT_FILES || length > MAX_KEPT_LENGTH) this.#textsBefore = null
  }

  countReport({ rule, text, more }: Violation): void {
    // If `more` is set, the report lacks the texts of some lines, so copies can no longer be counted.
    if (more) this.#textsBefore = null
    const key = reportKey(rule, text)
    this.#reportCounts.set(key, (this.#reportCounts.get(key) ?? 0) + 1)
  }

  reportsOf(rule: string, text: string): number {
    return this.#reportCounts.get(reportKey(rule, text)) ?? 0
  }

  /** Counts the copies of each line (by `lineKeyOf`) that the turn's files have gained. Null if time ran out. */
  async gainedCopies(read: ReadPresent, budget: TimeBudget): Promise<Map<string, number> | null> {
    const gained = new Map<string, number>()
    const count = (text: string, change: number) => {
      for (const line of linesOf(text)) {
        const key = lineKeyOf(line)
        gained.set(key, (gained.get(key) ?? 0) + change)
      }
    }
    for (const [path, before] of this.#textsBefore ?? []) {
      const now = await read(path) ?? ''
      const isCounted = await budget.run(() => {
        count(before, -1)
        count(now, 1)
        return true
      })
      if (!isCounted) return null
    }
    return gained
  }
}

const reportKey = (rule: string, text: string): string => JSON.stringify([rule, lineKeyOf(shownLine(text))])

export type IsNewCopy = (rule: string, line: Line) => Promise<boolean>

/** Returns a function that tells whether an added line is a new copy of a removed line, not the moved line itself. */
export const newCopyFinder = (
  files: Array<ChangedFile>,
  turn: Turn,
  read: ReadPresent,
  budget: TimeBudget,
): IsNewCopy => {
  const indexCopies = async () => {
    // The last of equal added lines has the rank 0, because the last copies count as the new ones.
    const ranks = new Map<Line, number>()
    const countByKey = new Map<string, number>()
    const added = files.flatMap(({ changes }) => changes).flatMap((change) => change.added)
    const unranked = await budget.forEach(added.toReversed(), (line) => {
      const key = lineKeyOf(line.text)
      const rank = countByKey.get(key) ?? 0
      ranks.set(line, rank)
      countByKey.set(key, rank + 1)
    })
    const gained = unranked > 0 ? null : await turn.gainedCopies(read, budget)
    return { ranks, gained }
  }
  // Most steps move no line that matches a pattern, so the index is created only when it is needed.
  let index: ReturnType<typeof indexCopies> | undefined
  return async (rule, line) => {
    const { ranks, gained } = await (index ??= indexCopies())
    if (!gained) return false
    return ranks.get(line)! < (gained.get(lineKeyOf(line.text)) ?? 0) - turn.reportsOf(rule, line.text)
  }
}

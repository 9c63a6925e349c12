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

  /**
   * Returns how many copies of a line the turn's files have gained since the turn began, without the reported copies.
   * Returns 0 if the number is uncertain.
   */
  async countNewCopies(
    rule: string,
    text: string,
    read: (path: string) => Promise<string | null>,
    budget: TimeBudget,
  ): Promise<number> {
    const key = lineKeyOf(text)
    const copiesIn = (fileText: string) => linesOf(fileText).filter((line) => lineKeyOf(line) === key).length
    let count = -(this.#reportCounts.get(reportKey(rule, text)) ?? 0)
    for (const [path, before] of this.#textsBefore ?? []) {
      const now = await read(path) ?? ''
      const added = await budget.run(() => copiesIn(now) - copiesIn(before))
      if (added === undefined) return 0
      count += added
    }
    return Math.max(0, count)
  }
}

const reportKey = (rule: string, text: string): string => JSON.stringify([rule, lineKeyOf(shownLine(text))])

export type IsNewCopy = (rule: string, line: Line) => Promise<boolean>

/** Returns a function that tells whether an added line is a new copy of a removed line, not the moved line itself. */
export const newCopyFinder = (
  files: Array<ChangedFile>,
  countNewCopies: (rule: string, text: string) => Promise<number>,
): IsNewCopy => {
  const newCopies = new Map<string, Promise<Set<Line>>>()
  const findNewCopies = async (rule: string, text: string): Promise<Set<Line>> => {
    const count = await countNewCopies(rule, text)
    const key = lineKeyOf(text)
    const copies = files.flatMap(({ changes }) => changes).flatMap(({ added }) => added)
      .filter((line) => count > 0 && lineKeyOf(line.text) === key)
    return new Set(count > 0 ? copies.slice(-count) : [])
  }
  return async (rule, line) => {
    const key = reportKey(rule, line.text)
    if (!newCopies.has(key)) newCopies.set(key, findNewCopies(rule, line.text))
    return (await newCopies.get(key)!).has(line)
  }
}

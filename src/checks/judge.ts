import { setImmediate } from 'node:timers/promises'
import { linesOf } from '../text/line-ending.ts'
import { type ChangedLines, changedLines, fencedLines, type Line } from './changed-lines.ts'
import { type Checks, forbiddenIn } from './patterns.ts'

/** A file before a step and after it; null where there was none. */
export type StepFile = {
  path: string
  before: string | null
  after: string
  /** Whether a formatter changed it: what differs in blanks and signs may be the formatter's. */
  isFormatted: boolean
}

/** What breaks a rule: a line of a file, or a pattern that the file lacks. */
export type Break = { line: number; text: string } | { lacks: string }

// How many characters are tried with patterns in a step, a second of work at most; what is beyond that is not judged.
const MAX_TRIED = 20_000_000
// The host goes on between as many.
const AT_ONCE = 200_000

const BLANKS = /\s+/g
// What a formatter changes next to blanks: signs at the ends of lines and statements, brackets and quotes.
const FORMATTED = /[\s;,()'"`]+/g

/** Judges the files of a step: of the lines that it added, those that break a rule. */
export class Judge {
  readonly #changes: Map<StepFile, ChangedLines>
  /** The removed lines by their text without blanks, and all of them without what a formatter changes. */
  readonly #removed = new Map<string, Array<string>>()
  readonly #removedText: string
  #tried = 0

  constructor(files: Array<StepFile>) {
    this.#changes = new Map(files.map((file) => [file, changedLines(file.before ?? '', file.after)]))
    const removed = [...this.#changes.values()].flatMap((change) => change.removed)
    for (const text of removed) {
      const key = text.replace(BLANKS, '')
      this.#removed.set(key, [...this.#removed.get(key) ?? [], text])
    }
    this.#removedText = removed.join('').replace(FORMATTED, '')
  }

  /**
   * Lists what breaks a rule in a file.
   *
   * @param isCode whether lines in fenced code of Markdown are left out
   */
  async breaks(file: StepFile, checks: Checks, inFences: boolean): Promise<Array<Break>> {
    const fenced = inFences || !/\.(?:md|mdx|mdc|markdown)$/i.test(file.path) ? null : fencedLines(file.after)
    const found: Array<Break> = []
    for (const { number: line, text } of this.#changes.get(file)?.added ?? []) {
      if (fenced?.has(line) || !await this.#mayTry(text.length * checks.forbid.length)) continue
      const pattern = forbiddenIn(checks, text)
      if (pattern && !this.#wasThere(text, pattern, file)) found.push({ line, text })
    }
    for (const { source, isIn } of checks.require) {
      if (!await this.#mayTry(file.after.length)) break
      // A file that lacked it before does not lack it by this step.
      const hadIt = file.before === null || isIn(file.before)
      if (hadIt && !isIn(file.after)) found.push({ lacks: source })
    }
    return found
  }

  /** Whether a line that breaks a rule stood somewhere in the files before, and broke it there. */
  #wasThere(text: string, pattern: Checks['forbid'][number], { isFormatted }: StepFile): boolean {
    if (isFormatted && this.#removedText.includes(text.replace(FORMATTED, ''))) return true
    return this.#removed.get(text.replace(BLANKS, ''))?.some(pattern.isIn) ?? false
  }

  async #mayTry(length: number): Promise<boolean> {
    const before = this.#tried
    this.#tried += length
    if (Math.floor(before / AT_ONCE) < Math.floor(this.#tried / AT_ONCE)) await setImmediate()
    return this.#tried <= MAX_TRIED
  }
}

const MAX_SHOWN = 120

/** Gives a line as it is shown and remembered: without the blanks around it, cut. */
export const shownLine = (text: string): string => {
  const plain = text.trim()
  return plain.length > MAX_SHOWN ? `${plain.slice(0, MAX_SHOWN)}…` : plain
}

/** Gives the number of the line that is shown as `shown`, the one nearest to where it stood; undefined where it is gone. */
export const placeOf = (shown: string, near: number, text: string): Line | undefined =>
  linesOf(text).map((text, index) => ({ number: index + 1, text }))
    .filter(({ text }) => shownLine(text) === shown)
    .sort((one, other) => Math.abs(one.number - near) - Math.abs(other.number - near))[0]

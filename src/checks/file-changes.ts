/** Finds the lines that each call of a step (see `check-step.ts`) added to a file and removed from it. */
import { linesOf } from '../text/line-ending.ts'
import type { TimeBudget } from './budget.ts'
import type { Hunk, Line } from './changed-lines.ts'
import { keyOf } from './violations.ts'

/** A file's text before and after a call, or several in a row; null for no file. `after` is unformatted if possible. */
export type Written = {
  before: string | null
  after: string | null
  /** The call's arguments, if it is uncertain what the call changed: then only lines that occur in them are checked. */
  words?: string
}

/** A file of a step: the changes that its calls made, and its present text; null for no file. */
export type StepFile = { path: string; written: Array<Written>; presentText: string | null }

/** A change of a file, with the lines that differ. */
export type Change = Written & {
  hunks: Array<Hunk>
  /** The added lines of all hunks. */
  added: Array<Line>
  /** Those of the added lines that are not in fenced code of a Markdown file. */
  addedOutsideFences: Array<Line>
}

const MARKDOWN_FILE = /\.(?:md|mdx|mdc|markdown)$/i

/** Returns the removed lines of all changes. */
export const removedLinesOf = (changes: Array<Change>): Array<string> =>
  changes.flatMap(({ hunks }) => hunks.flatMap(({ removed }) => removed))

/** Compares a file's texts before and after its calls. `uncheckedLines` counts the lines for which no time is left. */
export const changesOf = async (
  { path, written }: StepFile,
  budget: TimeBudget,
): Promise<{ changes: Array<Change>; uncheckedLines: number }> => {
  // Imported only here, because its library for diffs would delay the start of the host.
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
    // A line that an earlier call of the step added was not there before the step. If this call removes it, that does
    // not count, so that a line with the same text is new if it is added again.
    for (const hunk of addedEarlier.size > 0 ? hunks : []) {
      hunk.removed = hunk.removed.filter((text) => !addedEarlier.has(keyOf(text)))
    }
    const added = hunks.flatMap((hunk) => hunk.added)
    const addedOutsideFences = added.filter(({ line }) => !fenced.has(line))
    changes.push({ ...texts, hunks, added, addedOutsideFences })
    // Only a later change of the step can remove these lines.
    for (const { text } of written.length > 1 ? added : []) addedEarlier.add(keyOf(text))
  }
  return { changes, uncheckedLines }
}

/** Finds the lines that each call of a step (see `check-step.ts`) added to a file and removed from it. */
import { linesOf } from '../text/line-ending.ts'
import type { TimeBudget } from './budget.ts'
import type { Hunk, Line } from './changed-lines.ts'
import { keyOf } from './violations.ts'

/** A file's text before and after one or more calls; null for no file. `after` is unformatted if that text is known. */
export type Written = {
  before: string | null
  after: string | null
  /** The call's arguments, if its change is uncertain: then only lines that occur in them are checked. */
  words?: string
}

/** A file of a step. `presentText` is null for no file. */
export type StepFile = { path: string; written: Array<Written>; presentText: string | null }

export type Change = Written & {
  hunks: Array<Hunk>
  added: Array<Line>
  /** If the file is Markdown, the added lines that are not in fenced code; otherwise all. */
  addedOutsideFences: Array<Line>
}

const MARKDOWN_FILE = /\.(?:md|mdx|mdc|markdown)$/i

/** Returns the removed lines of all changes. */
export const removedLinesOf = (changes: Array<Change>): Array<string> =>
  changes.flatMap(({ hunks }) => hunks.flatMap(({ removed }) => removed))

/** Finds what each call changed in a file. `uncheckedLines` counts the lines for which no time is left. */
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
    // A line that the step itself added does not count as removed: if it is added again, it is new, not only moved.
    if (addedEarlier.size > 0) {
      for (const hunk of hunks) hunk.removed = hunk.removed.filter((text) => !addedEarlier.has(keyOf(text)))
    }
    const added = hunks.flatMap((hunk) => hunk.added)
    const addedOutsideFences = added.filter(({ line }) => !fenced.has(line))
    changes.push({ ...texts, hunks, added, addedOutsideFences })
    // Only a later call can remove these lines.
    if (written.length > 1) {
      for (const { text } of added) addedEarlier.add(keyOf(text))
    }
  }
  return { changes, uncheckedLines }
}

/** Finds the lines that each call of a step (see `check-step.ts`) added and removed, without formatters' changes. */
import { fileLinesOf } from '../text/line-ending.ts'
import type { TimeBudget } from './budget.ts'
import type { Hunk, Line } from './changed-lines.ts'
import { lineKeyOf } from './violations.ts'

/** A text is null if the file does not exist. */
export type Written = {
  before: string | null
  after: string | null
  /** If a call could not be replayed on `before`, only lines that occur in these arguments are checked. */
  argsIfUncertain?: string
}

/** Formatters may have changed `presentText` since the last call. */
export type StepFile = { path: string; written: Array<Written>; presentText: string | null }

export type Change = Written & {
  hunks: Array<Hunk>
  added: Array<Line>
  addedOutsideFences: Array<Line>
}

export const MARKDOWN_FILE = /\.(?:md|mdx|mdc|markdown)$/i

export const removedLinesOf = (changes: Array<Change>): Array<string> =>
  changes.flatMap(({ hunks }) => hunks.flatMap(({ removed }) => removed))

/** `uncheckedLines` counts the lines of texts for which time ran out. */
export const changesOf = async (
  { path, written }: StepFile,
  budget: TimeBudget,
): Promise<{ changes: Array<Change>; uncheckedLines: number }> => {
  // Imported only here, because its library for diffs would delay the start of the host.
  const { changedHunks, fencedLines } = await import('./changed-lines.ts')
  const changes: Array<Change> = []
  // A line that the step adds, removes and adds again must not count as moved.
  const addedEarlier = new Set<string>()
  let uncheckedLines = 0
  for (const texts of written) {
    const after = texts.after ?? ''
    const hunks = await budget.run(() => changedHunks(texts.before ?? '', after))
    const fenced = MARKDOWN_FILE.test(path) ? await budget.run(() => fencedLines(after)) : new Set<number>()
    if (!hunks || !fenced) {
      uncheckedLines += fileLinesOf(after).length
      continue
    }
    if (addedEarlier.size > 0) {
      const wasThereBefore = (text: string) => !addedEarlier.has(lineKeyOf(text))
      for (const hunk of hunks) hunk.removed = hunk.removed.filter(wasThereBefore)
    }
    const added = hunks.flatMap((hunk) => hunk.added)
    const addedOutsideFences = added.filter(({ line }) => !fenced.has(line))
    changes.push({ ...texts, hunks, added, addedOutsideFences })
    if (written.length > 1) added.forEach(({ text }) => addedEarlier.add(lineKeyOf(text)))
  }
  return { changes, uncheckedLines }
}

/** Finds the lines that each call of a step (see `check-step.ts`) added and removed, without formatters' changes. */
import { fileLinesOf } from '../text/line-ending.ts'
import type { TimeBudget } from './budget.ts'
import type { Hunk, Line } from './changed-lines.ts'
import { lineKeyOf } from './violations.ts'

/** The change of a file by one or more calls. A text is null if the file does not exist. */
export type Written = {
  before: string | null
  after: string | null
  /**
   * The arguments of a call that could not be replayed on `before`. A formatter may have changed `after`, so only the
   * lines that occur in these arguments are checked.
   */
  argsIfUncertain?: string
}

/** A file, and its changes by the calls of a step, in order. Formatters may have changed `presentText` since. */
export type StepFile = { path: string; written: Array<Written>; presentText: string | null }

export type Change = Written & {
  hunks: Array<Hunk>
  added: Array<Line>
  /** All added lines or, in a Markdown file, the added lines outside of fenced code. */
  addedOutsideFences: Array<Line>
}

export const MARKDOWN_FILE = /\.(?:md|mdx|mdc|markdown)$/i

export const removedLinesOf = (changes: Array<Change>): Array<string> =>
  changes.flatMap(({ hunks }) => hunks.flatMap(({ removed }) => removed))

/** Compares the texts of each change in a file. `uncheckedLines` counts the lines of texts for which time ran out. */
export const changesOf = async (
  { path, written }: StepFile,
  budget: TimeBudget,
): Promise<{ changes: Array<Change>; uncheckedLines: number }> => {
  // Imported only here, because its library for diffs would delay the start of the host.
  const { changedHunks, fencedLines } = await import('./changed-lines.ts')
  const changes: Array<Change> = []
  // The keys of the lines that the step added so far. If a later call removes such a line, `removed` omits the line. A
  // line in `removed` that a call adds again counts as moved, and a moved line is not checked.
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
    // Only a later change needs the keys, and most files have a single change.
    if (written.length > 1) added.forEach(({ text }) => addedEarlier.add(lineKeyOf(text)))
  }
  return { changes, uncheckedLines }
}

/** Finds the lines that each call of a step (see `check-step.ts`) added and removed, without formatters' changes. */
import { fileLinesOf } from '../text/line-ending.ts'
import type { TimeBudget } from './budget.ts'
import type { Hunk, Line } from './changed-lines.ts'
import type { Pattern } from './patterns.ts'
import { lineKeyOf } from './violations.ts'

/** Maps a line number of `written` to the lines of `present` that the line became. */
export type MapLines = (written: string, present: string) => (line: number) => Array<Line>

/** A text is null if the file does not exist. */
export type Written = {
  before: string | null
  after: string | null
  /** The arguments of a call that could not be replayed on `before`. Only lines that occur in them are checked. */
  argsIfUncertain?: string
}

/** Formatters may have changed `presentText` since the last call. */
export type StepFile = { path: string; written: Array<Written>; presentText: string | null }

/** Whether a removed line matches `pattern`, and differs from `line` at most in whitespace. */
export type WasRemoved = (line: string, pattern: Pattern) => boolean

export type Change = Pick<Written, 'after'> & {
  hunks: Array<Hunk>
  added: Array<Line>
  addedOutsideFences: Array<Line>
  /** The key (`lineKeyOf`) of `argsIfUncertain`. */
  argsKey: string | undefined
  /** Set if a line of the change matches a pattern, and a formatter or a later call changed the file. */
  toPresent?: ReturnType<MapLines> | undefined
  /** Searches the lines that the change removed. Set if a line of the change matches a pattern. */
  wasRemoved?: WasRemoved | undefined
}

/** `uncheckedLines` counts the lines of texts for which time ran out. */
export type ChangedFile = { file: StepFile; changes: Array<Change>; uncheckedLines: number }

export const MARKDOWN_FILE = /\.(?:md|mdx|mdc|markdown)$/i

export const changesOf = async (file: StepFile, budget: TimeBudget): Promise<ChangedFile> => {
  const { path, written } = file
  // Imported only here, because its library for diffs would delay the start of the host.
  const { changedHunks, fencedLines } = await import('./changed-lines.ts')
  const changes: Array<Change> = []
  // If a step adds a line, removes it and adds it again, the line did not move. So this removal is ignored.
  const addedEarlier = new Set<string>()
  const wasThereBefore = (text: string) => addedEarlier.size === 0 || !addedEarlier.has(lineKeyOf(text))
  let uncheckedLines = 0
  for (const { before, after, argsIfUncertain } of written) {
    const text = after ?? ''
    const hunks = await budget.run(() => changedHunks(before ?? '', text))
    const fenced = MARKDOWN_FILE.test(path) ? await budget.run(() => fencedLines(text)) : new Set<number>()
    if (!hunks || !fenced) {
      uncheckedLines += fileLinesOf(text).length
      continue
    }
    for (const hunk of hunks) hunk.removed = hunk.removed.filter(wasThereBefore)
    const added = hunks.flatMap((hunk) => hunk.added)
    const addedOutsideFences = added.filter(({ line }) => !fenced.has(line))
    const argsKey = argsIfUncertain === undefined ? undefined : lineKeyOf(argsIfUncertain)
    changes.push({ after, hunks, added, addedOutsideFences, argsKey })
    if (written.length > 1) added.forEach(({ text }) => addedEarlier.add(lineKeyOf(text)))
  }
  return { file, changes, uncheckedLines }
}

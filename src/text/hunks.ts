import { structuredPatch } from 'diff/lib/patch/create.js'
import { changedStretch, countLineEnds } from './changed-stretch.ts'

/** A hunk of a unified diff; lines are numbered from 1. */
export type Hunk = {
  oldStart: number
  oldLines: number
  newStart: number
  newLines: number
  lines: Array<string>
}

/** With more changed lines than this the search for the shortest diff takes too long. */
export const MAX_EDITS = 400

/**
 * Gives the hunks of the unified diff of two texts; null where more lines changed than `maxEditLength`. The library gets
 * only the changed stretch: with the lines that both texts share it takes ten times as long.
 *
 * @param context how many lines above and below a change are shown
 */
export const hunksOf = (
  before: string,
  after: string,
  context: number,
  maxEditLength = MAX_EDITS,
): Array<Hunk> | null => {
  const stretch = changedStretch(before, after, context)
  const [old, now] = [
    before.slice(stretch.before.start, stretch.before.end),
    after.slice(stretch.after.start, stretch.after.end),
  ]
  const skipped = countLineEnds(before, stretch.before.start)
  const patch = structuredPatch('', '', old, now, undefined, undefined, { context, maxEditLength })
  return patch?.hunks.map(({ oldStart, newStart, ...hunk }) => ({
    oldStart: oldStart + skipped,
    newStart: newStart + skipped,
    ...hunk,
  })) ?? null
}

import { FILE_HEADERS_ONLY, formatPatch, structuredPatch } from 'diff/lib/patch/create.js'
import { changedStretch, countLineEnds, MAX_EDITS } from './changed-stretch.ts'

/** A hunk of a unified diff; lines are numbered from 1. */
export type Hunk = {
  oldStart: number
  oldLines: number
  newStart: number
  newLines: number
  lines: Array<string>
}

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

const CONTEXT = 3

/** Makes one hunk that removes the changed stretch of a text, and adds that of the other. */
const wholeHunk = (before: string, after: string): Hunk => {
  const stretch = changedStretch(before, after, CONTEXT)
  const removed = hunksOf(
    before.slice(0, stretch.before.end),
    before.slice(0, stretch.before.start),
    0,
    Infinity,
  )?.[0]
  const added = hunksOf(after.slice(0, stretch.after.start), after.slice(0, stretch.after.end), 0, Infinity)
    ?.[0]
  return {
    oldStart: removed?.oldStart ?? 1,
    oldLines: removed?.oldLines ?? 0,
    newStart: added?.newStart ?? 1,
    newLines: added?.newLines ?? 0,
    lines: [...removed?.lines ?? [], ...added?.lines ?? []],
  }
}

/** Makes the unified diff of two texts; texts that share little become one hunk. */
export const formatDiff = (name: string, before: string, after: string): string => {
  const hunks = hunksOf(before, after, CONTEXT) ?? [wholeHunk(before, after)]
  const header = { oldFileName: name, newFileName: name, oldHeader: undefined, newHeader: undefined }
  return formatPatch({ ...header, hunks }, FILE_HEADERS_ONLY)
}

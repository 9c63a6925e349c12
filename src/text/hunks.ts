import { FILE_HEADERS_ONLY, formatPatch, OMIT_HEADERS, structuredPatch } from 'diff/lib/patch/create.js'
import { changedRange, countLineBreaks, MAX_EDITS } from './changed-range.ts'

/** A hunk of a unified diff; lines are numbered from 1. */
export type Hunk = {
  oldStart: number
  oldLines: number
  newStart: number
  newLines: number
  lines: Array<string>
}

/**
 * Computes the hunks of the unified diff of two texts; returns null if more than `MAX_EDITS` lines changed. The library
 * receives only the changed part: with the common lines it takes ten times as long.
 *
 * @param context how many unchanged lines to include above and below each change
 */
export const hunksOf = (before: string, after: string, context: number): Array<Hunk> | null => {
  const stretch = changedRange(before, after, context)
  const [old, now] = [
    before.slice(stretch.before.from, stretch.before.to),
    after.slice(stretch.after.from, stretch.after.to),
  ]
  const skipped = countLineBreaks(before, stretch.before.from)
  const options = { context, maxEditLength: MAX_EDITS }
  const patch = structuredPatch('', '', old, now, undefined, undefined, options)
  return patch?.hunks.map(({ oldStart, newStart, ...hunk }) => ({
    oldStart: oldStart + skipped,
    newStart: newStart + skipped,
    ...hunk,
  })) ?? null
}

const CONTEXT = 3

/** Creates one hunk that replaces the changed part of a text. */
const wholeHunk = (before: string, after: string): Hunk => {
  const stretch = changedRange(before, after)
  const start = countLineBreaks(before, stretch.before.from) + 1
  const gone = structuredPatch('', '', before.slice(stretch.before.from, stretch.before.to), '').hunks[0]
  const come = structuredPatch('', '', '', after.slice(stretch.after.from, stretch.after.to)).hunks[0]
  return {
    oldStart: start,
    oldLines: gone?.oldLines ?? 0,
    newStart: start,
    newLines: come?.newLines ?? 0,
    lines: [...gone?.lines ?? [], ...come?.lines ?? []],
  }
}

/** Formats hunks as a unified diff, with a header if a file name is given. */
export const formatHunks = (hunks: Array<Hunk>, name?: string): string => {
  const header = { oldFileName: name, newFileName: name, oldHeader: undefined, newHeader: undefined }
  return formatPatch({ ...header, hunks }, name === undefined ? OMIT_HEADERS : FILE_HEADERS_ONLY)
}

/** Creates the unified diff of two texts; one hunk if they share little. */
export const formatDiff = (name: string, before: string, after: string, context = CONTEXT): string =>
  formatHunks(hunksOf(before, after, context) ?? [wholeHunk(before, after)], name)

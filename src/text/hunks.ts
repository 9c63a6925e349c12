/** Computes and formats unified diffs of two texts. */
import type { StructuredPatchHunk } from 'diff'
import { FILE_HEADERS_ONLY, formatPatch, OMIT_HEADERS, structuredPatch } from 'diff/lib/patch/create.js'
import { changedRange, countLineBreaks, MAX_EDITS } from './changed-range.ts'

export type Hunk = StructuredPatchHunk

const changedParts = (before: string, after: string, context = 0) => {
  const range = changedRange(before, after, context)
  return {
    before: before.slice(range.before.from, range.before.to),
    after: after.slice(range.after.from, range.after.to),
    linesAbove: countLineBreaks(before, range.before.from),
  }
}

/** Returns null if more than `MAX_EDITS` lines changed. */
export const hunksOf = (before: string, after: string, context: number): Array<Hunk> | null => {
  // Compares only the changed parts, because the library takes ten times as long for whole texts.
  const changed = changedParts(before, after, context)
  const options = { context, maxEditLength: MAX_EDITS }
  const patch = structuredPatch('', '', changed.before, changed.after, undefined, undefined, options)
  return patch?.hunks.map(({ oldStart, newStart, ...hunk }) => ({
    oldStart: oldStart + changed.linesAbove,
    newStart: newStart + changed.linesAbove,
    ...hunk,
  })) ?? null
}

const singleHunk = (before: string, after: string): Hunk => {
  const changed = changedParts(before, after)
  const start = changed.linesAbove + 1
  const [removed] = structuredPatch('', '', changed.before, '').hunks
  const [added] = structuredPatch('', '', '', changed.after).hunks
  return {
    oldStart: start,
    oldLines: removed?.oldLines ?? 0,
    newStart: start,
    newLines: added?.newLines ?? 0,
    lines: [...removed?.lines ?? [], ...added?.lines ?? []],
  }
}

export const formatHunks = (hunks: Array<Hunk>, name?: string): string => {
  const patch = { oldFileName: name, newFileName: name, oldHeader: undefined, newHeader: undefined, hunks }
  return formatPatch(patch, name === undefined ? OMIT_HEADERS : FILE_HEADERS_ONLY)
}

export const formatDiff = (name: string, before: string, after: string, context = 3): string =>
  formatHunks(hunksOf(before, after, context) ?? [singleHunk(before, after)], name)

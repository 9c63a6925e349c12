import { changedStretch, countLineEnds } from './changed-stretch.ts'

/** With more changed lines than this the search for the shortest diff takes too long. */
export const MAX_EDITS = 400

const CONTEXT = 3

/**
 * Makes the unified diff of two texts, which the permission prompt and the screen show; texts that share little become
 * one hunk. The library gets only the changed stretch: with the lines that both texts share it takes ten times as long.
 */
export const unifiedDiff = async (name: string, before: string, after: string): Promise<string> => {
  const { FILE_HEADERS_ONLY, formatPatch, structuredPatch } = await import('diff/lib/patch/create.js')
  const stretch = changedStretch(before, after, CONTEXT)
  const old = before.slice(stretch.before.start, stretch.before.end)
  const now = after.slice(stretch.after.start, stretch.after.end)
  const hunksOf = (from: string, to: string, maxEditLength: number) =>
    structuredPatch(name, name, from, to, undefined, undefined, { context: CONTEXT, maxEditLength })?.hunks
  const wholeHunk = () => {
    const [removed, added] = [hunksOf(old, '', Infinity)?.[0], hunksOf('', now, Infinity)?.[0]]
    const [oldLines, newLines] = [removed?.oldLines ?? 0, added?.newLines ?? 0]
    const lines = [...removed?.lines ?? [], ...added?.lines ?? []]
    return { oldStart: 1, oldLines, newStart: 1, newLines, lines }
  }
  const skipped = countLineEnds(before, stretch.before.start)
  const hunks = (hunksOf(old, now, MAX_EDITS) ?? [wholeHunk()]).map((hunk) => ({
    ...hunk,
    oldStart: hunk.oldStart + skipped,
    newStart: hunk.newStart + skipped,
  }))
  const header = { oldFileName: name, newFileName: name, oldHeader: undefined, newHeader: undefined }
  return formatPatch({ ...header, hunks }, FILE_HEADERS_ONLY)
}

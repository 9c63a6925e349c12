import { changedStretch } from './changed-stretch.ts'

const CONTEXT = 3

/**
 * Makes the unified diff of two texts, which the permission prompt and the screen show; texts that share little become
 * one hunk.
 */
export const unifiedDiff = async (name: string, before: string, after: string): Promise<string> => {
  const [{ FILE_HEADERS_ONLY, formatPatch }, { hunksOf }] = await Promise.all([
    import('diff/lib/patch/create.js'),
    import('./hunks.ts'),
  ])
  const wholeHunk = () => {
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
  const hunks = hunksOf(before, after, CONTEXT) ?? [wholeHunk()]
  const header = { oldFileName: name, newFileName: name, oldHeader: undefined, newHeader: undefined }
  return formatPatch({ ...header, hunks }, FILE_HEADERS_ONLY)
}

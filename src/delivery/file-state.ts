import { type Stats, statSync } from 'node:fs'

/**
 * What of a file's or folder's `stat` is another one where it was written, replaced, or moved; `null` where nothing is
 * there. One that is not settled may be written again without showing it, and is never the same as another.
 */
export type FileState =
  | { ctimeMs: number; mtimeMs: number; size: number; ino: number; isSettled: boolean }
  | null

// A disk's clock ticks every few milliseconds: what was written this shortly before it was read may be written again
// without another time to show for it.
const SETTLED_MS = 50

/** A path's `stat`, links followed. A part of the path that is no folder throws where a missing one does not. */
const statsOf = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Whether a path is a folder, or a link to one. */
export const isFolder = (path: string): boolean => statsOf(path)?.isDirectory() ?? false

/** The state of a path to compare with later, taken before it is read. */
export const stateOf = (path: string): FileState => {
  const stats = statsOf(path)
  if (!stats) return null
  const { ctimeMs, mtimeMs, size, ino } = stats
  return { ctimeMs, mtimeMs, size, ino, isSettled: Math.abs(Date.now() - ctimeMs) >= SETTLED_MS }
}

/** Whether a path is still in the state that it was in. It is asked for each rule before each request. */
export const isStill = (path: string, state: FileState): boolean => {
  const stats = statsOf(path)
  if (!stats || !state) return !stats && !state
  return state.isSettled && stats.ctimeMs === state.ctimeMs && stats.mtimeMs === state.mtimeMs
    && stats.size === state.size && stats.ino === state.ino
}

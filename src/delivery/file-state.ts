import { type Stats, statSync } from 'node:fs'

/**
 * The fields of a path's `stat` by which it is seen that it was written, replaced or moved; `null` where nothing is
 * there. A state that is not settled equals no other: the file may be written once more without a new time.
 */
export type FileState =
  | { ctimeMs: number; mtimeMs: number; size: number; ino: number; isSettled: boolean }
  | null

// A disk's clock ticks every few milliseconds. A file that was written in the last 50 may be written again and keep its
// time.
const SETTLED_MS = 50

/** Gives a path's `stat`, links followed; undefined where nothing is there or a part of the path is no folder. */
const statsOf = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** Whether a path is a folder, or a link to one. */
export const isFolder = (path: string): boolean => statsOf(path)?.isDirectory() ?? false

/** Takes the state of a path, to compare with later. Take it before you read the file. */
export const stateOf = (path: string): FileState => {
  const stats = statsOf(path)
  if (!stats) return null
  const { ctimeMs, mtimeMs, size, ino } = stats
  return { ctimeMs, mtimeMs, size, ino, isSettled: Math.abs(Date.now() - ctimeMs) >= SETTLED_MS }
}

/** Whether a path is still in the state that it was in. */
export const isStill = (path: string, state: FileState): boolean => {
  const stats = statsOf(path)
  if (!stats || !state) return !stats && !state
  return state.isSettled && stats.ctimeMs === state.ctimeMs && stats.mtimeMs === state.mtimeMs
    && stats.size === state.size && stats.ino === state.ino
}

/** Tells cheaply whether a file or folder has changed, without reading it. */
import { stat } from 'node:fs/promises'

/** The state of a path: a text that changes whenever the file or folder changes, and the size in bytes. */
export type PathState = { state: string; size: number }

export type StateReader = (path: string) => Promise<PathState>

/** The state of a path that does not exist, or whose state cannot be read. */
export const MISSING = { state: 'missing', size: 0 }

// A disk's clock ticks every few milliseconds. The second write within one tick does not change the file's time.
const SETTLED_MS = 50

/**
 * Returns the state of a path, which changes when the file is written, replaced or moved. A file that changed within
 * the last 50 ms has another state at each call.
 */
export const stateOf: StateReader = (path) =>
  stat(path).then(({ ctimeMs, mtimeMs, size, ino }) => {
    const isSettled = Math.abs(Date.now() - ctimeMs) >= SETTLED_MS
    return { state: [ctimeMs, mtimeMs, size, ino, isSettled || Math.random()].join(), size }
  }, () => MISSING)

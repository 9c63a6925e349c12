import { stat } from 'node:fs/promises'

/** What exists at a path: a text that changes with it, and its size in bytes. */
export type PathState = { state: string; size: number }

/** Returns the state of a path. */
export type StateReader = (path: string) => Promise<PathState>

export const MISSING = { state: 'missing', size: 0 }

// A disk's clock ticks every few milliseconds: a file that was just written may be written again and keep its time.
const SETTLED_MS = 50

/** Returns the state of a path. It changes when the file is written, replaced or moved; that of a new file never repeats. */
export const stateOf: StateReader = (path) =>
  stat(path).then(({ ctimeMs, mtimeMs, size, ino }) => {
    const isSettled = Math.abs(Date.now() - ctimeMs) >= SETTLED_MS
    return { state: [ctimeMs, mtimeMs, size, ino, isSettled || Math.random()].join(), size }
  }, () => MISSING)

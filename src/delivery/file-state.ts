/** Tells cheaply whether a file or folder has changed, without reading it. */
import { stat } from 'node:fs/promises'

/** `size` is in bytes. */
type PathState = { state: string; size: number }

export type StateReader = (path: string) => Promise<PathState>

export const MISSING = { state: 'missing', size: 0 }

// A disk's clock ticks every few milliseconds, and a second write within one tick does not change the file's time.
const SETTLED_MS = 50

/** Until 50 ms after the last change of a path, each call returns a new state. */
export const stateOf: StateReader = (path) =>
  stat(path).then(({ ctimeMs, mtimeMs, size, ino }) => {
    const isSettled = Math.abs(Date.now() - ctimeMs) >= SETTLED_MS
    return { state: [ctimeMs, mtimeMs, size, ino, isSettled ? '' : Math.random()].join(), size }
  }, () => MISSING)

import { stat } from 'node:fs/promises'

/** The state of what stands at a path, and its size in bytes. */
export type Seen = { state: string; size: number }

/** Looks at a path, and again with each look at its folder. */
export type Look = (path: string) => Promise<Seen>

export const MISSING = { state: 'missing', size: 0 }

// A disk's clock ticks every few milliseconds: a file that was just written may be written again and keep its time.
const SETTLED_MS = 50

/** Gives the state of a path, which changes when it is written, replaced or moved; that of a new file is never the same. */
export const stateOf: Look = (path) =>
  stat(path).then(({ ctimeMs, mtimeMs, size, ino }) => {
    const isSettled = Math.abs(Date.now() - ctimeMs) >= SETTLED_MS
    return { state: [ctimeMs, mtimeMs, size, ino, isSettled || Math.random()].join(), size }
  }, () => MISSING)

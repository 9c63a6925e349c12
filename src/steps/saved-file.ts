/** Reads the files of calls, and tells later whether they are still the same. */
import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { bomOf, type ReadText, readText, withoutBom } from '../text/read.ts'

/** A file as it was read. Its text lacks a byte-order mark, its bytes include it. */
export type SavedFile = ReadText

const LARGE_BYTES = 500_000

/** Removes the byte-order mark from the text of a file that was read. */
export const toSavedFile = async (read: ReadText): Promise<SavedFile> => {
  // Decoding 10 MB has blocked the host for some 15 ms, so its other work runs first.
  if (read.bytes.length > LARGE_BYTES) await setImmediate()
  return { ...read, text: withoutBom(read.text) }
}

/** Reads a file; null if it is missing or no text. */
export const readSaved = async (path: string): Promise<SavedFile | null> => {
  const { data } = await readText(path)
  return data && toSavedFile(data)
}

/**
 * Whether a file may still be the one that was read: a regular file on the same disk. With another inode, it may have
 * been written anew; but if that inode has further hard links, it could be another file.
 */
export const mayBeSameFile = ({ stats: { dev, ino } }: SavedFile, now: Stats): boolean =>
  now.isFile() && now.dev === dev && (now.ino === ino || now.nlink === 1)

/** Reads a file again; null if it is missing or no text, or if a link or a hard link to another file took its place. */
export const rereadFile = async (file: SavedFile): Promise<SavedFile | null> => {
  const now = await readSaved(file.realPath)
  return now && now.realPath === file.realPath && mayBeSameFile(file, now.stats) ? now : null
}

/** Returns a file with another text and the same byte-order mark. */
export const withText = (file: SavedFile, text: string): SavedFile => ({
  ...file,
  bytes: Buffer.from(bomOf(file.bytes.toString('utf8', 0, 3)) + text),
  text,
})

const signatureOf = (path: string): Promise<string> =>
  stat(path).then(({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`, () => '')

/** Returns a function that lists which of the files were written, created or removed since. */
export const watchFiles = async (paths: Array<string>): Promise<() => Promise<Array<string>>> => {
  const before = await Promise.all(paths.map(signatureOf))
  return async () => {
    const now = await Promise.all(paths.map(signatureOf))
    return paths.filter((_, index) => now[index] !== before[index])
  }
}

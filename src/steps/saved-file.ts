/** Reads files, and tells later whether they were replaced or written since. */
import type { Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { bomOf, isUnchangedSince, type ReadText, readText, withoutBom } from '../text/read.ts'

/** Unlike in `ReadText`, `text` lacks the byte-order mark. */
export type SavedFile = ReadText

const LARGE_BYTES = 500_000

export const toSavedFile = async (read: ReadText): Promise<SavedFile> => {
  // Lets the host do other work, because decoding a large file has just blocked it (10 MB: about 15 ms).
  if (read.bytes.length > LARGE_BYTES) await setImmediate()
  return { ...read, text: withoutBom(read.text) }
}

/** Returns null if the file is missing or cannot be read as text. */
export const readSaved = async (path: string): Promise<SavedFile | null> => {
  const { data } = await readText(path)
  return data && toSavedFile(data)
}

/** True for the file that was read, and for a new file that replaced it, but not for a hard link to another file. */
export const mayBeSameFile = ({ stats: { dev, ino } }: SavedFile, now: Stats): boolean =>
  now.isFile() && now.dev === dev && (now.ino === ino || now.nlink === 1)

/** Returns null if the file is missing, cannot be read as text, or is not the same file any more. */
export const rereadFile = async (file: SavedFile): Promise<SavedFile | null> => {
  const now = await readSaved(file.realPath)
  return now && now.realPath === file.realPath && mayBeSameFile(file, now.stats) ? now : null
}

export const withText = (file: SavedFile, text: string): SavedFile => ({
  ...file,
  bytes: Buffer.from(bomOf(file.bytes.toString('utf8', 0, 3)) + text),
  text,
})

const signatureOf = (path: string): Promise<string> =>
  stat(path).then(({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`, () => '')

/** Returns a function that lists the files written, created or removed since `watchFiles` was called. */
export const watchFiles = async (paths: Array<string>): Promise<() => Promise<Array<string>>> => {
  const before = await Promise.all(paths.map(signatureOf))
  return async () => {
    const now = await Promise.all(paths.map(signatureOf))
    return paths.filter((_, index) => now[index] !== before[index])
  }
}

/** Remembers the files that were read since the last request to a model, so that unchanged files are not read again. */
export class PresentFiles {
  readonly #lastReads = new Map<string, SavedFile>()

  remember(path: string, lastRead: SavedFile | null): void {
    // `isUnchangedSince` checks only the real path, so it would not notice if a link in `path` led elsewhere.
    if (lastRead?.realPath === path) this.#lastReads.set(path, lastRead)
    else this.#lastReads.delete(path)
  }

  /** Returns null if the file is missing or cannot be read as text. */
  async read(path: string): Promise<SavedFile | null> {
    const lastRead = this.#lastReads.get(path)
    return lastRead && isUnchangedSince(lastRead) ? lastRead : await readSaved(path)
  }

  clear(): void {
    this.#lastReads.clear()
  }
}

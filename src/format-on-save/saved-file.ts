import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { decodeText, MAX_BYTES, withoutMark } from '../read-text.ts'
import { type Result, safeAsync } from '../safe.ts'

/** A file as it was read; `text` is without the byte-order mark. */
export type SavedFile = { bytes: Buffer; text: string; mode: number }

const OWNER_WRITES = 0o200

/** Reads a file; null where there is none, or none that can be formatted as text. */
export const readSaved = async (path: string): Promise<SavedFile | null> => {
  try {
    const stats = await stat(path)
    if (!stats.isFile() || stats.size > MAX_BYTES) return null
    const bytes = await readFile(path)
    const { data } = decodeText(bytes)
    if (data === null) return null
    return { bytes, text: withoutMark(data), mode: stats.mode & 0o7777 }
  } catch {
    return null
  }
}

/** Puts a file's bytes and mode back, unless they are still there, also where only its mode keeps it from being written. */
export const restoreSaved = (path: string, { bytes, mode }: SavedFile): Promise<Result<null>> =>
  safeAsync(async () => {
    const now = await readSaved(path)
    if (now?.bytes.equals(bytes) && now.mode === mode) return null
    await mkdir(dirname(path), { recursive: true })
    // There may be no file to make writable.
    await chmod(path, mode | OWNER_WRITES).catch(() => {})
    await writeFile(path, bytes)
    await chmod(path, mode)
    return null
  })

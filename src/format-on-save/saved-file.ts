import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { BYTE_ORDER_MARK, decodeText, MAX_BYTES } from '../read-text.ts'

/** A file as it was read; `text` is without the byte-order mark. */
export type SavedFile = { bytes: Buffer; text: string; mode: number }

/** Reads a file; null where there is none, or none that can be formatted as text. */
export const readSaved = async (path: string): Promise<SavedFile | null> => {
  try {
    const stats = await stat(path)
    if (!stats.isFile() || stats.size > MAX_BYTES) return null
    const bytes = await readFile(path)
    const { data } = decodeText(bytes)
    if (data === null) return null
    return { bytes, text: data.startsWith(BYTE_ORDER_MARK) ? data.slice(1) : data, mode: stats.mode }
  } catch {
    return null
  }
}

/** Puts a file's bytes back, unless they are still there. */
export const restoreSaved = async (path: string, { bytes, mode }: SavedFile): Promise<void> => {
  const now = await readSaved(path)
  if (now?.bytes.equals(bytes)) return
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, bytes, { mode: mode & 0o7777 })
}

import { readFile, stat } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { decodeText, MAX_BYTES, withoutMark } from '../../text/read.ts'

/** A file as it was read; `text` is without the byte-order mark. */
export type SavedFile = { bytes: Buffer; text: string; mode: number }

const LARGE_BYTES = 500_000

/** Reads a file; null where there is none, or none that can be formatted as text. */
export const readSaved = async (path: string): Promise<SavedFile | null> => {
  try {
    const stats = await stat(path)
    if (!stats.isFile() || stats.size > MAX_BYTES) return null
    const bytes = await readFile(path)
    const { data } = decodeText(bytes)
    if (data === null) return null
    // The host goes on between this and the work on the text: to decode 10 MB takes some 15 ms.
    if (bytes.length > LARGE_BYTES) await setImmediate()
    return { bytes, text: withoutMark(data), mode: stats.mode & 0o7777 }
  } catch {
    return null
  }
}

/** Tells why a file is not formatted: it is too large, or no text; null where there is no such file. */
export const whyNotFormatted = async (path: string): Promise<string | null> => {
  try {
    const { size } = await stat(path)
    if (size > MAX_BYTES) return `it has ${size} bytes, and files of at most ${MAX_BYTES} bytes are formatted`
    return decodeText(await readFile(path)).error
  } catch {
    return null
  }
}

/** Tells how a file looks on the disk, to know whether it was written since; empty where there is none. */
export const signatureOf = async (path: string): Promise<string> => {
  try {
    const { ino, size, mtimeMs } = await stat(path)
    return `${ino} ${size} ${mtimeMs}`
  } catch {
    return ''
  }
}

import { stat } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { NO_SUCH_FILE } from '../../safe.ts'
import { decodeText, readBytes, withoutMark } from '../../text/read.ts'

/** A file as it was read; `text` is without the byte-order mark. */
export type SavedFile = { bytes: Buffer; text: string; mode: number }

const LARGE_BYTES = 500_000

/** Reads a file; null where there is none, or none that can be formatted as text. */
export const readSaved = async (path: string): Promise<SavedFile | null> => {
  try {
    const { mode } = await stat(path)
    const bytes = (await readBytes(path)).data?.bytes
    const text = bytes && decodeText(bytes).data
    if (!bytes || text === null || text === undefined) return null
    // Lets the host go on in between: decoding 10 MB takes some 15 ms.
    if (bytes.length > LARGE_BYTES) await setImmediate()
    return { bytes, text: withoutMark(text), mode: mode & 0o7777 }
  } catch {
    return null
  }
}

/** Says why a file is not formatted: it is too large, or not text; null where there is no such file. */
export const whyNotFormatted = async (path: string): Promise<string | null> => {
  const read = await readBytes(path)
  const { error } = read.error === null ? decodeText(read.data.bytes) : read
  return error === NO_SUCH_FILE ? null : error
}

/** Gives the signature of a file, by which it is seen whether it was written since; empty where there is none. */
export const signatureOf = async (path: string): Promise<string> => {
  try {
    const { ino, size, mtimeMs } = await stat(path)
    return `${ino} ${size} ${mtimeMs}`
  } catch {
    return ''
  }
}

import { stat } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { BYTE_ORDER_MARK, readText, withoutMark } from '../../text/read.ts'

/** A file as it was read; `text` is without the byte-order mark. */
export type SavedFile = { bytes: Buffer; text: string; mode: number }

const LARGE_BYTES = 500_000

/** Reads a file; null where there is none, or none that can be formatted as text. */
export const readSaved = async (path: string): Promise<SavedFile | null> => {
  const { data } = await readText(path)
  if (data === null) return null
  // Lets the host go on in between: decoding 10 MB takes some 15 ms.
  if (data.bytes.length > LARGE_BYTES) await setImmediate()
  return { ...data, text: withoutMark(data.text) }
}

/** Gives a file with another text: the byte-order mark and the mode stay. */
export const withText = ({ bytes, mode }: SavedFile, text: string): SavedFile => {
  const mark = bytes.toString('utf8', 0, 3) === BYTE_ORDER_MARK ? BYTE_ORDER_MARK : ''
  return { bytes: Buffer.from(mark + text), text, mode }
}

const signatureOf = (path: string): Promise<string> =>
  stat(path).then(({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`, () => '')

/** Gives a function that lists which of some files were written since. */
export const watchFiles = async (paths: Array<string>): Promise<() => Promise<Array<string>>> => {
  const before = await Promise.all(paths.map(signatureOf))
  return async () => {
    const now = await Promise.all(paths.map(signatureOf))
    return paths.filter((_, index) => now[index] !== before[index])
  }
}

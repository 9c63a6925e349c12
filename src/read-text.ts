import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { fail, ok, reasonOf, type Result } from './safe.ts'

/** The size beyond which a file is no instruction file: 10 MB. */
export const MAX_BYTES = 10_000_000

/** Why a folder cannot be read. */
export const IS_FOLDER = 'it is a folder, not a file'

export const BYTE_ORDER_MARK = '\uFEFF'

/** A file as it was read: its real path, its bytes, their text with a byte-order mark if there is one. */
export type ReadText = { realPath: string; bytes: Buffer; text: string }

const CONTINUATION = 0b1000_0000

/** How many bytes the UTF-8 sequence that starts at `offset` has; 0 where there is no valid one. */
const sequenceLength = (bytes: Uint8Array, offset: number): number => {
  const lead = bytes[offset] ?? 0
  const second = bytes[offset + 1] ?? 0
  const follows = (amount: number): boolean =>
    Array.from({ length: amount }, (_, index) => bytes[offset + 1 + index] ?? 0)
      .every((byte) => (byte & 0b1100_0000) === CONTINUATION)
  if (lead < 0x80) return 1
  if (lead >= 0xc2 && lead <= 0xdf) return follows(1) ? 2 : 0
  // Overlong forms, surrogates and what lies beyond U+10FFFF are told by the second byte.
  if (lead >= 0xe0 && lead <= 0xef) {
    const narrow = (lead === 0xe0 && second < 0xa0) || (lead === 0xed && second > 0x9f)
    return follows(2) && !narrow ? 3 : 0
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const narrow = (lead === 0xf0 && second < 0x90) || (lead === 0xf4 && second > 0x8f)
    return follows(3) && !narrow ? 4 : 0
  }
  return 0
}

const firstBadByte = (bytes: Uint8Array): number => {
  let offset = 0
  while (offset < bytes.length) {
    const length = sequenceLength(bytes, offset)
    if (length === 0) return offset
    offset += length
  }
  return offset
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of UTF-8 bytes, a byte-order mark included; or the offset of the first byte that is none. */
export const decodeText = (bytes: Uint8Array): Result<string> => {
  try {
    return ok(decoder.decode(bytes))
  } catch {
    return fail(`it is not valid UTF-8: the first bad byte is at offset ${firstBadByte(bytes)}`)
  }
}

/** What a file says, in a form that two readings can be compared by. */
export const fingerprintOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

// A thread hop for each step costs several times what the step costs with files of this size; thousands of them are
// read in one discovery.
const readBounded = (file: number): Result<Buffer> => {
  const stats = fstatSync(file)
  if (stats.isDirectory()) return fail(IS_FOLDER)
  if (!stats.isFile()) return fail('it is a device, a pipe or a socket, not a file')
  if (stats.size > MAX_BYTES) return fail(`it has ${stats.size} bytes; at most ${MAX_BYTES} are read`)
  // A file may grow while it is read, and files such as those in /proc say that they are empty.
  const isSizeKnown = stats.size > 0
  const chunks: Array<Buffer> = []
  let size = 0
  for (;;) {
    const buffer = Buffer.allocUnsafe((isSizeKnown ? stats.size : 4_096) + 1)
    const bytesRead = readSync(file, buffer, 0, buffer.length, null)
    chunks.push(buffer.subarray(0, bytesRead))
    size += bytesRead
    if (size > MAX_BYTES) return fail(`it has more than ${MAX_BYTES} bytes, the most that is read`)
    if (bytesRead === 0 || (isSizeKnown && size === stats.size)) {
      return ok(chunks.length === 1 ? buffer.subarray(0, bytesRead) : Buffer.concat(chunks))
    }
  }
}

/** The real path of an absolute, normalised one; of many files in a folder, the folder's is found once. */
const realPathOf = (path: string, folders: Map<string, string>): string => {
  if (lstatSync(path).isSymbolicLink()) return realpathSync.native(path)
  const folder = dirname(path)
  const realFolder = folders.get(folder) ?? realpathSync.native(folder)
  folders.set(folder, realFolder)
  return join(realFolder, basename(path))
}

/**
 * What `readText` gives, at once: without a hop to another thread and back for each step.
 *
 * @param path absolute and normalised
 * @param folders the real paths of folders, for a run of reads that share it
 */
export const readTextSync = (path: string, folders = new Map<string, string>()): Result<ReadText> => {
  try {
    const realPath = realPathOf(path, folders)
    // Without O_NONBLOCK, opening a pipe waits for its other end.
    const file = openSync(realPath, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const bytes = readBounded(file)
      if (bytes.error !== null) return bytes
      const text = decodeText(bytes.data)
      return text.error === null ? ok({ realPath, bytes: bytes.data, text: text.data }) : text
    } finally {
      closeSync(file)
    }
  } catch (thrown) {
    return fail(reasonOf(thrown))
  }
}

/**
 * Reads a text file by its path, links followed. Whatever cannot be read as text (a folder, a device, bytes that are
 * no UTF-8, more than `MAX_BYTES`) gives the reason; nothing ever hangs.
 */
export const readText = async (path: string): Promise<Result<ReadText>> => readTextSync(resolve(path))

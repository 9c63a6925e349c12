import { createHash } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { lstat, open, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { followLinks } from '../paths/real-path.ts'
import { fail, ok, reasonOf, type Result } from '../safe.ts'

/** The size beyond which a file is no instruction file: 10 MB. */
export const MAX_BYTES = 10_000_000

/** Why a folder cannot be read. */
export const IS_FOLDER = 'it is a folder, not a file'

/** The character that a text may start with to tell its encoding. */
export const BYTE_ORDER_MARK = '\uFEFF'

/** Takes the byte-order mark off a text that starts with one. */
export const withoutMark = (text: string): string =>
  text.startsWith(BYTE_ORDER_MARK) ? text.slice(BYTE_ORDER_MARK.length) : text

/** A file as it was read: its real path, its bytes, and their text, with the byte-order mark if there is one. */
export type ReadText = { realPath: string; bytes: Buffer; text: string }

/** Whether two readings of a file gave the same bytes, or both found it missing, which is null. */
export const isSameText = (one: { bytes: Buffer } | null, other: { bytes: Buffer } | null): boolean =>
  one === null || other === null ? one === other : one.bytes.equals(other.bytes)

const CONTINUATION = 0b1000_0000

/** Gives how many bytes the UTF-8 sequence at `offset` has; 0 where there is no valid one. */
const sequenceLength = (bytes: Uint8Array, offset: number): number => {
  const lead = bytes[offset] ?? 0
  const second = bytes[offset + 1] ?? 0
  const follows = (amount: number): boolean =>
    Array.from({ length: amount }, (_, index) => bytes[offset + 1 + index] ?? 0)
      .every((byte) => (byte & 0b1100_0000) === CONTINUATION)
  if (lead < 0x80) return 1
  if (lead >= 0xc2 && lead <= 0xdf) return follows(1) ? 2 : 0
  // By its second byte a sequence is an overlong form, a surrogate, or beyond U+10FFFF.
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

/** Decodes UTF-8 bytes, a byte-order mark included; the error names the offset of the first bad byte. */
export const decodeText = (bytes: Uint8Array): Result<string> => {
  try {
    return ok(decoder.decode(bytes))
  } catch {
    return fail(`it is not valid UTF-8: the first bad byte is at offset ${firstBadByte(bytes)}`)
  }
}

const SAMPLE_BYTES = 4_096

const isPrinted = (byte: number): boolean => byte >= 0x20 || byte === 0x0a || byte === 0x0d

/**
 * Whether bytes that are valid UTF-8 are really UTF-16 without a mark. There each letter is two bytes, and one of them
 * is no printed character of its own: 0 beside a Latin letter, 4 beside a Cyrillic one, 0x1C in a box's corner. A NUL
 * byte here and there may stand in UTF-8, too.
 */
const isUtf16 = (bytes: Uint8Array): boolean => {
  if (!bytes.includes(0)) return false
  const sample = bytes.subarray(0, SAMPLE_BYTES)
  const isUnit = (one: number, other: number): boolean =>
    one + other > 0 && !(isPrinted(one) && isPrinted(other))
  const units = sample.filter((byte, at) => at % 2 === 1 && isUnit(sample[at - 1] ?? 0, byte)).length
  return units > 0 && units * 2 >= Math.floor(sample.length / 2)
}

/** Gives the SHA-256 of bytes in hexadecimal, by which two readings of a file are compared. */
export const fingerprintOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** How many files are read at once: enough to keep the disk busy, and far fewer than a process may open. */
const READS_AT_ONCE = 128

/**
 * Reads many files, a batch at a time, in their order. By no library: p-map takes half as long again for thousands of
 * small files.
 */
export const readInBatches = async <Item, Read>(
  items: Array<Item>,
  read: (item: Item) => Promise<Read>,
): Promise<Array<Read>> => {
  const all: Array<Read> = []
  for (let at = 0; at < items.length; at += READS_AT_ONCE) {
    all.push(...await Promise.all(items.slice(at, at + READS_AT_ONCE).map(read)))
  }
  return all
}

// Without O_NONBLOCK, to open a pipe would wait for its other end.
const READ_ONLY = constants.O_RDONLY | constants.O_NONBLOCK

const tooLarge = (size: number): string => `it has ${size} bytes; at most ${MAX_BYTES} are read`

/** Reads a file that says it is empty, as those in /proc do, which may never end. */
const readUnsized = async (path: string): Promise<Buffer> => {
  const file = await open(path, READ_ONLY)
  try {
    const chunks: Array<Buffer> = []
    for (let size = 0; size <= MAX_BYTES;) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(65_536), 0, 65_536, null)
      if (bytesRead === 0) break
      chunks.push(buffer.subarray(0, bytesRead))
      size += bytesRead
    }
    return Buffer.concat(chunks)
  } finally {
    await file.close()
  }
}

/** Why what stands under a path is not read, or null. */
const whyUnread = (stats: Stats): string | null => {
  if (stats.isDirectory()) return IS_FOLDER
  if (!stats.isFile()) return 'it is a device, a pipe or a socket, not a file'
  return stats.size > MAX_BYTES ? tooLarge(stats.size) : null
}

/** The real paths of folders, for a run of reads that share it. */
export type RealFolders = Map<string, string>

const realFolderOf = async (folder: string, folders: RealFolders): Promise<string> => {
  const realFolder = await followLinks(folder)
  folders.set(folder, realFolder)
  return realFolder
}

// Thousands of small files are read in one discovery, so that each `await` and each call of the disk counts.
const read = async (path: string, folders: RealFolders): Promise<Result<ReadText>> => {
  const entry = await lstat(path)
  const isLink = entry.isSymbolicLink()
  const folder = dirname(path)
  const realFolder = folders.get(folder) ?? await realFolderOf(folder, folders)
  const realPath = isLink
    ? await followLinks(path)
    : realFolder === folder
    ? path
    : join(realFolder, basename(path))
  const stats = isLink ? await lstat(realPath) : entry
  const reason = whyUnread(stats)
  if (reason !== null) return fail(reason)
  const bytes = stats.size === 0 ? await readUnsized(realPath) : await readFile(realPath, { flag: READ_ONLY })
  // It may have grown since it was looked at.
  if (bytes.length > MAX_BYTES) return fail(tooLarge(bytes.length))
  const text = decodeText(bytes)
  if (text.error !== null) return text
  return isUtf16(bytes)
    ? fail('it is not UTF-8 text: its bytes are those of UTF-16')
    : ok({ realPath, bytes, text: text.data })
}

/**
 * Reads a text file, links followed. What cannot be read as text (a folder, a device, bytes that are no UTF-8, more than
 * `MAX_BYTES`) gives the reason. It never hangs.
 *
 * @param path absolute and normalised
 * @param folders remembers real folders from one read to the next
 */
export const readText = (path: string, folders: RealFolders = new Map()): Promise<Result<ReadText>> =>
  read(path, folders).catch((thrown: unknown) => fail(reasonOf(thrown)))

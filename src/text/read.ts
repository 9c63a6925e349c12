/**
 * A file as text: the one bounded read, hidden characters, names as data, line ends, diffs.
 *
 * Every file of the project or the person is read here: links are followed, only regular files are opened, and size and
 * time are limited.
 */
import { createHash } from 'node:crypto'
import { constants, lstatSync, type Stats } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { followLinks } from '../paths/real-path.ts'
import { fail, ok, type Result, safe, within } from '../safe.ts'

/** The size beyond which a file is no instruction file: 10 MB. */
export const MAX_BYTES = 10_000_000

/** Why a folder cannot be read. */
export const IS_FOLDER = 'it is a folder, not a file'

/** Why something else than a file or a folder cannot be read. */
export const NO_FILE = 'it is a device, a pipe or a socket, not a file'

/** Gives the byte-order mark that a text starts with to show its encoding; empty where it has none. */
export const markOf = (text: string): string => text.startsWith('\uFEFF') ? '\uFEFF' : ''

/** Removes the byte-order mark of a text that starts with one. */
export const withoutMark = (text: string): string => text.slice(markOf(text).length)

/** A file as it was read: its real path, its bytes, and what the disk says of it. */
type ReadBytes = { realPath: string; bytes: Buffer; stats: Stats }

/** A file as it was read, with its text, which includes the byte-order mark if there is one. */
export type ReadText = ReadBytes & { text: string }

/** Whether two readings of a file gave the same bytes, or both found it missing, which is null. */
export const isSameText = (one: { bytes: Buffer } | null, other: { bytes: Buffer } | null): boolean =>
  one === null || other === null ? one === other : one.bytes.equals(other.bytes)

/**
 * Whether a file was left alone since it was read, by what the disk says of it. Nothing else runs meanwhile. The time of
 * its attributes does not count: an index sets one, and an overlay of a container changes it as a file is opened to write.
 */
export const isUntouched = ({ realPath, stats }: ReadBytes): boolean => {
  const now = lstatSync(realPath, { throwIfNoEntry: false })
  return (['ino', 'size', 'mtimeMs'] as const).every((key) => now?.[key] === stats[key])
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

// A line break of UTF-16 without a mark is valid UTF-8. An addition would mix both in one file.
const UTF_16 = /\n\0|\0\n/

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

/** How much is read of a file and for how long; by default `MAX_BYTES` and five seconds. */
type ReadLimits = { maxBytes?: number; maxMs?: number }

const MAX_MS = 5_000

/**
 * Opens a file by its real path. Of what may have replaced it since, a link is not followed, and a pipe is not waited for.
 */
export const openFile = (realPath: string, access: 'read' | 'write'): Promise<FileHandle> => {
  const mode = access === 'read' ? constants.O_RDONLY : constants.O_RDWR
  return open(realPath, mode | constants.O_NONBLOCK | constants.O_NOFOLLOW)
}

const CHUNK_BYTES = 65_536

/** Reads an open file to its end, or until it has given more than `maxBytes`. */
export const readToEnd = async (file: FileHandle, expected: number, maxBytes: number): Promise<Buffer> => {
  let bytes = Buffer.alloc(0)
  // One byte more than expected: that none comes back for it shows the end.
  for (let length = expected + 1; bytes.length <= maxBytes; length = CHUNK_BYTES) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, bytes.length)
    const part = buffer.subarray(0, bytesRead)
    bytes = bytes.length === 0 ? part : Buffer.concat([bytes, part])
    if (bytesRead === 0 || bytes.length === expected) break
  }
  return bytes
}

const readRegularFile = async (path: string, maxBytes: number): Promise<Result<ReadBytes>> => {
  // Before it is opened: opening a device can already do something.
  const [realPath, stats] = await Promise.all([followLinks(path), stat(path)])
  if (stats.isDirectory()) return fail(IS_FOLDER)
  if (!stats.isFile()) return fail(NO_FILE)
  const tooLarge = (size: number) => fail(`it has ${size} bytes; at most ${maxBytes} are read`)
  if (stats.size > maxBytes) return tooLarge(stats.size)
  const file = await openFile(realPath, 'read')
  try {
    const bytes = await readToEnd(file, stats.size, maxBytes)
    return bytes.length > maxBytes
      ? tooLarge(bytes.length)
      : ok({ realPath, bytes, stats })
  } finally {
    await file.close()
  }
}

/**
 * Reads the bytes of a file; gives the reason where it is no regular file, has more than `maxBytes`, or gave no answer
 * within `maxMs`.
 */
export const readBytes = async (
  path: string,
  { maxBytes = MAX_BYTES, maxMs = MAX_MS }: ReadLimits = {},
): Promise<Result<ReadBytes>> => {
  const read = await within(maxMs, readRegularFile(path, maxBytes))
  return read.error === null ? read.data : read
}

/** Reads a file as text, as `readBytes` does; gives the reason, too, where its bytes are no UTF-8. */
export const readText = async (path: string, limits?: ReadLimits): Promise<Result<ReadText>> => {
  const read = await readBytes(path, limits)
  if (read.error !== null) return read
  const { data: text } = safe(() => decoder.decode(read.data.bytes))
  return text === null || UTF_16.test(text) ? fail('it is not valid UTF-8') : ok({ ...read.data, text })
}

/**
 * The folder `text/`: reads files as text, and handles hidden characters, quoted names, line endings and diffs.
 * A project may name any path, even `/dev/zero`, so this module reads only regular files, and limits size and time.
 */
import { createHash } from 'node:crypto'
import { constants, lstatSync, type Stats } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { followLinks } from '../paths/real-path.ts'
import { fail, ok, type Result, safe, withTimeout } from '../safe.ts'

export const MAX_BYTES = 10_000_000

export const IS_FOLDER = 'it is a folder, not a file'
export const NO_FILE = 'it is a device, a pipe or a socket, not a file'

export const bomOf = (text: string): string => text.startsWith('\uFEFF') ? '\uFEFF' : ''

export const withoutBom = (text: string): string => text.slice(bomOf(text).length)

type ReadBytes = { realPath: string; bytes: Buffer; stats: Stats }

/** `text` includes the byte-order mark, if any. */
export type ReadText = ReadBytes & { text: string }

/** Null stands for a missing file. */
export const isSameText = (a: { bytes: Buffer } | null, b: { bytes: Buffer } | null): boolean =>
  a === null || b === null ? a === b : a.bytes.equals(b.bytes)

/** Synchronous, so that no other code runs before the caller goes on. */
export const isUnchangedSince = ({ realPath, stats }: ReadBytes): boolean => {
  const current = lstatSync(realPath, { throwIfNoEntry: false })
  // `ctime` is not compared, because indexers change it, too.
  return (['ino', 'size', 'mtimeMs'] as const).every((key) => current?.[key] === stats[key])
}

export const fingerprintOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

// Enough to keep the disk busy, and far fewer files than a process may open.
const READS_AT_ONCE = 128

/** With p-map, thousands of small files would take 50 % longer. */
export const readInBatches = async <Item, Read>(
  items: Array<Item>,
  read: (item: Item) => Promise<Read>,
): Promise<Array<Read>> => {
  const results: Array<Read> = []
  for (let batchStart = 0; batchStart < items.length; batchStart += READS_AT_ONCE) {
    results.push(...await Promise.all(items.slice(batchStart, batchStart + READS_AT_ONCE).map(read)))
  }
  return results
}

/** Fails if the file has become a link, and does not block if it has become a pipe. */
export const openFile = (realPath: string, access: 'read' | 'write'): Promise<FileHandle> => {
  const mode = access === 'read' ? constants.O_RDONLY : constants.O_RDWR
  return open(realPath, mode | constants.O_NONBLOCK | constants.O_NOFOLLOW)
}

const CHUNK_BYTES = 65_536

/** Reads an open file to its end, or until more than `maxBytes` are read. */
export const readToEnd = async (file: FileHandle, expected: number, maxBytes: number): Promise<Buffer> => {
  let bytes = Buffer.alloc(0)
  // Asks for one byte more than expected. If it does not come, the file has ended.
  let length = expected + 1
  while (bytes.length <= maxBytes) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, bytes.length)
    const chunk = buffer.subarray(0, bytesRead)
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
    if (bytesRead === 0 || bytes.length === expected) break
    length = CHUNK_BYTES
  }
  return bytes
}

const readRegularFile = async (path: string, maxBytes: number): Promise<ReadBytes> => {
  // The kind is checked first, because opening a device can already have an effect.
  const [realPath, stats] = await Promise.all([followLinks(path), stat(path)])
  if (stats.isDirectory()) throw new Error(IS_FOLDER)
  if (!stats.isFile()) throw new Error(NO_FILE)
  const tooLarge = (size: number) => new Error(`it has ${size} bytes; at most ${maxBytes} are read`)
  if (stats.size > maxBytes) throw tooLarge(stats.size)
  const file = await openFile(realPath, 'read')
  try {
    const bytes = await readToEnd(file, stats.size, maxBytes)
    if (bytes.length > maxBytes) throw tooLarge(bytes.length)
    return { realPath, bytes, stats }
  } finally {
    await file.close()
  }
}

type ReadLimits = { maxBytes?: number; maxMs?: number }

/** Fails if the file is missing, not a regular file, or beyond a limit. */
export const readBytes = (
  path: string,
  { maxBytes = MAX_BYTES, maxMs = 5_000 }: ReadLimits = {},
): Promise<Result<ReadBytes>> => withTimeout(maxMs, readRegularFile(path, maxBytes))

// Matches a line break in UTF-16, because ASCII text in UTF-16 is also valid UTF-8.
const UTF_16 = /\n\0|\0\n/
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Fails like `readBytes`, and also if the bytes are not UTF-8 or look like UTF-16. */
export const readText = async (path: string, limits?: ReadLimits): Promise<Result<ReadText>> => {
  const read = await readBytes(path, limits)
  if (read.error !== null) return read
  const { data: text } = safe(() => decoder.decode(read.data.bytes))
  return text === null || UTF_16.test(text) ? fail('it is not valid UTF-8') : ok({ ...read.data, text })
}

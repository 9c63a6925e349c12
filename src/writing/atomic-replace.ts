import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { renameSync, type Stats } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { isThere } from '../paths/real-path.ts'
import { stateFolder } from '../paths/user-folders.ts'
import { MAX_BYTES, NO_FILE, openFile, readToEnd } from '../text/read.ts'
import { retryWhileHeld } from './retry-while-held.ts'

// The libraries for this, atomically and write-file-atomic, take a short write for a whole one. Measured on a full
// tmpfs, in Node and in Bun: 545 KB of 900 KB are renamed over the file, and no error is given.

// Node has no call for ACLs and extended attributes. GNU's cp copies them without the text, that of macOS with it.
const COPY = process.platform === 'darwin' ? ['-p'] : ['--attributes-only', '--preserve=all']

/** Gives the file at `to` the owner, mode, ACL and extended attributes of the one at `from`. */
const copyAttributes = async (from: string, to: string): Promise<void> => {
  try {
    await promisify(execFile)('cp', [...COPY, '--', from, to])
  } catch (cause) {
    // BusyBox's cp cannot, and Windows has none.
    throw Object.assign(new Error('its attributes cannot be copied', { cause }), { code: 'EPERM' })
  }
}

/** Makes bytes the whole content of an open file. It is shortened last, so that an addition loses nothing. */
const writeInto = async (file: FileHandle, bytes: Uint8Array): Promise<void> => {
  for (let at = 0; at < bytes.length;) {
    at += (await file.write(bytes, at, bytes.length - at, at)).bytesWritten
  }
  await file.truncate(bytes.length)
  await file.sync()
  const { size } = await file.stat()
  if (size !== bytes.length) throw new Error(`only ${size} of ${bytes.length} bytes could be written`)
}

const STALE_AFTER_MS = 60_000

// A name that no person's file has.
const TEMPORARY = /^\.opencode-sat-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/

/** Removes the temporary files that a killed process left in a folder: no write takes a minute. */
const sweep = async (folder: string): Promise<void> => {
  for (const name of (await readdir(folder)).filter((name) => TEMPORARY.test(name))) {
    const path = join(folder, name)
    if (Date.now() - (await stat(path)).mtimeMs > STALE_AFTER_MS) await rm(path, { force: true })
  }
}

/** What replaces what: `old` is the existing file, or null; without a `mode` a new file gets the usual one. */
type Replacement = {
  path: string
  bytes: Uint8Array
  old: Stats | null
  mode: number | undefined
  mayReplace: () => Promise<boolean>
}

/** Writes the new file under another name in `folder`, then renames it; gives false where it may not be replaced. */
const replaceFrom = async (
  folder: string,
  { path, bytes, old, mode, mayReplace }: Replacement,
): Promise<boolean> => {
  await sweep(folder).catch(() => {})
  const temporary = join(folder, `.opencode-sat-${randomUUID()}.tmp`)
  try {
    // Without the attributes of the old file, nobody else may read the new one.
    const file = await open(temporary, 'wx', old === null ? 0o666 : 0o600)
    try {
      if (old !== null) await copyAttributes(path, temporary)
      const made = await file.stat()
      if (old !== null && (made.uid !== old.uid || made.gid !== old.gid)) await file.chown(old.uid, old.gid)
      await writeInto(file, bytes)
      if (mode !== undefined) await file.chmod(mode & 0o7777)
    } finally {
      await file.close()
    }
    return await retryWhileHeld(async () => {
      // The person may have saved the file while the bytes were written.
      if (!(await mayReplace())) return false
      // At once: a wait would leave others the time to save the file once more.
      renameSync(temporary, path)
      return true
    })
  } finally {
    await retryWhileHeld(() => rm(temporary, { force: true })).catch(() => {})
  }
}

/** Writes into the regular file at a real path; if that fails, its old bytes are written back. */
export const writeInPlace = async (
  { path, bytes, mayReplace }: Pick<Replacement, 'path' | 'bytes' | 'mayReplace'>,
): Promise<boolean> => {
  const file = await openFile(path, 'write')
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new Error(NO_FILE)
    const old = await readToEnd(file, stats.size, MAX_BYTES)
    if (!(await mayReplace())) return false
    await writeInto(file, bytes).catch(async (thrown: unknown) => {
      if (old.length <= MAX_BYTES) await writeInto(file, old)
      throw thrown
    })
    return true
  } finally {
    await file.close()
  }
}

/** Why a file is left to the person, or null. */
export const whyIrreplaceable = async (realPath: string): Promise<string | null> => {
  const { mode, nlink } = await stat(realPath)
  // A rename needs no permission for the file itself, so the system would allow it.
  if ((mode & 0o222) === 0) return 'it is marked read-only'
  return nlink > 1
    ? `it has ${nlink} hard links; writing it safely would part them, so a person has to do it`
    : null
}

// The folder is not writable or not there, the file belongs to somebody else, is a mount point, or lies on another mount.
const REFUSAL = /^E(?:ACCES|BUSY|NOENT|NOTDIR|PERM|ROFS|XDEV)$/

/** How a file is replaced. */
export type ReplaceOptions = {
  /** SAT's own folder for the new file in the making; where it is on another disk, the file's folder serves. */
  scratch?: string
  /** The mode of a new file. */
  mode?: number
  /** Is called right before the file is replaced; where it gives false, the file stays. By default only a new one is made. */
  mayReplace?: () => Promise<boolean>
  /** Is called before the file is written in place. */
  backUpFirst?: () => Promise<unknown>
}

/**
 * Replaces the bytes of a regular file, or makes it and the folders above it: whatever happens in between, it has all its
 * old bytes or all its new ones. Mode, owner, ACL and extended attributes stay. Where no new file may take its place, it
 * is written in place: a process that is killed at that moment leaves it half written, and the backup is whole.
 *
 * A new file is made by a rename, too: not every file system has links, and a process that is killed while there are two
 * leaves a file that is refused for its hard links.
 *
 * @param path the real path
 * @returns whether the file was replaced
 * @throws the disk's error; the file then has its old bytes
 */
export const replaceFile = async (
  path: string,
  bytes: Uint8Array,
  {
    scratch = join(stateFolder(), 'tmp'),
    mode,
    mayReplace = async () => !(await isThere(path)),
    backUpFirst,
  }: ReplaceOptions = {},
): Promise<boolean> => {
  const old = await stat(path).catch(() => null)
  const replacement = { path, bytes, old, mode: old?.mode ?? mode, mayReplace }
  await mkdir(scratch, { recursive: true, mode: 0o700 }).catch(() => {})
  if (old === null) await mkdir(dirname(path), { recursive: true })
  let refusal: unknown
  for (const folder of [scratch, dirname(path)]) {
    try {
      return await replaceFrom(folder, replacement)
    } catch (thrown) {
      // SAT's own folder may be on a disk that is full, or has no room for attributes.
      if (folder !== scratch && !REFUSAL.test(String(Object(thrown).code))) throw thrown
      refusal = thrown
    }
  }
  if (old === null) throw refusal
  await backUpFirst?.()
  return writeInPlace(replacement)
}

/** Replaces a file as a whole, so that a crash leaves its old bytes or its new ones. */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { renameSync, type Stats } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { pathExists } from '../paths/real-path.ts'
import { stateFolder } from '../paths/user-folders.ts'
import { MAX_BYTES, NO_FILE, openFile, readToEnd } from '../text/read.ts'
import { retryWhileHeld } from './retry-while-held.ts'

// Not with atomically or write-file-atomic: they accept a short write. Measured on a full tmpfs, in Node and in Bun,
// they rename 545 of 900 KB over the file without an error.

// Node cannot copy ACLs and extended attributes. With these options cp copies them: GNU's without the content, that of
// macOS with it.
const COPY = process.platform === 'darwin' ? ['-p'] : ['--attributes-only', '--preserve=all']

/** Copies owner, mode, ACL and extended attributes from one file to another. */
const copyAttributes = async (from: string, to: string): Promise<void> => {
  try {
    await promisify(execFile)('cp', [...COPY, '--', from, to])
  } catch (cause) {
    // BusyBox's cp lacks the options, and Windows has no cp.
    throw Object.assign(new Error('its attributes cannot be copied', { cause }), { code: 'EPERM' })
  }
}

/** Replaces the content of an open file. Truncates last, so that an addition loses nothing. */
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

// A name that no file of a person has.
const TEMPORARY = /^\.opencode-sat-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/

/** Removes the temporary files that a killed process left in a folder. No write takes a minute. */
const removeStaleFiles = async (folder: string): Promise<void> => {
  for (const name of (await readdir(folder)).filter((name) => TEMPORARY.test(name))) {
    const path = join(folder, name)
    if (Date.now() - (await stat(path)).mtimeMs > STALE_AFTER_MS) await rm(path, { force: true })
  }
}

/**
 * A file and its new bytes. `old` is the status of the existing file, or null; without a `mode`, a new file gets the
 * default.
 */
type Replacement = {
  path: string
  bytes: Uint8Array
  old: Stats | null
  mode: number | undefined
  mayReplace: () => Promise<boolean>
}

/** Writes a temporary file in `folder` and renames it; returns false if the file may not be replaced. */
const replaceVia = async (
  folder: string,
  { path, bytes, old, mode, mayReplace }: Replacement,
): Promise<boolean> => {
  await removeStaleFiles(folder).catch(() => {})
  const temporary = join(folder, `.opencode-sat-${randomUUID()}.tmp`)
  try {
    // Until it has the attributes of the old file, nobody else may read the new one.
    const file = await open(temporary, 'wx', old === null ? 0o666 : 0o600)
    try {
      if (old !== null) await copyAttributes(path, temporary)
      const created = await file.stat()
      const hasOwner = old === null || created.uid === old.uid && created.gid === old.gid
      if (!hasOwner) await file.chown(old.uid, old.gid)
      await writeInto(file, bytes)
      if (mode !== undefined) await file.chmod(mode & 0o7777)
    } finally {
      await file.close()
    }
    return await retryWhileHeld(async () => {
      // The person may have saved the file while the bytes were written.
      if (!(await mayReplace())) return false
      // Synchronous: in between, the file could be saved once more.
      renameSync(temporary, path)
      return true
    })
  } finally {
    await retryWhileHeld(() => rm(temporary, { force: true })).catch(() => {})
  }
}

/** Writes into the regular file at a real path; if that fails, restores its old bytes. */
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

/** Says why SAT does not write a file itself; null if it does. */
export const whyIrreplaceable = async (realPath: string): Promise<string | null> => {
  const { mode, nlink } = await stat(realPath)
  // A rename needs no permission for the file itself, so the system would allow it.
  if ((mode & 0o222) === 0) return 'it is marked read-only'
  return nlink > 1
    ? `it has ${nlink} hard links; writing it safely would separate them, so a person has to do it`
    : null
}

// The folder is missing or not writable, or the file belongs to another user, is a mount point, or is on another mount.
const REFUSAL = /^E(?:ACCES|BUSY|NOENT|NOTDIR|PERM|ROFS|XDEV)$/

/** Options of a replacement. */
type ReplaceOptions = {
  /** SAT's folder for temporary files. If it is on another disk, the file's own folder is used. */
  scratch?: string
  /** The mode of a new file. */
  mode?: number
  /** Called right before the file is replaced; `false` leaves it. By default, only a missing file is created. */
  mayReplace?: () => Promise<boolean>
  /** Called before the file is written in place. */
  backUpFirst?: () => Promise<unknown>
}

/**
 * Replaces the bytes of a regular file, or creates it and its parent folders. At any moment the file has all its old
 * bytes or all its new ones. Mode, owner, ACL and extended attributes stay.
 *
 * If a new file cannot be renamed over it, the file is written in place: a process that is killed meanwhile leaves it
 * half written, and the backup complete. A new file is renamed too, not linked: some file systems have no links, and a
 * process killed between link and unlink would leave a file with two hard links, which is refused.
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
    mayReplace = async () => !(await pathExists(path)),
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
      return await replaceVia(folder, replacement)
    } catch (thrown) {
      // SAT's folder may be on a full disk, or on one without extended attributes.
      if (folder !== scratch && !REFUSAL.test(String(Object(thrown).code))) throw thrown
      refusal = thrown
    }
  }
  if (old === null) throw refusal
  await backUpFirst?.()
  return writeInPlace(replacement)
}

/** Replaces the bytes of a file. Where possible, a crash leaves all old bytes or all new bytes. */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { renameSync, type Stats } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { pathExists } from '../paths/real-path.ts'
import { stateFolder } from '../paths/user-folders.ts'
import { MAX_BYTES, NO_FILE, openFile, readToEnd } from '../text/read.ts'
import { retryWhileInUse } from './retry-while-in-use.ts'

// The packages `atomically` and `write-file-atomic` are unsafe: on a full tmpfs, they put a truncated file in place.

// Only `cp` can copy ACLs and extended attributes. On macOS, it also copies the content, which is overwritten later.
const COPY_OPTIONS = process.platform === 'darwin' ? ['-p'] : ['--attributes-only', '--preserve=all']

const copyAttributes = async (from: string, to: string): Promise<void> => {
  try {
    await promisify(execFile)('cp', [...COPY_OPTIONS, '--', from, to])
  } catch (cause) {
    // BusyBox's cp lacks the options, and Windows has no cp. After EPERM, `replaceFile` writes in place.
    throw Object.assign(new Error('its attributes cannot be copied', { cause }), { code: 'EPERM' })
  }
}

const writeInto = async (file: FileHandle, bytes: Uint8Array): Promise<void> => {
  for (let offset = 0; offset < bytes.length;) {
    offset += (await file.write(bytes, offset, bytes.length - offset, offset)).bytesWritten
  }
  // Truncates last. So if `bytes` begin with the old text, a full disk cannot destroy that text.
  await file.truncate(bytes.length)
  await file.sync()
  const { size } = await file.stat()
  if (size !== bytes.length) throw new Error(`only ${size} of ${bytes.length} bytes could be written`)
}

// No write takes a minute. If a temporary file is older, the process that wrote it was killed.
const STALE_AFTER_MS = 60_000

// No file of a person has a name of this form.
const TEMPORARY_NAME = /^\.opencode-sat-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/

const removeStaleFiles = async (folder: string): Promise<void> => {
  for (const name of (await readdir(folder)).filter((name) => TEMPORARY_NAME.test(name))) {
    const path = join(folder, name)
    if (Date.now() - (await stat(path)).mtimeMs > STALE_AFTER_MS) await rm(path, { force: true })
  }
}

type Replacement = {
  path: string
  bytes: Uint8Array
  /** Null if the file is new. */
  oldStats: Stats | null
  /** The mode of the old file. For a new file, the `mode` of the `ReplaceOptions`. */
  mode: number | undefined
  mayReplace: () => Promise<boolean>
}

/** Writes a temporary file in `folder`, and renames it to `path`. Returns false if `mayReplace` does. */
const renameOver = async (
  folder: string,
  { path, bytes, oldStats, mode, mayReplace }: Replacement,
): Promise<boolean> => {
  await removeStaleFiles(folder).catch(() => {})
  const temporaryPath = join(folder, `.opencode-sat-${randomUUID()}.tmp`)
  try {
    // Until the new file has the attributes of the old file, nobody else may read it.
    const file = await open(temporaryPath, 'wx', oldStats === null ? mode ?? 0o666 : 0o600)
    try {
      if (oldStats !== null) {
        await copyAttributes(path, temporaryPath)
        const { uid, gid } = await file.stat()
        const hasSameOwner = uid === oldStats.uid && gid === oldStats.gid
        if (!hasSameOwner) await file.chown(oldStats.uid, oldStats.gid)
      }
      await writeInto(file, bytes)
      if (mode !== undefined) await file.chmod(mode & 0o7777)
    } finally {
      await file.close()
    }
    return await retryWhileInUse(async () => {
      if (!(await mayReplace())) return false
      // Synchronous, so that the person can hardly save the file between the check and the rename. For a new file, a
      // hard link would be safer, but some file systems have none, and after a crash, the file could have two names.
      renameSync(temporaryPath, path)
      return true
    })
  } finally {
    await retryWhileInUse(() => rm(temporaryPath, { force: true })).catch(() => {})
  }
}

/** Overwrites a regular file. Returns false if `mayReplace` does. If a write fails, tries to restore the old bytes. */
export const writeInPlace = async (
  { path, bytes, mayReplace }: Pick<Replacement, 'path' | 'bytes' | 'mayReplace'>,
): Promise<boolean> => {
  const file = await openFile(path, 'write')
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new Error(NO_FILE)
    const oldBytes = await readToEnd(file, stats.size, MAX_BYTES)
    const hasAllOldBytes = oldBytes.length <= MAX_BYTES
    if (!(await mayReplace())) return false
    await writeInto(file, bytes).catch(async (thrown: unknown) => {
      if (hasAllOldBytes) await writeInto(file, oldBytes)
      throw thrown
    })
    return true
  } finally {
    await file.close()
  }
}

/** Returns why SAT must not replace a file; null if it may. */
export const whyNotReplaceable = async (realPath: string): Promise<string | null> => {
  const { mode, nlink } = await stat(realPath)
  // Checked here, because the system would not refuse: a rename needs no permission for the replaced file.
  if ((mode & 0o222) === 0) return 'it is marked read-only'
  return nlink > 1
    ? `it has ${nlink} hard links; writing it safely would separate them, so a person has to do it`
    : null
}

// No file can be renamed over a mount point or another user's file, nor in a read-only folder.
const CANNOT_RENAME = /^E(?:ACCES|BUSY|NOENT|NOTDIR|PERM|ROFS|XDEV)$/

type ReplaceOptions = {
  /** The folder for the temporary file. If the file cannot be renamed from there, the target's folder is used. */
  scratch?: string
  /** The mode of a new file. */
  mode?: number
  /** Called right before the write. If false, nothing is written. By default, only a missing file may be written. */
  mayReplace?: () => Promise<boolean>
  /** Called before the file is overwritten in place. */
  backUpFirst?: () => Promise<unknown>
}

/**
 * Replaces the bytes of the regular file at a real path, or creates the file and its parent folders. Renames a
 * temporary file over it or, if that is impossible, overwrites it in place. Keeps mode, owner, ACL and extended
 * attributes. Returns false if `mayReplace` does.
 *
 * @throws the disk's error. The file has its old bytes, unless it was overwritten in place and restoring them failed.
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
  const oldStats = await stat(path).catch(() => null)
  const replacement = { path, bytes, oldStats, mode: oldStats?.mode ?? mode, mayReplace }
  await mkdir(scratch, { recursive: true, mode: 0o700 }).catch(() => {})
  if (oldStats === null) await mkdir(dirname(path), { recursive: true })
  try {
    // After any error, tries the target's folder: the disk of `scratch` may be full, or may not support attributes.
    return await renameOver(scratch, replacement).catch(() => renameOver(dirname(path), replacement))
  } catch (thrown) {
    if (oldStats === null || !CANNOT_RENAME.test(String(Object(thrown).code))) throw thrown
  }
  // If the process is killed in `writeInPlace`, the file is half written. So each write needs a backup here.
  await backUpFirst?.()
  return writeInPlace(replacement)
}

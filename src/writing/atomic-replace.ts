/** Replaces the bytes of a file so that, where possible, a crash leaves all old bytes or all new bytes. */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { renameSync, type Stats } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { pathExists } from '../paths/real-path.ts'
import { stateFolder } from '../paths/user-folders.ts'
import { MAX_BYTES, NO_FILE, openFile, readToEnd } from '../text/read.ts'
import { retryWhileInUse } from './retry-while-in-use.ts'

// Uses neither `atomically` nor `write-file-atomic`, because on a full tmpfs both put a truncated file in place.

// Only `cp` can copy ACLs and extended attributes. On macOS, it also copies the content, so write the bytes afterwards.
const COPY_OPTIONS = process.platform === 'darwin' ? ['-p'] : ['--attributes-only', '--preserve=all']

const copyAttributes = async (from: string, to: string): Promise<void> => {
  try {
    await promisify(execFile)('cp', [...COPY_OPTIONS, '--', from, to])
  } catch (cause) {
    // BusyBox's `cp` lacks the options, and Windows has no `cp`. After EPERM, `replaceFile` writes in place.
    throw Object.assign(new Error('its attributes cannot be copied', { cause }), { code: 'EPERM' })
  }
}

const writeInto = async (file: FileHandle, bytes: Uint8Array): Promise<void> => {
  for (let offset = 0; offset < bytes.length;) {
    offset += (await file.write(bytes, offset, bytes.length - offset, offset)).bytesWritten
  }
  // Truncates last, because a write may fail on a full disk. If a text grows at its end, its old part then stays.
  await file.truncate(bytes.length)
  await file.sync()
  const { size } = await file.stat()
  if (size !== bytes.length) throw new Error(`only ${size} of ${bytes.length} bytes could be written`)
}

// No write takes a minute.
const STALE_AFTER_MS = 60_000

const TEMPORARY_NAME = /^\.opencode-sat-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/

const removeStaleFiles = async (folder: string): Promise<void> => {
  for (const name of (await readdir(folder)).filter((name) => TEMPORARY_NAME.test(name))) {
    const path = join(folder, name)
    const stats = await lstat(path).catch(() => undefined)
    if (stats && Date.now() - stats.mtimeMs > STALE_AFTER_MS) await rm(path, { force: true })
  }
}

type Replacement = {
  path: string
  bytes: Uint8Array
  /** Null if the file is new. */
  oldStats: Stats | null
  mode: number
  mayReplace: () => Promise<boolean>
}

const renameOver = async (folder: string, { path, bytes, oldStats, mode, mayReplace }: Replacement) => {
  await removeStaleFiles(folder).catch(() => {})
  const temporaryPath = join(folder, `.opencode-sat-${randomUUID()}.tmp`)
  try {
    // Until the new file has its mode and the attributes of the old file, nobody else may read it.
    const file = await open(temporaryPath, 'wx', 0o600)
    try {
      if (oldStats !== null) {
        await copyAttributes(path, temporaryPath)
        const { uid, gid } = await file.stat()
        const hasSameOwner = uid === oldStats.uid && gid === oldStats.gid
        if (!hasSameOwner) await file.chown(oldStats.uid, oldStats.gid)
      }
      await writeInto(file, bytes)
      await file.chmod(mode & 0o7777)
    } finally {
      await file.close()
    }
    return await retryWhileInUse(async () => {
      if (!(await mayReplace())) return false
      // Synchronous, so that the person can hardly save the file between the check and the rename.
      renameSync(temporaryPath, path)
      return true
    })
  } finally {
    await retryWhileInUse(() => rm(temporaryPath, { force: true })).catch(() => {})
  }
}

/** Returns false if `mayReplace` returns false, and throws if the write fails. */
export const writeInPlace = async (
  { path, bytes, mayReplace }: Pick<Replacement, 'path' | 'bytes' | 'mayReplace'>,
): Promise<boolean> => {
  const file = await openFile(path, 'write')
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new Error(NO_FILE)
    const oldBytes = await readToEnd(file, stats.size, MAX_BYTES)
    if (!(await mayReplace())) return false
    await writeInto(file, bytes).catch(async (thrown: unknown) => {
      if (oldBytes.length <= MAX_BYTES) await writeInto(file, oldBytes)
      throw thrown
    })
    return true
  } finally {
    await file.close()
  }
}

export const whyNotReplaceable = async (realPath: string): Promise<string | null> => {
  const { mode, nlink } = await stat(realPath)
  // The system would not refuse, because a rename needs no permission for the replaced file.
  if ((mode & 0o222) === 0) return 'it is marked read-only'
  return nlink > 1
    ? `it has ${nlink} hard links; writing it safely would separate them, so a person has to do it`
    : null
}

// For example, no file can be renamed over a mount point or in a read-only folder.
const CANNOT_RENAME = /^E(?:ACCES|BUSY|NOENT|NOTDIR|PERM|ROFS|XDEV)$/

type ReplaceOptions = {
  /** The preferred folder for the temporary file. */
  scratch?: string
  /** The mode of a new file. By default, only its owner may read it, because a restored file may be private. */
  mode?: number
  /** Called right before the write. */
  mayReplace?: () => Promise<boolean>
  /** Called before the file is overwritten in place. */
  backUpFirst?: () => Promise<unknown>
}

/** Replaces or creates the file at a real path. Returns false if `mayReplace` returns false. Throws disk errors. */
export const replaceFile = async (
  path: string,
  bytes: Uint8Array,
  {
    scratch = join(stateFolder(), 'tmp'),
    mode = 0o600,
    mayReplace = async () => !(await pathExists(path)),
    backUpFirst,
  }: ReplaceOptions = {},
): Promise<boolean> => {
  const oldStats = await stat(path).catch(() => null)
  const replacement = { path, bytes, oldStats, mode: oldStats?.mode ?? mode, mayReplace }
  await mkdir(scratch, { recursive: true, mode: 0o700 }).catch(() => {})
  if (oldStats === null) await mkdir(dirname(path), { recursive: true })
  try {
    // The disk of `scratch` may be full, or may not support attributes.
    return await renameOver(scratch, replacement).catch(() => renameOver(dirname(path), replacement))
  } catch (thrown) {
    if (oldStats === null || !CANNOT_RENAME.test(String(Object(thrown).code))) throw thrown
  }
  // Backs up first, because a process that is killed in `writeInPlace` leaves half a file.
  await backUpFirst?.()
  return writeInPlace(replacement)
}

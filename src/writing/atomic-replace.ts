import { randomUUID } from 'node:crypto'
import { type FileHandle, link, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { canCopyAttributes, copyAttributes } from './attributes.ts'

// The libraries for this, atomically and write-file-atomic, take a short write for a whole one. Measured on a full
// tmpfs, in Node and in Bun: 545 KB of 900 KB are renamed over the file, and no error is given.

const STALE_AFTER_MS = 60 * 60 * 1000

// The end of the names that `replaceBeside` gives, a random UUID: no file of a person's has such a name.
const LEFTOVER_END = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/

/** Removes the files with such a name that a killed process left in a folder; fresh ones may be another process's. */
const sweep = async (folder: string, isOurs: (name: string) => boolean = () => true): Promise<void> => {
  for (const name of (await readdir(folder)).filter(isOurs)) {
    const path = join(folder, name)
    const { mtimeMs } = await stat(path)
    if (Date.now() - mtimeMs > STALE_AFTER_MS) await rm(path, { force: true })
  }
}

const prepareScratch = async (scratch: string): Promise<string | null> => {
  try {
    await mkdir(scratch, { recursive: true, mode: 0o700 })
    await sweep(scratch).catch(() => {})
    return scratch
  } catch {
    return null
  }
}

type Replacement = {
  path: string
  bytes: Uint8Array
  owner: { mode: number; uid: number; gid: number }
  mayReplace: () => Promise<boolean>
}

/** Makes bytes the whole content of an open file. */
const writeInto = async (file: FileHandle, bytes: Uint8Array): Promise<void> => {
  await file.truncate(bytes.length)
  for (let at = 0; at < bytes.length;) {
    at += (await file.write(bytes, at, bytes.length - at, at)).bytesWritten
  }
  await file.sync()
  const { size } = await file.stat()
  if (size !== bytes.length) throw new Error(`only ${size} of ${bytes.length} bytes could be written`)
}

/** Makes a file that has the bytes, and the owner, mode, ACL and extended attributes of the one at `path`. */
const writeWhole = async (temporary: string, { path, bytes, owner }: Replacement): Promise<void> => {
  await copyAttributes(path, temporary)
  const file = await open(temporary, 'r+')
  try {
    const made = await file.stat()
    if (made.uid !== owner.uid || made.gid !== owner.gid) await file.chown(owner.uid, owner.gid)
    await writeInto(file, bytes)
    await file.chmod(owner.mode & 0o7777)
  } finally {
    await file.close()
  }
}

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

const replaceThrough = async (temporary: string, replacement: Replacement): Promise<boolean> => {
  const { path, mayReplace } = replacement
  try {
    await writeWhole(temporary, replacement)
    // While the bytes were put on the disk the person may have saved the file.
    if (await mayReplace()) {
      await rename(temporary, path)
      return true
    }
  } catch (thrown) {
    await rm(temporary, { force: true })
    throw thrown
  }
  await rm(temporary, { force: true })
  return false
}

const isOtherDisk = (thrown: unknown): boolean =>
  thrown instanceof Error && 'code' in thrown && thrown.code === 'EXDEV'

const temporaryPrefix = (path: string): string => `.${basename(path).slice(0, 60)}.`

const replaceBeside = async (replacement: Replacement): Promise<boolean> => {
  const folder = dirname(replacement.path)
  const prefix = temporaryPrefix(replacement.path)
  const isLeftover = (name: string) => name.startsWith(prefix) && LEFTOVER_END.test(name.slice(prefix.length))
  await sweep(folder, isLeftover).catch(() => {})
  return replaceThrough(join(folder, `${prefix}${randomUUID()}.tmp`), replacement)
}

const replaceWhere = async (scratch: string, replacement: Replacement, dev: number): Promise<boolean> => {
  const folder = await prepareScratch(scratch)
  if (folder === null || (await stat(folder)).dev !== dev) return replaceBeside(replacement)
  try {
    return await replaceThrough(join(folder, randomUUID()), replacement)
  } catch (thrown) {
    if (!isOtherDisk(thrown)) throw thrown
    return replaceBeside(replacement)
  }
}

/**
 * Writes into a file itself, for systems that cannot give a new file its ACL and extended attributes. A process that is
 * killed meanwhile leaves the file half written; the backup has what it said.
 */
const replaceInPlace = async ({ path, bytes, mayReplace }: Replacement): Promise<boolean> => {
  const old = await readFile(path)
  const file = await open(path, 'r+')
  try {
    if (!(await mayReplace())) return false
    await writeInto(file, bytes).catch(async (thrown: unknown) => {
      await writeInto(file, old)
      throw thrown
    })
    return true
  } finally {
    await file.close()
  }
}

/** Why a file cannot be replaced by a new one that takes its name, or null. */
export const whyIrreplaceable = async (realPath: string): Promise<string | null> => {
  const { mode, nlink } = await stat(realPath)
  // A rename needs no right to the file itself, so the system would let it through.
  if ((mode & 0o222) === 0) return 'it is marked read-only'
  return nlink > 1
    ? `it has ${nlink} hard links; writing it safely would part them, so a person has to do it`
    : null
}

/**
 * Replaces the bytes of an existing regular file: whatever happens in between, it has all its old bytes or all its new
 * ones. Mode, owner, ACL and extended attributes stay. The new file is made in `scratch` where that is on the same
 * disk, so that even a killed process leaves nothing beside the file.
 *
 * @param path the real path
 * @param scratch a folder of SAT's own; it is made if it is missing
 * @param mayReplace is called right before the file is replaced; where it gives false, the file stays
 * @returns whether the file was replaced
 * @throws the disk's error; the file is then untouched
 */
export const replaceFile = async (
  path: string,
  bytes: Uint8Array,
  { scratch, mayReplace }: { scratch: string; mayReplace: () => Promise<boolean> },
): Promise<boolean> => {
  const { mode, uid, gid, dev } = await stat(path)
  const replacement = { path, bytes, owner: { mode, uid, gid }, mayReplace }
  if (!(await canCopyAttributes())) return replaceInPlace(replacement)
  const isReplaced = await replaceWhere(scratch, replacement, dev)
  // The rename is done; this keeps it through a power cut, where the system can sync a folder.
  if (isReplaced) await syncFolder(dirname(path)).catch(() => {})
  return isReplaced
}

/**
 * Makes a file that is not there, and the folders above it: whole or not at all.
 *
 * @returns whether it was made: false where something stands there already
 * @throws the disk's error
 */
export const createFile = async (path: string, bytes: Uint8Array, mode = 0o666): Promise<boolean> => {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true })
  const temporary = join(folder, `${temporaryPrefix(path)}${randomUUID()}.tmp`)
  try {
    const file = await open(temporary, 'wx', mode)
    await writeInto(file, bytes).finally(() => file.close())
    await link(temporary, path)
    return true
  } catch (thrown) {
    if (Object(thrown).code === 'EEXIST') return false
    throw thrown
  } finally {
    await rm(temporary, { force: true })
  }
}

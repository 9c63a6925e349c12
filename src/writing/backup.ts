import { mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fingerprintOf } from '../text/read.ts'

/** How many backups of one file are kept. */
export const BACKUPS_KEPT = 20

/** Cuts a text to its last `limit` bytes, no character in two. */
const endOf = (text: string, limit: number): string => {
  const characters = [...text]
  while (Buffer.byteLength(characters.join('')) > limit) characters.shift()
  return characters.join('')
}

/** The file in a backup folder that says whose backups these are: the real path of the file. */
export const ORIGIN = 'path'

// A folder's name is this much of a path, a dash and 48 bits of the path's fingerprint. With the number and the time
// before it a backup's name has less than the 255 bytes of a disk, too.
const FOLDER_NAME_BYTES = 150
const PATH_DIGITS = 12
const NAME_BYTES = 120

/**
 * Gives the folder with the backups of one file. Its name is the file's path with dashes, for a person to read, and the
 * path's fingerprint, since `a/b` and `a-b` would have the same name: `home-me-shop-AGENTS.md-0f3c…`.
 */
export const backupFolder = (state: string, realPath: string): string => {
  const name = endOf(realPath.replace(/[/\\:]+/g, '-').replace(/^-/, ''), FOLDER_NAME_BYTES)
  return join(state, 'backups', `${name}-${fingerprintOf(Buffer.from(realPath)).slice(0, PATH_DIGITS)}`)
}

const sequenceOf = (path: string): number => Number.parseInt(basename(path), 10)

/** Lists the paths of the backups of one file, the oldest first: by their number, since a clock may be set back. */
export const listBackups = async (state: string, realPath: string): Promise<Array<string>> => {
  const folder = backupFolder(state, realPath)
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => /^\d+-/.test(name))
    .sort((one, other) => sequenceOf(one) - sequenceOf(other) || (one < other ? -1 : 1))
    .map((name) => join(folder, name))
}

const writeNew = async (path: string, bytes: Uint8Array): Promise<void> => {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } catch (thrown) {
    await rm(path, { force: true })
    throw thrown
  } finally {
    await file.close()
  }
}

const hasBytes = async (path: string, bytes: Uint8Array): Promise<boolean> =>
  (await readFile(path).catch(() => null))?.equals(bytes) ?? false

/**
 * Removes backups until there is room for one with these bytes. First goes what is needed least: the oldest that says
 * the same as a later one, or else the oldest.
 */
const makeRoom = async (backups: Array<string>, bytes: Uint8Array): Promise<void> => {
  if (backups.length < BACKUPS_KEPT) return
  const paths = [...backups]
  const prints = await Promise.all(paths.map((path) => readFile(path).then(fingerprintOf, () => '')))
  prints.push(fingerprintOf(bytes))
  while (paths.length >= BACKUPS_KEPT) {
    const repeated = prints.findIndex((print, index) => prints.includes(print, index + 1))
    const [path = ''] = paths.splice(Math.max(0, repeated), 1)
    prints.splice(Math.max(0, repeated), 1)
    await rm(path, { force: true }).catch(() => {})
  }
}

/**
 * Keeps a copy of what a file says now, and removes the copies that are needed least so that there are `BACKUPS_KEPT`.
 * A text that the newest copy has already is not kept again. So neither the same rewrite made many times nor one that
 * is made and taken back in turns pushes the original out.
 *
 * @returns the path of the copy
 * @throws the disk's error where the copy could not be written whole
 */
export const backUp = async (
  state: string,
  realPath: string,
  bytes: Uint8Array,
  now: Date,
): Promise<string> => {
  const folder = backupFolder(state, realPath)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(join(folder, ORIGIN), realPath, { mode: 0o600 })
  const backups = await listBackups(state, realPath)
  const newest = backups.at(-1)
  if (newest !== undefined && await hasBytes(newest, bytes)) return newest
  const number = String(newest === undefined ? 1 : sequenceOf(newest) + 1).padStart(6, '0')
  const stamp = now.toISOString().replaceAll(':', '-')
  const path = join(folder, `${number}-${stamp}-${endOf(basename(realPath), NAME_BYTES)}`)
  // Before the copy is made: whoever is killed in between leaves too few copies, never more and more of them.
  await makeRoom(backups, bytes)
  await writeNew(path, bytes)
  return path
}

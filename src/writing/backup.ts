/** Backups of files before they change: how they are named, pruned, listed and found. */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fail, ok, type Result } from '../safe.ts'
import { fingerprintOf, readBytes } from '../text/read.ts'
import { replaceFile } from './atomic-replace.ts'
import type { ChangeKind } from './shown-files.ts'

/** How many backups of one file are kept. */
export const BACKUPS_KEPT = 20

/** The name of the file in a backup folder that contains the real path of the original. */
export const ORIGIN = 'path'

/** Returns the last `limit` bytes of a text without splitting a character. */
const lastBytes = (text: string, limit: number): string =>
  Buffer.from(text).subarray(-limit).toString().replace(/^\uFFFD+/, '')

// The names of backup folders contain at most this much of a path, and those of backups this much of a file's name.
// With what is added, both stay below the 255 bytes that a disk allows.
const MAX_PATH_BYTES = 150
const MAX_NAME_BYTES = 120

/**
 * Returns the folder for the backups of one file, such as `home-me-shop-AGENTS.md-0f3c…`: the path with dashes, for a
 * person to read, and the path's fingerprint, because `a/b` and `a-b` would collide.
 */
export const backupFolder = (state: string, realPath: string): string => {
  const name = lastBytes(realPath.replace(/[/\\:]+/g, '-').replace(/^-/, ''), MAX_PATH_BYTES)
  return join(state, 'backups', `${name}-${fingerprintOf(Buffer.from(realPath)).slice(0, 12)}`)
}

/** Lists the backups of one file, the oldest first. Sorts by their numbers, because a clock may be set back. */
export const listBackups = async (state: string, realPath: string): Promise<Array<string>> => {
  const folder = backupFolder(state, realPath)
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => /^\d+-/.test(name)).sort().map((name) => join(folder, name))
}

/**
 * Removes backups until there is room for one more, which will contain `bytes`: first the oldest that have a newer
 * duplicate, then the oldest. Keeps the very first backup, which is the person's own text.
 */
const pruneBackups = async (backups: Array<string>, bytes: Uint8Array): Promise<void> => {
  if (backups.length < BACKUPS_KEPT) return
  const contents = await Promise.all(backups.map((path) => readBytes(path)))
  const fingerprints = [...contents.map(({ data }) => data?.bytes), bytes].map((content) =>
    content && fingerprintOf(content)
  )
  const duplicates = backups.filter((_, index) => fingerprints.includes(fingerprints[index]!, index + 1))
  const removable = [...new Set([...duplicates, ...backups])].filter((path) => path !== backups[0])
  for (const path of removable.slice(0, backups.length + 1 - BACKUPS_KEPT)) {
    await rm(path, { force: true }).catch(() => {})
  }
}

// As in `000001-2030-01-02T03-04-05.678Z-rewrite-AGENTS.md`.
const OCCASION = /^\d+-[\dT.Z-]+Z-(rewrite|addition|restore)-/

/** Returns the kind of change before which a backup was made; `undefined` if the backup's name does not say. */
export const occasionOf = (path: string): string | undefined => OCCASION.exec(basename(path))?.[1]

/**
 * Backs up a file, keeping at most `BACKUPS_KEPT` backups, and returns the path of the backup. Saves nothing if the
 * newest backup has the same bytes. Rejects with the disk's error if the backup could not be written completely.
 *
 * @param occasion the change to come, stored in the backup's name
 */
export const backUp = async (
  state: string,
  realPath: string,
  bytes: Uint8Array,
  now: Date,
  occasion?: ChangeKind,
): Promise<string> => {
  const folder = backupFolder(state, realPath)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(join(folder, ORIGIN), realPath, { mode: 0o600 })
  const backups = await listBackups(state, realPath)
  const newest = backups.at(-1)
  if (newest !== undefined && (await readBytes(newest)).data?.bytes.equals(bytes)) return newest
  const number = String(Number.parseInt(basename(newest ?? '0'), 10) + 1).padStart(6, '0')
  const stamp = now.toISOString().replaceAll(':', '-')
  const name = lastBytes(basename(realPath), MAX_NAME_BYTES)
  const path = join(folder, [number, stamp, occasion, name].filter(Boolean).join('-'))
  // Prunes first: a crash then leaves one backup too few, never one too many.
  await pruneBackups(backups, bytes)
  const isWritten = await replaceFile(path, bytes, { mode: 0o600, scratch: join(state, 'tmp') })
  if (!isWritten) throw new Error(`${path} exists already`)
  return path
}

/**
 * Finds a backup of a file. `wanted` is its path or name, or `latest`: the newest backup that differs from `current`,
 * the bytes of the file (null if it does not exist).
 */
export const findBackup = async (
  { state, realPath, wanted }: { state: string; realPath: string; wanted: string },
  current: Buffer | null,
): Promise<Result<{ path: string; bytes: Buffer }>> => {
  const backups = (await listBackups(state, realPath)).reverse()
  if (backups.length === 0) return fail('it has no backup')
  const wantsLatest = wanted.trim().toLowerCase() === 'latest'
  // Searches only this file's backups: with any path, one file could overwrite another. Trims, because a backup's name
  // may end in spaces, which an argument loses.
  const candidates = backups.filter((path) =>
    wantsLatest || basename(path).trim() === basename(wanted).trim()
  )
  for (const path of candidates) {
    const { data: backup, error } = await readBytes(path)
    if (error !== null && !wantsLatest) return fail(error)
    const isSame = wantsLatest && current !== null && backup?.bytes.equals(current)
    if (backup !== null && !isSame) return ok({ path, bytes: backup.bytes })
  }
  if (wantsLatest) return fail('it is the same as its backups')
  return fail(`it has no backup called ${wanted}; the newest are ${backups.slice(0, 5).join(', ')}`)
}

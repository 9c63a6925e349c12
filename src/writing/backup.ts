/** Backs up files before they change, and lists, prunes and finds the backups. */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fail, ok, type Result } from '../safe.ts'
import { fingerprintOf, readBytes } from '../text/read.ts'
import { replaceFile } from './atomic-replace.ts'
import type { ChangeKind } from './shown-files.ts'

export const BACKUPS_KEPT = 20

/** Each backup folder has a file of this name, which contains the real path of the original. */
export const ORIGIN = 'path'

// A file name may have at most 255 bytes. So the name of a backup, or of its folder, contains only the end of a long
// name or path.
const MAX_PATH_BYTES = 150
const MAX_NAME_BYTES = 120

/** Returns the last `limit` bytes of a text, without the rest of a character that is cut in two. */
const lastBytes = (text: string, limit: number): string =>
  Buffer.from(text).subarray(-limit).toString().replace(/^\uFFFD+/, '')

/** Returns the folder for the backups of a file. Without the fingerprint, `a/b` and `a-b` would share a folder. */
export const backupFolder = (state: string, realPath: string): string => {
  const name = lastBytes(realPath.replace(/[/\\:]+/g, '-').replace(/^-/, ''), MAX_PATH_BYTES)
  return join(state, 'backups', `${name}-${fingerprintOf(Buffer.from(realPath)).slice(0, 12)}`)
}

/** Backs up a file, unless its newest backup has the same bytes. Returns the path of the newest backup. */
export const backUp = async (
  state: string,
  realPath: string,
  bytes: Uint8Array,
  now: Date,
  change?: ChangeKind,
): Promise<string> => {
  const folder = backupFolder(state, realPath)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(join(folder, ORIGIN), realPath, { mode: 0o600 })
  const backups = await listBackups(state, realPath)
  const newest = backups.at(-1)
  if (newest !== undefined && (await readBytes(newest)).data?.bytes.equals(bytes)) return newest
  const path = join(folder, nextName(newest, realPath, now, change))
  // Prunes first, so that a crash never leaves too many backups.
  await pruneBackups(backups, bytes)
  const isWritten = await replaceFile(path, bytes, { mode: 0o600, scratch: join(state, 'tmp') })
  if (!isWritten) throw new Error(`${path} exists already`)
  return path
}

const nextName = (newest: string | undefined, realPath: string, now: Date, change?: ChangeKind): string => {
  const number = String(Number.parseInt(basename(newest ?? '0'), 10) + 1).padStart(6, '0')
  const time = now.toISOString().replaceAll(':', '-')
  return [number, time, change, lastBytes(basename(realPath), MAX_NAME_BYTES)].filter(Boolean).join('-')
}

const CHANGE_IN_NAME = /^\d+-[\dT.Z-]+Z-(rewrite|addition|restore)-/

/** Returns the kind of the change that followed a backup; undefined if the backup's name does not say it. */
export const changeAfterBackup = (path: string): string | undefined =>
  CHANGE_IN_NAME.exec(basename(path))?.[1]

/** Lists the backups of one file, the oldest first. Sorts by their numbers, because a clock may be set back. */
export const listBackups = async (state: string, realPath: string): Promise<Array<string>> => {
  const folder = backupFolder(state, realPath)
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => /^\d+-/.test(name)).sort().map((name) => join(folder, name))
}

/** Removes backups with a newer duplicate, then the oldest backups, until there is room for one more. */
const pruneBackups = async (backups: Array<string>, newBytes: Uint8Array): Promise<void> => {
  if (backups.length < BACKUPS_KEPT) return
  const reads = await Promise.all(backups.map((path) => readBytes(path)))
  // A backup that cannot be read has no duplicate.
  const fingerprints = reads.map(({ data }, index) => data ? fingerprintOf(data.bytes) : backups[index]!)
  fingerprints.push(fingerprintOf(newBytes))
  const duplicates = backups.filter((_, index) =>
    fingerprints.slice(index + 1).includes(fingerprints[index]!)
  )
  // The first backup stays: it is the person's own text.
  const removable = [...new Set([...duplicates, ...backups])].filter((path) => path !== backups[0])
  const tooMany = backups.length + 1 - BACKUPS_KEPT
  for (const path of removable.slice(0, tooMany)) await rm(path, { force: true }).catch(() => {})
}

type Backup = { path: string; bytes: Buffer }

/** Finds a backup by path or name (`wanted`). `latest` means the newest readable backup that differs from `current`. */
export const findBackup = async (
  { state, realPath, wanted }: { state: string; realPath: string; wanted: string },
  current: Buffer | null,
): Promise<Result<Backup>> => {
  // Accepts only backups of this file, so that the content of another file cannot overwrite it.
  const newestFirst = (await listBackups(state, realPath)).reverse()
  if (newestFirst.length === 0) return fail('it has no backup')
  return wanted.trim().toLowerCase() === 'latest'
    ? latestUnlike(newestFirst, current)
    : backupNamed(newestFirst, wanted)
}

const latestUnlike = async (newestFirst: Array<string>, current: Buffer | null): Promise<Result<Backup>> => {
  for (const path of newestFirst) {
    const { data } = await readBytes(path)
    const isSame = current !== null && data?.bytes.equals(current)
    if (data !== null && !isSame) return ok({ path, bytes: data.bytes })
  }
  return fail('it is the same as its backups')
}

const backupNamed = async (newestFirst: Array<string>, pathOrName: string): Promise<Result<Backup>> => {
  // A backup's name may end in spaces, which the argument may lack.
  const trimmedName = (path: string): string => basename(path).trim()
  const path = newestFirst.find((backup) => trimmedName(backup) === trimmedName(pathOrName))
  if (path === undefined) {
    return fail(`it has no backup called ${pathOrName}; the newest are ${newestFirst.slice(0, 5).join(', ')}`)
  }
  const { data, error } = await readBytes(path)
  return error === null ? ok({ path, bytes: data.bytes }) : fail(error)
}

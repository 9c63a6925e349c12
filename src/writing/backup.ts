/** Backs up files before they change, and lists, prunes and finds the backups. */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fail, ok } from '../safe.ts'
import { fingerprintOf, readBytes } from '../text/read.ts'
import { replaceFile } from './atomic-replace.ts'
import type { ChangeKind } from './shown-files.ts'

export const BACKUPS_KEPT = 20

/** The file in each backup folder that contains the real path of the original. */
export const ORIGIN = 'path'

// A file name may have at most 255 bytes.
const MAX_PATH_BYTES = 150
const MAX_NAME_BYTES = 120

// A character that is cut in two becomes U+FFFD.
const lastBytes = (text: string, limit: number): string =>
  Buffer.from(text).subarray(-limit).toString().replace(/^\uFFFD+/, '')

/** Without the fingerprint, `a/b` and `a-b` would share a folder. */
export const backupFolder = (state: string, realPath: string): string => {
  const name = lastBytes(realPath.replace(/[/\\:]+/g, '-').replace(/^-/, ''), MAX_PATH_BYTES)
  return join(state, 'backups', `${name}-${fingerprintOf(Buffer.from(realPath)).slice(0, 12)}`)
}

/** Returns the path of the new backup, or of the newest backup if its bytes are the same. */
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
  const number = String(Number.parseInt(basename(newest ?? '0'), 10) + 1).padStart(6, '0')
  const time = now.toISOString().replaceAll(':', '-')
  const originalName = lastBytes(basename(realPath), MAX_NAME_BYTES)
  const path = join(folder, [number, time, change, originalName].filter(Boolean).join('-'))
  // Prunes first, so that a crash never leaves too many backups.
  await pruneBackups(backups, bytes)
  const isWritten = await replaceFile(path, bytes, { scratch: join(state, 'tmp') })
  if (!isWritten) throw new Error(`${path} exists already`)
  return path
}

const CHANGE_IN_NAME = /^\d+-[\dT.Z-]+Z-(rewrite|addition|restore)-/

/** Returns undefined if the backup's name does not contain the change. */
export const changeAfterBackup = (path: string): string | undefined =>
  CHANGE_IN_NAME.exec(basename(path))?.[1]

/** Lists the backups of a file, the oldest first. */
export const listBackups = async (state: string, realPath: string): Promise<Array<string>> => {
  const folder = backupFolder(state, realPath)
  const names = await readdir(folder).catch(() => [])
  return names.filter((name) => /^\d+-/.test(name)).sort().map((name) => join(folder, name))
}

const pruneBackups = async (backups: Array<string>, newBytes: Uint8Array): Promise<void> => {
  if (backups.length < BACKUPS_KEPT) return
  const reads = await Promise.all(backups.map((path) => readBytes(path)))
  // A backup that cannot be read has no duplicate.
  const fingerprints = reads.map(({ data }, index) => data ? fingerprintOf(data.bytes) : backups[index]!)
  fingerprints.push(fingerprintOf(newBytes))
  const duplicates = backups.filter((_, index) => fingerprints.lastIndexOf(fingerprints[index]!) > index)
  // The first backup is the person's own text.
  const removable = [...new Set([...duplicates, ...backups])].filter((path) => path !== backups[0])
  const tooMany = backups.length + 1 - BACKUPS_KEPT
  for (const path of removable.slice(0, tooMany)) await rm(path, { force: true }).catch(() => {})
}

/** `wanted` is a path, a name, or `latest` for the newest readable backup that differs from `current`. */
export const findBackup = async (state: string, realPath: string, wanted: string, current: Buffer | null) => {
  // Accepts only backups of this file, so that the content of another file cannot overwrite it.
  const newestFirst = (await listBackups(state, realPath)).reverse()
  if (newestFirst.length === 0) return fail('it has no backup')
  if (wanted.trim().toLowerCase() !== 'latest') return backupNamed(newestFirst, wanted)
  for (const path of newestFirst) {
    const { data } = await readBytes(path)
    const isSame = current !== null && data?.bytes.equals(current)
    if (data !== null && !isSame) return ok({ path, bytes: data.bytes })
  }
  return fail('it is the same as its backups')
}

const backupNamed = async (newestFirst: Array<string>, pathOrName: string) => {
  const trimmedName = (path: string): string => basename(path).trim()
  const path = newestFirst.find((backup) => trimmedName(backup) === trimmedName(pathOrName))
  if (path === undefined) {
    return fail(`it has no backup called ${pathOrName}; the newest are ${newestFirst.slice(0, 5).join(', ')}`)
  }
  const { data, error } = await readBytes(path)
  return error === null ? ok({ path, bytes: data.bytes }) : fail(error)
}

import { basename } from 'node:path'
import { listBackups } from './backup.ts'
import { readText } from './read-text.ts'
import { fail, ok, type Result } from './safe.ts'
import { type Door, type Refusal, writeFile } from './write-file.ts'

/** The word for the newest backup that differs from what the file says now. */
export const LATEST = 'latest'

export type Backup = { path: string; bytes: Buffer }

export type RestoreResult =
  | { status: 'success'; path: string; from: string; backup: string | null }
  | ({ path: string } & Refusal)

const NAMES_SHOWN = 5

const latestOf = async (backups: Array<string>, now: Buffer): Promise<Result<Backup>> => {
  for (const path of backups) {
    const backup = await readText(path)
    if (backup.error === null && !backup.data.bytes.equals(now)) return ok({ path, bytes: backup.data.bytes })
  }
  return fail('it says already what its backups say')
}

/**
 * A backup of a file: the one that `wanted` names by its path or name, or the latest.
 *
 * @param realPath the file, its links resolved
 */
export const findBackup = async (
  state: string,
  realPath: string,
  wanted: string,
): Promise<Result<Backup>> => {
  const backups = (await listBackups(state, realPath)).reverse()
  if (backups.length === 0) return fail('there is no backup of it')
  if (wanted.trim().toLowerCase() === LATEST) {
    const now = await readText(realPath)
    return now.error === null ? latestOf(backups, now.data.bytes) : now
  }
  // Only a backup of this very file: any other path would let one file be written over another.
  const path = backups.find((one) => basename(one) === basename(wanted.trim()))
  if (path === undefined) {
    return fail(
      `no backup of it is called ${wanted}; the newest are ${backups.slice(0, NAMES_SHOWN).join(', ')}`,
    )
  }
  const backup = await readText(path)
  return backup.error === null ? ok({ path, bytes: backup.data.bytes }) : backup
}

/** Puts a backup in the place of what a file says, byte for byte; what it says now is backed up in its turn. */
export const restoreFile = async (
  door: Door,
  path: string,
  { path: from, bytes }: Backup,
): Promise<RestoreResult> => {
  const written = await writeFile(door, { path, bytes, backup: true })
  return written.error === null
    ? { status: 'success', path, from, backup: written.data.backup }
    : { path, ...written.error }
}

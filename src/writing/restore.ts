import { basename } from 'node:path'
import { fail, ok, type Result } from '../safe.ts'
import { readText } from '../text/read.ts'
import { listBackups } from './backup.ts'
import { type Refusal, type WriteContext } from './write-context.ts'
import { writeFile } from './write.ts'

/** The word for the newest backup that differs from what the file says now. */
const LATEST = 'latest'

type Backup = { path: string; bytes: Buffer }

/** What became of one file: from which backup it was restored, and the backup of what it said before; or why not. */
export type RestoreResult =
  | { status: 'success'; path: string; from: string; backup: string | null }
  | ({ path: string } & Refusal)

const NAMES_SHOWN = 5

const latestOf = async (backups: Array<string>, now: Buffer | null): Promise<Result<Backup>> => {
  for (const path of backups) {
    const backup = await readText(path)
    const isOther = backup.error === null && !(now !== null && backup.data.bytes.equals(now))
    if (isOther) return ok({ path, bytes: backup.data.bytes })
  }
  return fail('it says already what its backups say')
}

/**
 * Finds a backup of a file: the one that `wanted` names by its path or name, or the latest that differs from `now`.
 *
 * @param now what the file says; null where it is not there
 */
const findBackup = async (
  { state, realPath, wanted }: { state: string; realPath: string; wanted: string },
  now: Buffer | null,
): Promise<Result<Backup>> => {
  const backups = (await listBackups(state, realPath)).reverse()
  if (backups.length === 0) return fail('there is no backup of it')
  if (wanted.trim().toLowerCase() === LATEST) return latestOf(backups, now)
  // Only this file's own backups are searched: by any other path one file could be written over another. A backup's
  // name may end in blanks, which an argument loses.
  const path = backups.find((one) => basename(one).trim() === basename(wanted).trim())
  if (path === undefined) {
    return fail(
      `no backup of it is called ${wanted}; the newest are ${backups.slice(0, NAMES_SHOWN).join(', ')}`,
    )
  }
  const backup = await readText(path)
  return backup.error === null ? ok({ path, bytes: backup.data.bytes }) : backup
}

/** Whether a file has the backup that `wanted` names; nothing is written. */
export const hasBackup = async (state: string, realPath: string, wanted: string): Promise<boolean> => {
  const now = await readText(realPath)
  return (await findBackup({ state, realPath, wanted }, now.data?.bytes ?? null)).error === null
}

/**
 * Puts a backup in the place of what a file says, byte for byte, or makes the file again that was deleted. What it says
 * until then is backed up in its turn.
 *
 * @param wanted the backup's path or name, or `latest`
 */
export const restoreFile = async (
  writeContext: WriteContext,
  path: string,
  wanted: string,
): Promise<RestoreResult> => {
  let from = ''
  const written = await writeFile(writeContext, {
    kind: 'restore',
    path,
    toBytes: async (current, realPath) => {
      // After the question this runs again, and must give the backup that the person was asked for.
      const search = { state: writeContext.state, realPath, wanted: from === '' ? wanted : from }
      const backup = await findBackup(search, current?.bytes ?? null)
      if (backup.error !== null) return backup
      from = backup.data.path
      return ok(backup.data.bytes)
    },
  })
  return written.error === null
    ? { status: 'success', path, from, backup: written.data.backup }
    : { path, ...written.error }
}

/** Restores a backup, or a deleted file. `backup.ts` decides which backup `latest` is. */
import { ok } from '../safe.ts'
import { readBytes } from '../text/read.ts'
import { findBackup } from './backup.ts'
import type { WriteContext } from './write-context.ts'
import { type Unwritten, writeFile, type Written } from './write.ts'

/** The result for one file: the backup it was restored from, or why it was not. */
export type RestoreResult = Written & { from: string } | Unwritten

/** Whether a file has the backup that `wanted` names. Writes nothing. */
export const hasBackup = async (state: string, realPath: string, wanted: string): Promise<boolean> => {
  const now = await readBytes(realPath)
  return (await findBackup({ state, realPath, wanted }, now.data?.bytes ?? null)).error === null
}

/**
 * Replaces a file with one of its backups, byte for byte, or recreates a deleted file. Backs up the present text first.
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
      // Runs again after the question, and must then return the backup that the person saw.
      const search = { state: writeContext.state, realPath, wanted: from === '' ? wanted : from }
      const backup = await findBackup(search, current?.bytes ?? null)
      if (backup.error !== null) return backup
      from = backup.data.path
      return ok(backup.data.bytes)
    },
  })
  return written.status === 'success' ? { ...written, from } : written
}

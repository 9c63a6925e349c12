/** Restores files from their backups. */
import { ok } from '../safe.ts'
import { readBytes } from '../text/read.ts'
import { findBackup } from './backup.ts'
import type { WriteContext } from './write-context.ts'
import { type Unwritten, writeFile, type Written } from './write.ts'

/** `from` is the path of the backup. */
export type RestoreResult = Written & { from: string } | Unwritten

/** Whether a backup exists. `wanted` is its path, its name, or `latest` (the newest that differs from the file). */
export const canRestore = async (state: string, realPath: string, wanted: string): Promise<boolean> => {
  const current = await readBytes(realPath)
  return (await findBackup({ state, realPath, wanted }, current.data?.bytes ?? null)).error === null
}

/** Restores a changed or deleted file byte for byte from the backup that `wanted` names. */
export const restoreFile = async (
  writeContext: WriteContext,
  path: string,
  wanted: string,
): Promise<RestoreResult> => {
  let backupPath = ''
  const written = await writeFile(writeContext, {
    kind: 'restore',
    path,
    toBytes: async (current, realPath) => {
      // Runs before and after the person is asked. The second run uses the same backup, because its diff was shown.
      const search = { state: writeContext.state, realPath, wanted: backupPath || wanted }
      const backup = await findBackup(search, current?.bytes ?? null)
      if (backup.error !== null) return backup
      backupPath = backup.data.path
      return ok(backup.data.bytes)
    },
  })
  return written.status === 'success' ? { ...written, from: backupPath } : written
}

/** Restores files from their backups. */
import { ok } from '../safe.ts'
import { readBytes } from '../text/read.ts'
import { findBackup } from './backup.ts'
import type { WriteContext } from './write-context.ts'
import { type Unwritten, writeFile, type Written } from './write.ts'

export type RestoreResult = Written & { from: string } | Unwritten

/** `wanted` is the path or name of a backup, or `latest` (the newest backup that differs from the file). */
export const canRestore = async (state: string, realPath: string, wanted: string): Promise<boolean> => {
  const current = await readBytes(realPath)
  return (await findBackup({ state, realPath, wanted }, current.data?.bytes ?? null)).error === null
}

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
      // The second call, after the person has seen the diff, uses the same backup.
      const search = { state: writeContext.state, realPath, wanted: backupPath || wanted }
      const backup = await findBackup(search, current?.bytes ?? null)
      if (backup.error !== null) return backup
      backupPath = backup.data.path
      return ok(backup.data.bytes)
    },
  })
  return written.status === 'success' ? { ...written, from: backupPath } : written
}

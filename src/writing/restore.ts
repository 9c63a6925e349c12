/** Restores files from their backups. */
import { ok } from '../safe.ts'
import { readBytes } from '../text/read.ts'
import { findBackup } from './backup.ts'
import { type WriteContext, writeFile } from './write.ts'

/** `wanted` is the path or name of a backup, or `latest` (the newest backup that differs from the file). */
export const canRestore = async (state: string, realPath: string, wanted: string): Promise<boolean> => {
  const current = await readBytes(realPath)
  return (await findBackup(state, realPath, wanted, current.data?.bytes ?? null)).error === null
}

export type RestoreResult = Awaited<ReturnType<typeof restoreFile>>

export const restoreFile = async (writeContext: WriteContext, path: string, wanted: string) => {
  let backupPath = ''
  const written = await writeFile(writeContext, {
    kind: 'restore',
    path,
    toBytes: async (current, realPath) => {
      // `writeFile` calls this again after the person has seen the diff, and must get the same backup.
      const sameOrWanted = backupPath || wanted
      const backup = await findBackup(writeContext.state, realPath, sameOrWanted, current?.bytes ?? null)
      if (backup.error !== null) return backup
      backupPath = backup.data.path
      return ok(backup.data.bytes)
    },
  })
  return written.status === 'success' ? { ...written, from: backupPath } : written
}

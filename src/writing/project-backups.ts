import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { contains } from '../paths/boundary.ts'
import { backupFolder, listBackups, ORIGIN } from './backup.ts'

/** A backup of a file: which file, the path of the backup, when it was made, and how many bytes it has. */
export type ProjectBackup = { file: string; backup: string; at: Date; bytes: number }

const backupsOf = async (state: string, file: string): Promise<Array<ProjectBackup>> => {
  const backups = await listBackups(state, file)
  const read = backups.map(async (backup) => {
    const { mtime, size } = await stat(backup)
    return { file, backup, at: mtime, bytes: size }
  })
  return Promise.all(read)
}

/**
 * Lists the backups of all files in a project, the newest first.
 *
 * @param worktree the real path of the project's root
 */
export const listProjectBackups = async (state: string, worktree: string): Promise<Array<ProjectBackup>> => {
  const root = join(state, 'backups')
  const folders = await readdir(root).catch(() => [])
  const origins = await Promise.all(
    folders.map((folder) => readFile(join(root, folder, ORIGIN), 'utf8').catch(() => '')),
  )
  const files = origins.filter((file, index) =>
    file !== '' && contains(worktree, file) && backupFolder(state, file) === join(root, folders[index]!)
  )
  const backups = (await Promise.all(files.map((file) => backupsOf(state, file)))).flat()
  return backups.sort((one, other) =>
    other.at.getTime() - one.at.getTime() || (one.backup < other.backup ? 1 : -1)
  )
}

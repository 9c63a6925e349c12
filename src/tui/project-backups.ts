/** Lists the backups of all files in a project, and compares one with the present text. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { contains } from '../paths/boundary.ts'
import { readBytes } from '../text/read.ts'
import { backupFolder, listBackups, occasionOf, ORIGIN } from '../writing/backup.ts'

/** A backup of a file: its path, its time, the kind of the change before which it was made, and its size in bytes. */
export type ProjectBackup = {
  file: string
  backup: string
  at: Date
  occasion: string | undefined
  bytes: number
}

/**
 * Lists the backups of all files in a project, the newest first.
 *
 * @param worktree the real path of the project's root
 */
export const listProjectBackups = async (state: string, worktree: string): Promise<Array<ProjectBackup>> => {
  const root = join(state, 'backups')
  const backupsIn = async (folder: string): Promise<Array<ProjectBackup>> => {
    const file = (await readBytes(join(root, folder, ORIGIN))).data?.bytes.toString() ?? ''
    const isOwnFolder = file !== '' && backupFolder(state, file) === join(root, folder)
    if (!isOwnFolder || !contains(worktree, file)) return []
    const backups = (await listBackups(state, file)).map(async (backup) => {
      // Another session may have removed the backup meanwhile.
      const stats = await stat(backup).catch(() => null)
      return stats ? { file, backup, at: stats.mtime, occasion: occasionOf(backup), bytes: stats.size } : []
    })
    return (await Promise.all(backups)).flat()
  }
  const folders = await readdir(root).catch(() => [])
  return (await Promise.all(folders.map(backupsIn))).flat().sort((a, b) =>
    b.at.getTime() - a.at.getTime() || (a.backup < b.backup ? 1 : -1)
  )
}

/** Consecutive blocks of a text that were removed (`-`), added (`+`) or kept (` `), as one text. */
type BlockChange = { sign: '-' | '+' | ' '; text: string }

const blocksOf = (text: string): Array<string> => text.trim() === '' ? [] : text.trim().split(/\n\s*\n/)

/** Compares two texts by their blocks, which blank lines separate. Whole blocks are easier to read than mixed lines. */
export const diffBlocks = async (before: string, after: string): Promise<Array<BlockChange>> => {
  const { diffArrays } = await import('diff/lib/diff/array.js')
  return diffArrays(blocksOf(before), blocksOf(after)).map(({ added, removed, value }) => ({
    sign: added ? '+' : removed ? '-' : ' ',
    text: value.join('\n\n'),
  }))
}

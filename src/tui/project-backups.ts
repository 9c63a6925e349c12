/** Lists the backups of a project's files, and compares two texts block by block. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { contains } from '../paths/boundary.ts'
import { pathExists, realPathOf } from '../paths/real-path.ts'
import { readBytes, readText } from '../text/read.ts'
import { backupFolder, changeAfterBackup, listBackups, ORIGIN } from '../writing/backup.ts'

export type ProjectBackup = Awaited<ReturnType<typeof listProjectBackups>>[number]

/** Lists the backups of files below the real path `project`, the newest first. */
export const listProjectBackups = async (state: string, project: string) => {
  const root = join(state, 'backups')
  const backupsIn = async (name: string) => {
    const folder = join(root, name)
    const file = (await readBytes(join(folder, ORIGIN))).data?.bytes.toString() ?? ''
    const isFolderOfFile = file !== '' && backupFolder(state, file) === folder
    if (!isFolderOfFile || !contains(project, file)) return []
    const backups = (await listBackups(state, file)).map(async (backupPath) => {
      const stats = await stat(backupPath).catch(() => null)
      if (stats === null) return []
      return { file, backupPath, at: stats.mtime, occasion: changeAfterBackup(backupPath), bytes: stats.size }
    })
    return (await Promise.all(backups)).flat()
  }
  const names = await readdir(root).catch(() => [])
  return (await Promise.all(names.map(backupsIn))).flat().sort((a, b) =>
    b.at.getTime() - a.at.getTime() || (a.backupPath < b.backupPath ? 1 : -1)
  )
}

/** Returns why a file cannot be restored, and how to change that; null if it can be restored. */
export const whyNotRestorable = async (file: string): Promise<string | null> => {
  // When the backup was made, no link was in the file's path.
  const realPath = await realPathOf(file)
  if (realPath !== file) return `A link leads from ${file} to ${realPath} now. Remove the link, then restore.`
  const { error } = await readText(file)
  return error !== null && await pathExists(file)
    ? `${file} cannot be replaced: ${error}. Move it elsewhere, then restore.`
    : null
}

type BlockChange = { sign: '-' | '+' | ' '; text: string }

const blocksOf = (text: string): Array<string> => text.trim() === '' ? [] : text.trim().split(/\n\s*\n/)

export const diffBlocks = async (before: string, after: string): Promise<Array<BlockChange>> => {
  const { diffArrays } = await import('diff/lib/diff/array.js')
  return diffArrays(blocksOf(before), blocksOf(after)).map(({ added, removed, value }) => ({
    sign: added ? '+' : removed ? '-' : ' ',
    text: value.join('\n\n'),
  }))
}

import { chmod, realpath, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stateFolder } from '../../paths/user-folders.ts'
import { type Result, safeAsync } from '../../safe.ts'
import { isSameText } from '../../text/read.ts'
import { createFile, replaceFile } from '../../writing/atomic-replace.ts'
import { backUp } from '../../writing/backup.ts'
import type { WatchedFiles } from './concurrent-saves.ts'
import { readSaved, type SavedFile } from './saved-file.ts'

/** Whether the file was put back, and the backup of what it said. A file that changed once more is not put back. */
export type PutBack = { isBack: boolean; backup: string | null }

const replace = async (
  path: string,
  old: SavedFile,
  mayReplace: () => Promise<boolean>,
): Promise<boolean> => {
  const { nlink } = await stat(path)
  // A replaced file would no longer be one with its other hard links.
  if (nlink > 1) {
    if (!(await mayReplace())) return false
    await writeFile(path, old.bytes)
    return true
  }
  const isReplaced = await replaceFile(path, old.bytes, { scratch: join(stateFolder(), 'tmp'), mayReplace })
  if (isReplaced) await chmod(path, old.mode)
  return isReplaced
}

/** Backs up what a file said, apart from the backups of rewritten files; gives the backup's path. */
const keepCopy = async (path: string, { bytes }: SavedFile): Promise<string> =>
  backUp(join(stateFolder(), 'formatting'), await realpath(path).catch(() => path), bytes, new Date())

/**
 * Backs up what files said for a time while a formatter ran, where that may be what a person saved; gives the paths
 * of the backups that the disk took.
 *
 * @param bytesWritten by the formatters that ran; null where that is not known
 */
export const keepWrittenOver = async (
  files: WatchedFiles,
  bytesWritten: number | null,
): Promise<Array<string>> => {
  const backups: Array<string> = []
  for (const path of files.paths) {
    for (const saved of files.writtenOver(path, bytesWritten)) {
      const kept = await safeAsync(() => keepCopy(path, saved))
      if (kept.error === null) backups.push(kept.data)
    }
  }
  return backups
}

/**
 * Puts a file back to what it was, mode included, and backs up what the formatter left in it. Where it no longer says
 * that, it stays.
 *
 * @param left what the formatter left: the file as it was last seen
 */
export const putBack = (path: string, old: SavedFile, left: SavedFile | null): Promise<Result<PutBack>> =>
  safeAsync(async () => {
    const realPath = await realpath(path).catch(() => null)
    const isWorthKeeping = left !== null && left.text.trim() !== ''
    const backup = isWorthKeeping ? await keepCopy(path, left) : null
    const mayReplace = async () => isSameText(await readSaved(path), left)
    const isBack = realPath === null
      ? await createFile(path, old.bytes, old.mode)
      : await replace(realPath, old, mayReplace)
    return { isBack, backup }
  })

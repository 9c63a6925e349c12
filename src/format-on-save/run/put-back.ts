import { chmod, realpath, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createFile, replaceFile } from '../../files/atomic-replace.ts'
import { backUp } from '../../files/backup.ts'
import { isSameText } from '../../files/read.ts'
import { stateFolder } from '../../files/user-folders.ts'
import { type Result, safeAsync } from '../../safe.ts'
import { readSaved, type SavedFile } from './saved-file.ts'

/** Whether the file was put back (it is not where it changed once more), and where what it said was kept. */
export type PutBack = { isBack: boolean; backup: string | null }

const replace = async (
  path: string,
  old: SavedFile,
  mayReplace: () => Promise<boolean>,
): Promise<boolean> => {
  const { nlink } = await stat(path)
  // To replace it would part a file from its other hard links.
  if (nlink > 1) {
    if (!(await mayReplace())) return false
    await writeFile(path, old.bytes)
    return true
  }
  const isReplaced = await replaceFile(path, old.bytes, { scratch: join(stateFolder(), 'tmp'), mayReplace })
  if (isReplaced) await chmod(path, old.mode)
  return isReplaced
}

/**
 * Puts a file back to what it was, mode included, unless it no longer says what the formatter left in it. That is kept
 * as a backup, apart from those of rewritten files.
 *
 * @param left what the formatter left: the file as it was last seen
 */
export const putBack = (path: string, old: SavedFile, left: SavedFile | null): Promise<Result<PutBack>> =>
  safeAsync(async () => {
    const realPath = await realpath(path).catch(() => null)
    const state = join(stateFolder(), 'formatting')
    const isWorthKeeping = left !== null && left.text.trim() !== ''
    const backup = isWorthKeeping ? await backUp(state, realPath ?? path, left.bytes, new Date()) : null
    const mayReplace = async () => isSameText(await readSaved(path), left)
    const isBack = realPath === null
      ? await createFile(path, old.bytes, old.mode)
      : await replace(realPath, old, mayReplace)
    return { isBack, backup }
  })

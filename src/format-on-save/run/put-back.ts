import { chmod, realpath, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stateFolder } from '../../paths/user-folders.ts'
import { type Result, safeAsync } from '../../safe.ts'
import { BYTE_ORDER_MARK, isSameText } from '../../text/read.ts'
import { replaceFile } from '../../writing/atomic-replace.ts'
import { backUp } from '../../writing/backup.ts'
import { bareTextOf } from '../realign/bare-text.ts'
import type { Ran } from './run-formatter.ts'
import { readSaved, type SavedFile } from './saved-file.ts'

/** Tells how a formatter damaged a file; null where it did not. */
export const damageOf = (before: SavedFile, after: SavedFile | null): string | null => {
  if (after === null) return 'removed the file, or left no text or more than 10 MB in it'
  return after.text.trim() === '' && before.text.trim() !== '' ? 'emptied the file' : null
}

/** Whether only the beginning of a text is left, as by a formatter that was killed: more than blanks is missing. */
const isCutOff = (before: SavedFile, after: SavedFile): boolean =>
  before.bytes.length > after.bytes.length
  && before.bytes.subarray(0, after.bytes.length).equals(after.bytes)
  && before.text.slice(after.text.length).trim() !== ''

/**
 * Whether a file is restored after a formatter: where it was damaged, and where the formatter was killed. A formatter
 * that ended by itself with an error usually writes nothing: a changed text may be what the person saved.
 */
export const isRestored = (before: SavedFile, after: SavedFile | null, ran: Ran): boolean => {
  if (isSameText(before, after)) return false
  if (damageOf(before, after) !== null) return true
  return ran.kind !== 'ok' && (ran.kind === 'killed' || isCutOff(before, after!))
}

const bareOf = (text: string): string => bareTextOf(text, { start: 0, end: text.length }).text

/** Gives a file as it was before a formatter changed it, if it was one of these texts; else the file itself. */
export const withoutFormatting = (file: SavedFile, texts: Array<string>): SavedFile => {
  if (texts.length === 0 || texts.includes(file.text)) return file
  const bare = bareOf(file.text)
  const text = texts.find((one) => bareOf(one) === bare)
  if (text === undefined) return file
  const mark = file.bytes.toString('utf8', 0, 3) === BYTE_ORDER_MARK ? BYTE_ORDER_MARK : ''
  return { ...file, text, bytes: Buffer.from(mark + text) }
}

/** Keeps a copy of what a file said, apart from the backups of rewritten files; gives the backup's path. */
export const keepCopy = (path: string, { bytes }: SavedFile): Promise<Result<string>> =>
  safeAsync(async () =>
    backUp(join(stateFolder(), 'formatting'), await realpath(path).catch(() => path), bytes, new Date())
  )

const replace = async (
  path: string,
  old: SavedFile,
  mayReplace: () => Promise<boolean>,
): Promise<boolean> => {
  const { nlink } = await stat(path)
  // Replacing a file would separate it from its other hard links.
  const isReplaced = nlink === 1
    ? await safeAsync(() => replaceFile(path, old.bytes, { mayReplace }))
    : { error: 'it has other links' }
  if (isReplaced.error === null && !isReplaced.data) return false
  // On a full disk there may be room for the old bytes in the file itself, and not for a second file.
  if (isReplaced.error !== null) {
    if (!(await mayReplace())) return false
    await writeFile(path, old.bytes)
  }
  await chmod(path, old.mode)
  return true
}

/**
 * Restores a file, mode included; gives whether it did.
 *
 * @param left the file as last seen: where it changed since, it stays
 */
export const putBack = (path: string, old: SavedFile, left: SavedFile | null): Promise<Result<boolean>> =>
  safeAsync(async () => {
    const realPath = await realpath(path).catch(() => null)
    const mayReplace = async () => isSameText(await readSaved(path), left)
    return realPath === null
      ? replaceFile(path, old.bytes, { mode: old.mode, mayReplace })
      : replace(realPath, old, mayReplace)
  })

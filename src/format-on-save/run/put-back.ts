import { chmod, realpath, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stateFolder } from '../../paths/user-folders.ts'
import { type Result, safeAsync } from '../../safe.ts'
import { BYTE_ORDER_MARK, isSameText } from '../../text/read.ts'
import { createFile, replaceFile } from '../../writing/atomic-replace.ts'
import { backUp } from '../../writing/backup.ts'
import { bareTextOf } from '../realign/bare-text.ts'
import type { Ran } from './run-formatter.ts'
import { readSaved, type SavedFile } from './saved-file.ts'

/** Tells how a formatter damaged a file; null where it did not. */
export const damageOf = (before: SavedFile, after: SavedFile | null): string | null => {
  if (after === null) return 'removed the file, or left no text or more than 10 MB in it'
  return after.text.trim() === '' && before.text.trim() !== '' ? 'emptied the file' : null
}

/** Whether a text is the beginning of another that had more than blanks after it: what a formatter leaves that was cut off. */
const isCutOff = (before: SavedFile, after: SavedFile): boolean =>
  before.bytes.length > after.bytes.length
  && before.bytes.subarray(0, after.bytes.length).equals(after.bytes)
  && before.text.slice(after.text.length).trim() !== ''

/**
 * Whether a file is restored after a formatter: where it was damaged, and where the formatter was killed. One that ended
 * by itself with an error writes nothing as a rule: another text may be what a person saved.
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
  // A replaced file would no longer be one with its other hard links.
  const isReplaced = nlink === 1
    ? await safeAsync(() => replaceFile(path, old.bytes, { scratch: join(stateFolder(), 'tmp'), mayReplace }))
    : { error: 'it has other links' }
  if (isReplaced.error === null && !isReplaced.data) return false
  // On a full disk there may be room for the old bytes where they stood, and not for a second file.
  if (isReplaced.error !== null) {
    if (!(await mayReplace())) return false
    await writeFile(path, old.bytes)
  }
  await chmod(path, old.mode)
  return true
}

/**
 * Puts a file back to what it was, mode included; says whether it did.
 *
 * @param left the file as it was last seen: where it says something else now, it stays
 */
export const putBack = (path: string, old: SavedFile, left: SavedFile | null): Promise<Result<boolean>> =>
  safeAsync(async () => {
    const realPath = await realpath(path).catch(() => null)
    const mayReplace = async () => isSameText(await readSaved(path), left)
    return realPath === null ? createFile(path, old.bytes, old.mode) : replace(realPath, old, mayReplace)
  })

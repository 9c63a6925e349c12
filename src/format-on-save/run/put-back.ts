/** What becomes of a file whose formatter failed on it, or whose formatting the person undid. */
import { chmod, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isThere } from '../../paths/real-path.ts'
import { stateFolder } from '../../paths/user-folders.ts'
import { ok, type Result, safeAsync } from '../../safe.ts'
import { isSameText } from '../../text/read.ts'
import { replaceFile, writeInPlace } from '../../writing/atomic-replace.ts'
import { backUp } from '../../writing/backup.ts'
import { bareTextOf } from '../realign/bare-text.ts'
import type { Ran } from './run-formatter.ts'
import { readSaved, type SavedFile, withText } from './saved-file.ts'

/** How a formatter failed on a file, what the file says now, and the backup of the text that it does not say. */
export type Aftermath = {
  status: string
  state: string
  lost?: string | undefined
  backup?: string | undefined
}

const AS_WRITTEN = 'the file is as it was written'
const LEFT_AS_IS = 'the file, which somebody else may have changed, was left as it is'

/**
 * Restores a file, mode included, in place: a formatter that was killed may have left links to it, and on a full disk
 * there is room for the old bytes in the file itself.
 *
 * @param left the file as last seen: where it changed since, it stays
 * @returns whether it was restored
 */
export const putBack = (path: string, old: SavedFile, left: SavedFile | null): Promise<Result<boolean>> =>
  safeAsync(async () => {
    if (!(await isThere(path))) return replaceFile(path, old.bytes, { mode: old.mode })
    const now = await stat(path)
    if (now.isFile() && (now.mode & 0o7777) !== old.mode) await chmod(path, old.mode)
    const mayReplace = async () => isSameText(await readSaved(path), left)
    return writeInPlace({ path, bytes: old.bytes, mayReplace })
  })

/** Whether only the beginning of a text is left, as by a formatter that was killed: more than blanks is missing. */
const isCutOff = (before: SavedFile, after: SavedFile): boolean =>
  before.bytes.length > after.bytes.length
  && before.bytes.subarray(0, after.bytes.length).equals(after.bytes)
  && before.text.slice(after.text.length).trim() !== ''

const damageOf = (before: SavedFile, after: SavedFile | null): string | null => {
  if (after === null) return 'removed the file, or left no text or more than 10 MB in it'
  return after.text.trim() === '' && before.text.trim() !== '' ? 'emptied the file' : null
}

/** Keeps a copy of what a file said, apart from the backups of rewritten files. */
const keepCopy = (path: string, { bytes }: SavedFile): Promise<Result<string>> =>
  safeAsync(async () =>
    backUp(join(stateFolder(), 'formatting'), await realpath(path).catch(() => path), bytes, new Date())
  )

/**
 * Looks at a file after its formatter, and restores it where it was damaged or the formatter was killed. A formatter
 * that ended by itself with an error usually writes nothing: another text may be what the person saved, and stays.
 *
 * @returns null where the formatter worked
 */
export const checkAfter = async (path: string, before: SavedFile, ran: Ran): Promise<Aftermath | null> => {
  const left = await readSaved(path)
  const damage = damageOf(before, left)
  if (ran.kind === 'ok' && damage === null) return null
  const status = ran.kind === 'ok' ? `${damage}` : ran.status
  if (isSameText(before, left)) return { status, state: AS_WRITTEN }
  const isHarmed = left === null || damage !== null || ran.kind === 'killed' || isCutOff(before, left)
  const { data: isBack, error } = isHarmed ? await putBack(path, before, left) : ok(false)
  const other = isBack ? left : before
  const backup = other && other.text.trim() !== ''
    ? (await keepCopy(path, other)).data ?? undefined
    : undefined
  if (error !== null) return { status, state: 'the file could not be restored', lost: error, backup }
  return { status, state: isBack ? AS_WRITTEN : LEFT_AS_IS, backup }
}

const bareOf = (text: string): string => bareTextOf(text, { start: 0, end: text.length }).text

/** Gives a file as it was before a formatter changed it, if it was one of these texts; else the file itself. */
export const withoutFormatting = (file: SavedFile, texts: Array<string>): SavedFile => {
  const text = texts.includes(file.text) ? file.text : texts.find((one) => bareOf(one) === bareOf(file.text))
  return text === undefined ? file : withText(file, text)
}

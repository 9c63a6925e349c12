/** Restores a file that its formatter damaged, and says how the formatter failed. */
import type { Stats } from 'node:fs'
import { chmod, lstat, rm, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { realPathOf } from '../../paths/real-path.ts'
import { stateFolder } from '../../paths/user-folders.ts'
import { ok, type Result, safeAsync } from '../../safe.ts'
import { mayBeSameFile, readSaved, rereadFile, type SavedFile } from '../../steps/saved-file.ts'
import { isSameText } from '../../text/read.ts'
import { replaceFile, writeInPlace } from '../../writing/atomic-replace.ts'
import { backUp } from '../../writing/backup.ts'
import type { RunResult } from './run-formatter.ts'

const AS_BEFORE = 'the file has the text from before the formatter ran'
const LEFT_AS_IS = 'the file was not restored, because somebody else may have changed it'
const NOT_RESTORED = 'the file could not be restored'

/**
 * Restores a file's permissions and, if its formatter damaged it, its text. Returns how the formatter failed, or null.
 *
 * | the formatter | the file afterwards has | backed up, unless blank |
 * | --- | --- | --- |
 * | worked | the new text | nothing |
 * | emptied, removed or replaced the file | the old text | nothing |
 * | was killed, or failed and left only the beginning | the old text | the new text |
 * | failed otherwise | the new text | the old text |
 *
 * If the old text cannot be restored, it is backed up.
 */
export const aftermathOf = async (before: SavedFile, after: SavedFile | null, result: RunResult) => {
  if (after) await safeAsync(() => restoreMode(before, after.stats))
  const damage = damageOf(before, after)
  const status = result.kind === 'ok' ? damage : result.status
  if (status === null) return null
  if (isSameText(before, after)) return { status, state: AS_BEFORE, mayHaveWritten: false }
  const mustRestore = damage !== null || result.kind === 'killed' || isCutOff(before, after)
  // Unless `mustRestore`, the formatter has usually written nothing, so the new text may be the person's.
  const { data: isRestored, error } = mustRestore ? await restoreFile(before, after) : ok(false)
  if (isRestored) return { status, state: AS_BEFORE, mayHaveWritten: false, backup: await backUpText(after) }
  const [state, restoreError] = error === null ? [LEFT_AS_IS] : [NOT_RESTORED, error]
  return { status, state, mayHaveWritten: true, restoreError, backup: await backUpText(before) }
}

const isBlank = ({ text }: SavedFile): boolean => text.trim() === ''

const damageOf = (before: SavedFile, after: SavedFile | null): string | null => {
  if (after === null) {
    return 'removed the file, or replaced it with a link, a file that is not text, or a file of more than 10 MB'
  }
  return isBlank(after) && !isBlank(before) ? 'emptied the file' : null
}

const isCutOff = (before: SavedFile, after: SavedFile | null): boolean =>
  after !== null
  && before.bytes.length > after.bytes.length
  && before.bytes.subarray(0, after.bytes.length).equals(after.bytes)
  && before.text.slice(after.text.length).trim() !== ''

const backUpText = async (file: SavedFile | null): Promise<string | undefined> => {
  if (file === null || isBlank(file)) return undefined
  const folder = join(stateFolder(), 'formatting')
  return backUp(folder, file.realPath, file.bytes, new Date()).catch(() => undefined)
}

/**
 * Restores a file's text and mode, but keeps a text that was saved after `lastRead`. Returns whether the text was
 * restored. Fails if the disk reports an error, or if the file's folder is now a link.
 */
export const restoreFile = (old: SavedFile, lastRead: SavedFile | null): Promise<Result<boolean>> =>
  safeAsync(async () => {
    const { realPath: path, bytes } = old
    if (await realPathOf(dirname(path)) !== dirname(path)) {
      throw new Error('its folder was replaced with a link')
    }
    const present = await lstat(path).catch(() => null)
    if (present === null || !mayBeSameFile(old, present)) {
      if (present !== null) await unlink(path)
      return replaceFile(path, bytes, { mode: modeOf(old.stats) })
    }
    await restoreMode(old, present)
    const mayReplace = async () => isSameText(await rereadFile(old), lastRead)
    // Writing into the file keeps its hard links, and works on a full disk.
    return writeInPlace({ path, bytes, mayReplace })
  })

/**
 * Restores a file to its state right after an undo (`undone`), or removes it if it did not exist then (null). Backs up
 * the text that is replaced or removed, because the person may have written it.
 */
export const restoreUndone = async (path: string, undone: SavedFile | null): Promise<void> => {
  if (undone) {
    await aftermathOf(undone, await rereadFile(undone), { kind: 'killed', status: 'was ended', output: '' })
    return
  }
  const present = await readSaved(path)
  const isKept = present !== null && (isBlank(present) || await backUpText(present) !== undefined)
  if (isKept) await safeAsync(() => rm(path, { force: true }))
}

const modeOf = ({ mode }: Stats): number => mode & 0o7777

const restoreMode = async ({ realPath, stats }: SavedFile, present: Stats): Promise<void> => {
  if (modeOf(present) === modeOf(stats)) return
  await chmod(realPath, modeOf(stats))
  // The caller may use `present` again, so it gets the restored mode.
  present.mode = stats.mode
}

import { resolve } from 'node:path'
import { parsePatch, placeHunks, replaceRuns } from './apply-patch.ts'
import type { Around } from './call.ts'
import { carryEdit } from './carry-edit.ts'
import { carryHunks } from './carry-hunks.ts'
import type { UnseenFile } from './unseen-formatting.ts'

/** Where to look for a file as the model believes that it is, and as it is now. */
export type CarryPlace = {
  unseen: (path: string) => UnseenFile | undefined
  now: (path: string) => string
  directory: string
}

/** Gives a patch whose context and removed lines are those of the files now; null where none has to change. */
const carryPatch = (patchText: string, { unseen, now, directory }: CarryPlace): string | null => {
  const sections = parsePatch(patchText)
  const changes = sections.flatMap((section) => {
    const path = resolve(directory, section.path)
    const file = unseen(path)
    const isShared = sections.some((other) => other !== section && resolve(directory, other.path) === path)
    if (!file || isShared || section.kind !== 'update' || placeHunks(section, now(path))) return []
    return carryHunks(section, file) ?? []
  })
  return changes.length === 0 ? null : replaceRuns(patchText, changes)
}

/** Arguments that a call is run with in place of those that were sent; `around` was put around both texts of an edit. */
export type Carried = { args: Record<string, string>; around: Around | null }

const carryEditArguments = (
  args: Record<string, unknown>,
  { unseen, now, directory }: CarryPlace,
): Carried | null => {
  const { filePath, oldString, newString, replaceAll } = args
  if (typeof oldString !== 'string' || typeof newString !== 'string') return null
  const path = resolve(directory, String(filePath))
  const file = unseen(path)
  const carried = file ? carryEdit(oldString, replaceAll === true, file, now(path)) : null
  if (!carried) return null
  const { around } = carried
  if (!around) return { args: { oldString: carried.oldString }, around }
  const wrap = (text: string) => around.before + text + around.behind
  return { args: { oldString: wrap(carried.oldString), newString: wrap(newString) }, around }
}

/**
 * Carries what a call looks for in its files, an `oldString` or the lines of a patch, over formattings that its model
 * had not seen when it made the call. Null where nothing has to change, or its counterpart cannot be told.
 *
 * Example: the model sends two edits of `a=1\nb=2` at once. The first is formatted to `a = 3\nb = 2`. The `oldString`
 * of the second, `b=2`, becomes `b = 2`.
 */
export const carryArguments = (
  tool: string,
  args: Record<string, unknown>,
  place: CarryPlace,
): Carried | null => {
  if (tool === 'edit') return carryEditArguments(args, place)
  const { patchText } = args
  const carried = tool === 'apply_patch' && typeof patchText === 'string'
    ? carryPatch(patchText, place)
    : null
  return carried === null ? null : { args: { patchText: carried }, around: null }
}

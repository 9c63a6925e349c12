import { resolve } from 'node:path'
import { realign } from '../realign/realign.ts'
import { parsePatch, placeHunks, replaceRuns } from './apply-patch.ts'
import type { Corrected } from './call.ts'
import { carryHunks } from './carry-hunks.ts'
import { occurrences, withLineEnds } from './edits.ts'
import type { UnseenFile } from './unseen-formatting.ts'

/** Where to look for a file as the model believes that it is, and as it is now. */
export type CarryPlace = {
  unseen: (path: string) => UnseenFile | undefined
  now: (path: string) => string
  directory: string
}

/**
 * Gives what an `oldString` has become by a formatting. It must stand once in the text that the model believes in, or
 * with `replaceAll` in all its places have become the same; and its counterparts are to be all that read so in the
 * file. Null where it is to be sought as it was sent, or its counterpart cannot be told.
 */
const carryOldString = (
  oldString: string,
  replaceAll: boolean,
  file: UnseenFile,
  text: string,
): string | null => {
  const wanted = withLineEnds(oldString, text)
  const places = wanted === '' ? [] : occurrences(file.believed, wanted)
  if (places.length === 0 || (places.length > 1 && !replaceAll)) return null
  const find = realign(file.believed, file.text)
  const found = places.map((start) => find({ start, end: start + wanted.length }))
  const [now, ...others] = found.map((range) => range && file.text.slice(range.start, range.end))
  if (!now || now.includes(wanted) || others.some((other) => other !== now)) return null
  return occurrences(text, now).length === places.length ? now : null
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
): Corrected | null => {
  const { filePath, oldString, patchText, replaceAll } = args
  if (tool === 'apply_patch') {
    const value = typeof patchText === 'string' ? carryPatch(patchText, place) : null
    return value === null ? null : { argument: 'patchText', value }
  }
  if (tool !== 'edit' || typeof oldString !== 'string') return null
  const path = resolve(place.directory, String(filePath))
  const file = place.unseen(path)
  const value = file ? carryOldString(oldString, replaceAll === true, file, place.now(path)) : null
  return value === null ? null : { argument: 'oldString', value }
}

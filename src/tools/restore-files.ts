import { namedPaths } from '../instructions/named-paths.ts'
import { shareOf } from '../meaning/words.ts'
import { resolvePath } from '../paths/boundary.ts'
import { fail, ok, type Result } from '../safe.ts'
import { MAX_EDITS } from '../text/changed-stretch.ts'
import { markName } from '../text/hidden-characters.ts'
import { linesOf } from '../text/line-ending.ts'
import { pluralize } from '../text/pluralize.ts'
import { throwRefusal } from '../writing/ask-permission.ts'
import { hasBackup, restoreFile, type RestoreResult } from '../writing/restore.ts'
import type { WriteContext } from '../writing/write-context.ts'
import { answer, type ToolAnswer } from './define-tool.ts'
import { inCode, list } from './notes.ts'

/** Lists the files to restore: those that were named, or else the only discovered one that has such a backup. */
const pathsOf = async (
  { place, discovered, state }: WriteContext,
  files: string | Array<string> = [],
  wanted: string,
): Promise<Result<Array<string>>> => {
  const given = await namedPaths(place.directory, files)
  if (given.error !== null || given.data.length > 0) return given
  const shown = discovered.paths()
  if (shown.length === 0) {
    return fail(
      'No files were discovered yet. Call discover-rules first, or name the file in "files", then call this tool again.',
    )
  }
  const has = await Promise.all(shown.map((path) => hasBackup(state, path, wanted)))
  const possible = shown.filter((_, index) => has[index])
  if (possible.length === 1) return ok(possible)
  return fail(
    possible.length === 0
      ? 'None of the discovered files has such a backup, so nothing was written.'
      : `Several files have a backup, so nothing was written. Name one in "files": ${possible.join(', ')}`,
  )
}

const MOST_ADDED = 10

const wordsIn = (text: string): Array<string> => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/**
 * Lists the lines added since a backup was made: those with no counterpart in it, and those that share no long word with
 * it and few with theirs.
 */
const addedLines = async (before: string, after: string): Promise<Array<string>> => {
  const [{ diffLines }, { unsaidOf }] = await Promise.all([
    import('diff/lib/diff/line.js'),
    import('./unsaid.ts'),
  ])
  const unsaid = new Set(unsaidOf(before, after, Number.MIN_VALUE).lines.map(({ text }) => text))
  const changes = diffLines(before, after, { maxEditLength: MAX_EDITS })
    ?? [{ removed: true, added: false, value: before }, { removed: false, added: true, value: after }]
  return changes.flatMap(({ removed, value }, index) => {
    if (!removed) return []
    const replaced = [changes[index + 1], changes[index - 1]].find((change) => change?.added)
    const lines = linesOf(value).map((line) => line.trim()).filter((line) => /[\p{L}\p{N}]/u.test(line))
    if (replaced === undefined) return lines
    const known = wordsIn(replaced.value)
    return lines.filter((line) => unsaid.has(line) && shareOf(wordsIn(line), known) < 0.5)
  })
}

/** Says what was restored, which later lines the file no longer has, and which backup has them. */
const toLines = async (result: RestoreResult): Promise<string> => {
  const { path } = result
  if (result.status !== 'success') return `Not restored: ${markName(path)}: ${result.error}`
  const restored = `Restored ${markName(path)} from ${markName(result.from)}`
  if (result.backup === null) return `${restored}\nThe file was not there until now.`
  const kept = `${restored}\nBackup of what it said until now: ${markName(result.backup)}`
  const lines = await addedLines(result.before, result.after)
  const added = list(lines.map(inCode), MOST_ADDED)
  return lines.length === 0
    ? kept
    : `${kept}\nIt no longer has ${added}, added since; that is in the backup of what it said until now. Tell the person.`
}

/**
 * Brings back backups of files, which is what rewrite-rules does with `restore`.
 *
 * @param files the files as the model named them, if it did
 * @param wanted the backup's path or name, or `latest`
 * @throws PermissionRefused where a permission was refused and nothing was restored
 */
export const restoreFiles = async (
  writeContext: WriteContext,
  files: string | Array<string> | undefined,
  wanted: string,
): Promise<ToolAnswer> => {
  const paths = await pathsOf(writeContext, files, wanted)
  if (paths.error !== null) return answer('nothing restored', paths.error)
  const results: Array<RestoreResult> = []
  for (const spelling of paths.data) {
    const path = resolvePath(writeContext.place.directory, spelling)
    results.push(
      path.error === null
        ? await restoreFile(writeContext, path.data, wanted)
        : { status: 'refused', path: spelling, error: path.error },
    )
  }
  const restored = results.filter(({ status }) => status === 'success').map(({ path }) => path)
  if (restored.length === 0) throwRefusal(results)
  const output = (await Promise.all(results.map(toLines))).join('\n\n')
  return answer(`${pluralize(restored.length, 'file')} restored`, output, { files: restored })
}

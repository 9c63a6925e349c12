/** Restores files from backups, for rewrite-rules with `restore`. */
import { namedPaths } from '../instructions/named-paths.ts'
import { resolvePath } from '../paths/boundary.ts'
import { fail, ok, type Result } from '../safe.ts'
import { markName } from '../text/hidden-characters.ts'
import { pluralize } from '../text/pluralize.ts'
import { throwRefusal } from '../writing/ask-permission.ts'
import { hasBackup, restoreFile, type RestoreResult } from '../writing/restore.ts'
import type { WriteContext } from '../writing/write-context.ts'
import { answer, type ToolAnswer } from './define-tool.ts'
import { inCode, list } from './notes.ts'
import { goneLines } from './unsaid-lines.ts'

/** Returns the only discovered file with a matching backup. */
const onlyFileWith = async (
  { discovered, state }: WriteContext,
  wanted: string,
): Promise<Result<Array<string>>> => {
  const shown = discovered.paths()
  const has = await Promise.all(shown.map((path) => hasBackup(state, path, wanted)))
  const possible = shown.filter((_, index) => has[index])
  if (possible.length === 1) return ok(possible)
  return fail(
    possible.length === 0
      ? 'None of the discovered files has such a backup, so nothing was written. Name the file in "files".'
      : `Several files have a backup, so nothing was written. Name one in "files": ${possible.join(', ')}`,
  )
}

/** Describes the result for a file: its backups, and the lines that were added since the backup and are gone. */
const describeResult = (result: RestoreResult): string => {
  const { path } = result
  if (result.status !== 'success') return `Not restored: ${markName(path)}: ${result.error}`
  const restored = `Restored ${markName(path)} from ${markName(result.from)}`
  if (result.backup === null) return restored
  const kept = `${restored}\nBackup of what it said until now: ${markName(result.backup)}`
  const gone = list(goneLines(result.before, result.after).map(inCode))
  return gone === ''
    ? kept
    : `${kept}\nIt no longer has ${gone}, added since; that is in the backup. Tell the person.`
}

/**
 * Restores files from backups.
 *
 * @param files the files as the model names them; default: the only discovered file with a matching backup
 * @param wanted path or name of the backup, or `latest`
 * @throws PermissionRefused if a permission was refused and nothing was restored
 */
export const restoreFiles = async (
  writeContext: WriteContext,
  files: string | Array<string> = [],
  wanted: string,
): Promise<ToolAnswer> => {
  const { directory } = writeContext.workspace
  const named = await namedPaths(directory, files)
  const paths = named.data?.length === 0 ? await onlyFileWith(writeContext, wanted) : named
  if (paths.error !== null) return answer('nothing restored', paths.error)
  const results: Array<RestoreResult> = []
  for (const spelling of paths.data) {
    const path = resolvePath(directory, spelling)
    results.push(
      path.error === null
        ? await restoreFile(writeContext, path.data, wanted)
        : { status: 'refused', path: spelling, error: path.error },
    )
  }
  const restored = results.filter(({ status }) => status === 'success').length
  if (restored === 0) throwRefusal(results)
  return answer(`${pluralize(restored, 'file')} restored`, results.map(describeResult).join('\n\n'))
}

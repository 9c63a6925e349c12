/** Restores files from backups, when rewrite-rules is called with `restore`. */
import { namedPaths } from '../instructions/named-paths.ts'
import { isInProject, resolvePath } from '../paths/boundary.ts'
import { fail, ok, type Result } from '../safe.ts'
import { markName } from '../text/hidden-characters.ts'
import { pluralize } from '../text/pluralize.ts'
import { throwIfRefused } from '../writing/ask-host.ts'
import { canRestore, restoreFile, type RestoreResult } from '../writing/restore.ts'
import type { WriteContext } from '../writing/write.ts'
import { answer, type ToolAnswer } from './define-tool.ts'
import { inCode, joinFirst } from './notes.ts'
import { lostLines } from './unsaid-lines.ts'

const NO_BACKUP =
  'None of the discovered files in the project has the backup that "restore" names, so nothing was written. Name the file in "files".'

const onlyFileWith = async (
  { workspace, discovered, state }: WriteContext,
  wantedBackup: string,
): Promise<Result<Array<string>>> => {
  const paths = discovered.paths().filter((path) => isInProject(workspace, path))
  const haveBackup = await Promise.all(paths.map((path) => canRestore(state, path, wantedBackup)))
  const matches = paths.filter((_, index) => haveBackup[index])
  if (matches.length === 1) return ok(matches)
  if (matches.length === 0) return fail(NO_BACKUP)
  const files = matches.join(', ')
  return fail(`Several files have that backup, so nothing was written. Name one in "files": ${files}`)
}

const describeResult = (result: RestoreResult): string => {
  const { path } = result
  if (result.status !== 'success') return `Not restored: ${markName(path)}: ${result.error}`
  const restored = `Restored ${markName(path)} from ${markName(result.from)}`
  if (result.backup === null) return restored
  const withBackup = `${restored}\nBackup of the replaced text: ${markName(result.backup)}`
  const lost = joinFirst(lostLines(result.before, result.after).map(inCode))
  if (lost === '') return withBackup
  const loss = `The file lost this text, which the restored backup lacks: ${lost}. The new backup has it.`
  return `${withBackup}\n${loss} Tell the person.`
}

/** Restores the named files, or the only discovered file that has the wanted backup (a path, a name or `latest`). */
export const restoreFiles = async (
  writeContext: WriteContext,
  wantedBackup: string,
  files: string | Array<string> = [],
): Promise<ToolAnswer> => {
  const { directory } = writeContext.workspace
  const named = await namedPaths(directory, files)
  const paths = named.data?.length === 0 ? await onlyFileWith(writeContext, wantedBackup) : named
  if (paths.error !== null) return answer('nothing restored', paths.error)
  const results: Array<RestoreResult> = []
  for (const sentPath of paths.data) {
    const path = resolvePath(directory, sentPath)
    results.push(
      path.error === null
        ? await restoreFile(writeContext, path.data, wantedBackup)
        : { status: 'refused', path: sentPath, error: path.error },
    )
  }
  const restored = results.filter(({ status }) => status === 'success').length
  if (restored === 0) throwIfRefused(results)
  return answer(`${pluralize(restored, 'file')} restored`, results.map(describeResult).join('\n\n'))
}

import { namedPaths } from '../instructions/named-paths.ts'
import { resolvePath } from '../paths/boundary.ts'
import { markName } from '../text/hidden-characters.ts'
import { pluralize } from '../text/pluralize.ts'
import { throwRefusal } from '../writing/ask-permission.ts'
import { restoreFile, type RestoreResult } from '../writing/restore.ts'
import type { WriteContext } from '../writing/write-context.ts'
import { answer, type ToolAnswer } from './define-tool.ts'
import { inCode, list } from './notes.ts'
import { goneLines } from './unsaid.ts'

const NAME_ONE = 'Nothing was restored: several files were discovered. Name one in "files".'

/** Says what was restored, which later lines the file no longer has, and which backup has them. */
const toLines = (result: RestoreResult): string => {
  const { path } = result
  if (result.status !== 'success') return `Not restored: ${markName(path)}: ${result.error}`
  const restored = `Restored ${markName(path)} from ${markName(result.from)}`
  if (result.backup === null) return `${restored}\nThe file was not there until now.`
  const kept = `${restored}\nBackup of what it said until now: ${markName(result.backup)}`
  const gone = list(goneLines(result.before, result.after).map(inCode))
  return gone === ''
    ? kept
    : `${kept}\nIt no longer has ${gone}, added since; that is in the backup. Tell the person.`
}

/**
 * Brings back backups of files, which is what rewrite-rules does with `restore`.
 *
 * @param files the files as the model named them; left out where one alone was discovered
 * @param wanted the backup's path or name, or `latest`
 * @throws PermissionRefused where a permission was refused and nothing was restored
 */
export const restoreFiles = async (
  writeContext: WriteContext,
  files: string | Array<string> = [],
  wanted: string,
): Promise<ToolAnswer> => {
  const { place: { directory }, discovered } = writeContext
  const named = await namedPaths(directory, files)
  if (named.error !== null) return answer('nothing restored', named.error)
  const paths = named.data.length > 0 ? named.data : discovered.paths()
  if (named.data.length === 0 && paths.length > 1) return answer('nothing restored', NAME_ONE)
  const results: Array<RestoreResult> = []
  for (const spelling of paths) {
    const path = resolvePath(directory, spelling)
    results.push(
      path.error === null
        ? await restoreFile(writeContext, path.data, wanted)
        : { status: 'refused', path: spelling, error: path.error },
    )
  }
  const restored = results.filter(({ status }) => status === 'success').length
  if (restored === 0) throwRefusal(results)
  return answer(`${pluralize(restored, 'file')} restored`, results.map(toLines).join('\n\n'))
}

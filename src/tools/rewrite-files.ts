import { buildTable, type FileResult, toTableRow } from '../compare.ts'
import { findInstructions, type HostView, type InstructionFile, readInstructionFile } from '../discover.ts'
import { throwRefusal } from '../host/permissions.ts'
import { contains, isInside } from '../paths/boundary.ts'
import { realPathOr } from '../paths/real-path.ts'
import { resolveFiles } from '../resolve.ts'
import { processFile } from '../rewrite.ts'
import type { Result } from '../safe.ts'
import { markName } from '../text/hidden-characters.ts'
import type { WriteContext } from '../writing/write-context.ts'
import { answer, count, type ToolAnswer, writtenPaths } from './define-tool.ts'
import { lostNote } from './notes.ts'
import type { RulesToWrite } from './rules-to-write.ts'

/** Which files rewrite-rules is to write: those that were named, or else all that the host loads. */
type FilesToRewrite = {
  /** The session's directory. */
  directory: string
  filesArg: string | Array<string> | undefined
  host: HostView
}

const readInside = async (writeContext: WriteContext, path: string): Promise<InstructionFile> => {
  const realPath = await realPathOr(path)
  // A file outside the project is read only after the person allowed it.
  return isInside(writeContext.place, realPath) ? readInstructionFile(path) : { path, content: '', realPath }
}

/** Finds the files to rewrite. A folder outside the project is looked into only if a file in it was discovered. */
const filesToRewrite = (
  writeContext: WriteContext,
  { directory, filesArg, host }: FilesToRewrite,
): Promise<Result<Array<InstructionFile>>> => {
  const mayList = async (folder: string): Promise<string | null> => {
    const realFolder = await realPathOr(folder)
    const isKnown = isInside(writeContext.place, realFolder)
      || writeContext.discovered.paths().some((path) => contains(realFolder, path))
    return isKnown ? null : 'discover-rules has not shown any file there'
  }
  return resolveFiles(directory, filesArg, {
    find: () => findInstructions(directory, host),
    mayList,
    read: (path) => readInside(writeContext, path),
  })
}

/** Tells what the files lost that no rule says. */
const lostNotes = async (results: Array<FileResult>): Promise<Array<string>> => {
  const { lostText } = await import('../markdown/lost-text.ts')
  return results.flatMap((result) =>
    result.status === 'success'
      ? lostNote(result.path, lostText(result.before, result.after), result.backup !== null)
      : []
  )
}

const toNotes = (results: Array<FileResult>): Array<string> => {
  const written = results.filter((result) => result.status === 'success')
  return [
    ...results.flatMap((result) =>
      result.status === 'success' ? [] : [`Not written: ${markName(result.path)}: ${result.error}`]
    ),
    ...written.flatMap(({ path, backup }) =>
      backup === null ? [] : [`Backup of ${markName(path)}: ${markName(backup)}`]
    ),
    ...(written.length > 1 ? [`The same rules were written to ${written.length} files.`] : []),
  ]
}

/**
 * Writes rules to each of the files that are meant, which is what rewrite-rules does with `rules` (sat-plan.md).
 *
 * @throws PermissionRefused where a permission was refused and nothing was written
 */
export const rewriteFiles = async (
  writeContext: WriteContext,
  toWrite: RulesToWrite,
  meant: FilesToRewrite,
): Promise<ToolAnswer> => {
  const files = await filesToRewrite(writeContext, meant)
  if (files.error !== null) return answer('no files', files.error)
  const { rules, mode, notes } = toWrite
  const results: Array<FileResult> = []
  for (const file of files.data) results.push(await processFile({ file, rules, mode, writeContext }))
  const written = writtenPaths(results)
  if (written.length === 0) throwRefusal(results)
  return answer(
    `${count(written.length, 'file')}, ${count(rules.length, 'rule')}`,
    [buildTable(results.map(toTableRow)), ...await lostNotes(results), ...toNotes(results), ...notes].join(
      '\n\n',
    ),
    { files: written },
  )
}

import { contains, isInside } from '../boundary.ts'
import { buildTable, type FileResult, toTableRow } from '../compare.ts'
import {
  findInstructions,
  type HostView,
  type InstructionFile,
  readInstructionFile,
  uniqueFiles,
} from '../discover.ts'
import { readInBatches, realPathOr } from '../read-text.ts'
import { expandFiles, type NamedPath } from '../resolve.ts'
import { processFile } from '../rewrite.ts'
import { fail, ok, type Result } from '../safe.ts'
import type { Door } from '../write-file.ts'
import { answer, count, type ToolAnswer } from './define-tool.ts'
import { isRejection, PermissionRefused } from './door.ts'
import type { RulesToWrite } from './rules-to-write.ts'

export type FilesToRewrite = {
  /** The session's directory. */
  directory: string
  filesArg: string | Array<string> | undefined
  host: HostView
}

const toFile = async (door: Door, { path, error }: NamedPath): Promise<InstructionFile> => {
  if (error !== undefined) return { path, content: '', error }
  const realPath = await realPathOr(path)
  // Outside the project nothing is read before the person was asked.
  return isInside(door.place, realPath) ? readInstructionFile(path) : { path, content: '', realPath }
}

/** The files to rewrite; folders outside the project where nothing was discovered are not looked into. */
const filesToRewrite = async (
  door: Door,
  { directory, filesArg, host }: FilesToRewrite,
): Promise<Result<Array<InstructionFile>>> => {
  const toFiles = async (named: Array<NamedPath>) =>
    ok(await readInBatches(named, (one) => toFile(door, one)))
  if (filesArg === undefined) {
    const { paths, error } = await findInstructions(directory, host)
    return error === null ? toFiles(paths.map((path) => ({ path }))) : fail(error)
  }
  const mayList = async (folder: string): Promise<string | null> => {
    const realFolder = await realPathOr(folder)
    const isKnown = isInside(door.place, realFolder)
      || [...door.discovered].some((path) => contains(realFolder, path))
    return isKnown ? null : 'discover-rules has not shown any file there'
  }
  const named = await expandFiles(directory, filesArg, mayList)
  return named.error === null ? toFiles(named.data) : named
}

/** Rewrites file after file; a person's no, or a call that was stopped, ends it for those that are left. */
const processFiles = async (
  files: Array<InstructionFile>,
  { rules, mode }: RulesToWrite,
  door: Door,
): Promise<Array<FileResult>> => {
  const results: Array<FileResult> = []
  let rejected = false
  for (const file of files) {
    const result: FileResult = rejected
      ? { status: 'stopped', path: file.path, error: 'not asked for after the refusal before it' }
      : await processFile({ file, rules, mode, door })
    rejected ||= result.status === 'refused' && isRejection(result.thrown)
    results.push(result)
  }
  return results
}

const toNotes = (results: Array<FileResult>): Array<string> => {
  const written = results.filter((result) => result.status === 'success')
  return [
    ...results.flatMap((result) =>
      result.status === 'success' ? [] : [`Not written: ${result.path}: ${result.error}`]
    ),
    ...written.flatMap(({ path, backup }) => backup === null ? [] : [`Backup of ${path}: ${backup}`]),
    ...(written.length > 1 ? [`The same rules were written to ${written.length} files.`] : []),
  ]
}

/**
 * What rewrite-rules does with `rules`: writes them to each of the files that are meant (sat-plan.md).
 *
 * @throws PermissionRefused where a permission was refused and nothing was written
 */
export const rewriteFiles = async (
  door: Door,
  toWrite: RulesToWrite,
  meant: FilesToRewrite,
): Promise<ToolAnswer> => {
  const files = await filesToRewrite(door, meant)
  if (files.error !== null) return answer('no files', files.error)
  const results = await processFiles(uniqueFiles(files.data), toWrite, door)
  const written = results.filter(({ status }) => status === 'success').length
  const refusal = results.find((result) => result.status === 'refused' && result.thrown !== undefined)
  if (written === 0 && refusal?.status === 'refused') throw new PermissionRefused(refusal.thrown)
  return answer(
    `${count(written, 'file')}, ${count(toWrite.rules.length, 'rule')}`,
    [buildTable(results.map(toTableRow)), ...toNotes(results), ...toWrite.notes].join('\n\n'),
  )
}

import { buildTable, type FileResult, toTableRow } from '../compare.ts'
import { findInstructions, type HostView, type InstructionFile, readInstructionFile } from '../discover.ts'
import { throwRefusal } from '../host/permissions.ts'
import { contains, isInside } from '../paths/boundary.ts'
import { realPathOr } from '../paths/real-path.ts'
import { resolveFiles } from '../resolve.ts'
import { processFile } from '../rewrite.ts'
import { sourcesOf } from '../rule-schema.ts'
import { ok, type Result } from '../safe.ts'
import { markName } from '../text/hidden-characters.ts'
import { pluralize } from '../text/pluralize.ts'
import { codeName } from '../text/quoted-name.ts'
import type { WriteContext } from '../writing/write-context.ts'
import { answer, type ToolAnswer, writtenPaths } from './define-tool.ts'
import { inCode, list } from './notes.ts'
import { hasSources, type SessionRules } from './pipeline-state.ts'
import { filesOfSources, type GivenRules, rulesForFile, type RulesToWrite } from './rules-to-write.ts'

/** The files that rewrite-rules writes: those that were named, or else all that the host loads. */
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

/** Finds the files to rewrite. A folder outside the project is listed only if a file in it was discovered. */
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

/** Notes what of a wholly replaced file its rules do not say. */
const lostNote = async (
  { path, before, after, backup }: FileResult & { status: 'success' },
): Promise<string> => {
  const { unsaidOf } = await import('../markdown/unsaid.ts')
  const { lines, names } = unsaidOf(before, after)
  if (lines.length === 0 && names.length === 0) return ''
  const named = names.length === 0 ? '' : `, with ${list(names.map(inCode))}`
  const kept = backup === null ? '' : '; the backup has them, and /restore-rules brings the file back'
  const lost = pluralize(lines.length, 'line')
  return `${lost} of ${codeName(path)} are in no rule${named}${kept}. Tell the person.`
}

type Written = { result: FileResult; toWrite: RulesToWrite | null }

const toNotes = async (results: Array<Written>): Promise<Array<string>> => {
  const written = results.flatMap(({ result, toWrite }) =>
    result.status === 'success' && toWrite !== null ? [{ result, toWrite }] : []
  )
  const whole = written.filter(({ toWrite }) => sourcesToWrite(toWrite) === undefined)
  const lost = await Promise.all(whole.map(({ result }) => lostNote(result)))
  return [
    ...lost.filter((note) => note !== ''),
    ...results.flatMap(({ result }) =>
      result.status === 'success' ? [] : [`Not written: ${markName(result.path)}: ${result.error}`]
    ),
    ...written.flatMap(({ result: { path, backup } }) =>
      backup === null ? [] : [`Backup of ${markName(path)}: ${markName(backup)}`]
    ),
    ...(whole.length > 1 ? [`The same rules were written to ${whole.length} files.`] : []),
    ...new Set(written.flatMap(({ toWrite }) => toWrite.notes)),
  ]
}

/** Gives the sources of the rules to write, where they have some. */
const sourcesToWrite = ({ set }: RulesToWrite): Array<Array<string>> | undefined =>
  set !== undefined && hasSources(set) ? set.parsed!.rules.map(sourcesOf) : undefined

/**
 * Writes to each file the rules that belong to it: those whose sources stand in it, or else rules without sources.
 *
 * @throws PermissionRefused where a permission was refused and nothing was written
 */
export const rewriteFiles = async (
  writeContext: WriteContext,
  session: SessionRules,
  given: GivenRules,
  meant: FilesToRewrite,
): Promise<ToolAnswer> => {
  const ofSources = meant.filesArg === undefined ? filesOfSources(session, given) : ok([])
  if (ofSources.error !== null) return answer('no rules', ofSources.error)
  const filesArg = ofSources.data.length > 0 ? ofSources.data : meant.filesArg
  const files = await filesToRewrite(writeContext, { ...meant, filesArg })
  if (files.error !== null) return answer('no files', files.error)
  const chosen = files.data.map((file) => ({
    file,
    toWrite: rulesForFile(session, given, file.realPath ?? file.path),
  }))
  const refusal = chosen.find(({ toWrite }) => toWrite.error !== null)?.toWrite.error
  if (refusal !== undefined && refusal !== null && chosen.every(({ toWrite }) => toWrite.error !== null)) {
    return answer('no rules', refusal)
  }
  // The sets are used up: what the model sends next in the same message belongs to another file.
  for (const { toWrite } of chosen) if (toWrite.data?.set !== undefined) toWrite.data.set.isUsed = true
  const results: Array<Written> = []
  for (const { file, toWrite } of chosen) results.push(await write(writeContext, session, file, toWrite))
  const written = writtenPaths(results.map(({ result }) => result))
  if (written.length === 0) throwRefusal(results.map(({ result }) => result))
  const amount = results.reduce(
    (sum, { result }) => sum + (result.status === 'success' ? result.rulesCount : 0),
    0,
  )
  const table = buildTable(results.map(({ result }) => toTableRow(result)))
  return answer(
    `${pluralize(written.length, 'file')}, ${pluralize(amount, 'rule')}`,
    [table, ...await toNotes(results)].join('\n\n'),
    { files: written },
  )
}

const write = async (
  writeContext: WriteContext,
  session: SessionRules,
  file: InstructionFile,
  toWrite: Result<RulesToWrite>,
): Promise<Written> => {
  if (toWrite.error !== null) {
    return { result: { status: 'refused', path: file.path, error: toWrite.error }, toWrite: null }
  }
  const { rules, mode, set } = toWrite.data
  const sources = sourcesToWrite(toWrite.data)
  const result = await processFile({ file, rules, mode, sources, writeContext })
  // The sources are gone from the file: the next change is parsed again.
  if (result.status === 'success' && sources !== undefined) {
    session.sets = session.sets.filter((one) => one !== set)
  }
  return { result, toWrite: toWrite.data }
}

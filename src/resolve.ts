/** Reads the files that a tool's argument `files` names or, without the argument, the files that the host loads. */
import { dirname, resolve } from 'node:path'
import {
  findInstructions,
  type FoundInstructions,
  type InstructionFile,
  readInstructionFile,
  uniqueFiles,
} from './discover.ts'
import { foldersToSkip, isGlob, parseGlob, unicodeFormsOf } from './instructions/glob.ts'
import { namedPaths } from './instructions/named-paths.ts'
import { expandHome, resolvePath, withSlashes } from './paths/boundary.ts'
import { pathExists } from './paths/real-path.ts'
import { fail, ok, type Result } from './safe.ts'

/** With an `error`, nothing is read, and `path` may be invalid or a glob. */
type ExpandedPath = { path: string; error?: string }

/** Asks the person if necessary, so calls must not overlap. Returns why a glob may not list a folder, or null. */
type MayList = (folder: string) => Promise<string | null>

const MAX_MATCHES = 200

/** Through a link, a glob in an allowed folder may match files in a refused folder. */
const withoutRefused = async (
  matches: Array<string>,
  globPath: string,
  mayList: MayList,
): Promise<Array<ExpandedPath>> => {
  const refusals = new Map<string, string>()
  for (const folder of new Set(matches.map((path) => dirname(path)))) {
    const refusal = await mayList(folder)
    if (refusal !== null) refusals.set(folder, refusal)
  }
  const allowed = matches.filter((path) => !refusals.has(dirname(path))).map((path) => ({ path }))
  const [firstRefusal] = refusals.values()
  return firstRefusal ? [...allowed, { path: globPath, error: firstRefusal }] : allowed
}

const matchGlob = async (
  directory: string,
  pattern: string,
  mayList: MayList,
): Promise<Result<Array<ExpandedPath>>> => {
  const glob = await parseGlob(unicodeFormsOf(pattern), { directory, dot: true })
  if (glob.error !== null) return glob
  const { folders, files: listFiles } = glob.data
  for (const folder of folders) {
    const refusal = await mayList(folder)
    if (refusal !== null) return fail(refusal)
  }
  const skippedFolders = new Set((await Promise.all(folders.map(foldersToSkip))).flat())
  const matches = (await listFiles((folder) => skippedFolders.has(folder))).sort()
  const { length } = matches
  if (length === 0) return fail('no file matches')
  const tooMany =
    `it matches ${length} files, more than ${MAX_MATCHES}; narrow the pattern, or name fewer files`
  if (length > MAX_MATCHES) return fail(tooMany)
  return ok(await withoutRefused(matches, resolve(directory, pattern), mayList))
}

const expandPath = async (
  directory: string,
  sentPath: string,
  mayList: MayList,
): Promise<Array<ExpandedPath>> => {
  const { data: path, error } = resolvePath(directory, sentPath)
  if (error !== null) return [{ path: sentPath, error }]
  // `app/[id]/AGENTS.md` looks like a glob, but may be a file.
  for (const form of unicodeFormsOf(path)) if (await pathExists(form)) return [{ path: form }]
  if (!isGlob(sentPath)) return [{ path }]
  const matches = await matchGlob(directory, expandHome(sentPath), mayList)
  return matches.error === null ? matches.data : [{ path, error: matches.error }]
}

/** Expands the globs in the argument `files`; fails if it names no file or too many files. */
export const expandFiles = async (
  directory: string,
  filesArg: string | Array<string>,
  mayList: MayList = async () => null,
): Promise<Result<Array<ExpandedPath>>> => {
  const sentPaths = await namedPaths(directory, filesArg)
  if (sentPaths.error !== null) return sentPaths
  if (sentPaths.data.length === 0) return fail('No valid file paths provided')
  const expandedByPath = new Map<string, ExpandedPath>()
  for (const sentPath of sentPaths.data) {
    for (const expanded of await expandPath(directory, withSlashes(sentPath), mayList)) {
      expandedByPath.set(expanded.path, expanded)
    }
  }
  return ok([...expandedByPath.values()])
}

const loadedPaths = ({ paths, error }: FoundInstructions): Result<Array<ExpandedPath>> =>
  error === null ? ok(paths.map((path) => ({ path }))) : fail(error)

/** The defaults never ask the person. */
type ResolveOptions = {
  find?: () => Promise<FoundInstructions>
  mayList?: MayList
  read?: (path: string) => Promise<InstructionFile>
}

export const resolveFiles = async (
  directory: string,
  filesArg?: string | Array<string>,
  { find = () => findInstructions(directory), mayList, read = readInstructionFile }: ResolveOptions = {},
): Promise<Result<Array<InstructionFile>>> => {
  const named = filesArg === undefined
    ? loadedPaths(await find())
    : await expandFiles(directory, filesArg, mayList)
  if (named.error !== null) return named
  const files: Array<InstructionFile> = []
  // One at a time, because each read may ask the person.
  for (const { path, error } of named.data) {
    files.push(error === undefined ? await read(path) : { path, content: '', error })
  }
  return ok(uniqueFiles(files))
}

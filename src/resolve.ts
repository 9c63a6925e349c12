import { dirname, resolve } from 'node:path'
import {
  findInstructions,
  type FoundInstructions,
  type InstructionFile,
  readInstructionFile,
  uniqueFiles,
} from './discover.ts'
import { foldersToSkip, formsOf, isGlob, openGlob } from './instructions/glob.ts'
import { namedPaths } from './instructions/named-paths.ts'
import { expandHome, resolvePath, withSlashes } from './paths/boundary.ts'
import { isThere } from './paths/real-path.ts'
import { fail, ok, type Result } from './safe.ts'

/** An absolute path that `files` names; `error` says why there is nothing to read. */
export type NamedPath = { path: string; error?: string }

/** Says why files may not be looked for in a folder, or null. It may ask the person. */
export type MayList = (folder: string) => Promise<string | null>

/** How many files one pattern may name: more are no instruction files. */
const MAX_MATCHES = 200

/** Gives the paths that match a pattern. Folders that may not be listed give one path with the reason. */
const matchesOf = async (
  directory: string,
  pattern: string,
  mayList: MayList,
): Promise<Result<Array<NamedPath>>> => {
  const glob = await openGlob(formsOf(pattern), { directory, dot: true })
  if (glob.error !== null) return glob
  const { folders, files } = glob.data
  // One after the other, for each may be a question to a person.
  for (const folder of folders) {
    const refusal = await mayList(folder)
    if (refusal !== null) return fail(refusal)
  }
  const skipped = new Set((await Promise.all(folders.map(foldersToSkip))).flat())
  const found = (await files((folder) => skipped.has(folder))).sort()
  if (found.length === 0) return fail('no file matches')
  if (found.length > MAX_MATCHES) {
    return fail(`it matches ${found.length} files, more than ${MAX_MATCHES}; name a folder or a few of them`)
  }
  // A wildcard may have matched a link to a folder anywhere.
  const refusals = new Map<string, string>()
  for (const folder of new Set(found.map((path) => dirname(path)))) {
    const refusal = await mayList(folder)
    if (refusal !== null) refusals.set(folder, refusal)
  }
  const paths = found.filter((path) => !refusals.has(dirname(path))).map((path) => ({ path }))
  const [error] = refusals.values()
  return ok(error === undefined ? paths : [...paths, { path: resolve(directory, pattern), error }])
}

const expandSpelling = async (
  directory: string,
  spelling: string,
  mayList: MayList,
): Promise<Array<NamedPath>> => {
  const resolved = resolvePath(directory, spelling)
  if (resolved.error !== null) return [{ path: spelling, error: resolved.error }]
  const path = resolved.data
  // A file of exactly that name is meant, such as `app/[id]/AGENTS.md`.
  for (const form of formsOf(path)) if (await isThere(form)) return [{ path: form }]
  if (!isGlob(spelling)) return [{ path }]
  const found = await matchesOf(directory, expandHome(spelling), mayList)
  return found.error === null ? found.data : [{ path, error: found.error }]
}

/**
 * Expands the argument `files` into absolute paths, globs included; no file is read.
 *
 * @param mayList is asked before a glob looks into a folder
 * @returns at least one path, or `No valid file paths provided`
 */
export const expandFiles = async (
  directory: string,
  filesArg: string | Array<string>,
  mayList: MayList = async () => null,
): Promise<Result<Array<NamedPath>>> => {
  const spellings = await namedPaths(directory, filesArg)
  if (spellings.error !== null) return spellings
  if (spellings.data.length === 0) return fail('No valid file paths provided')
  const paths = new Map<string, NamedPath>()
  // One after the other, for each may be a question to a person.
  for (const spelling of spellings.data) {
    for (const named of await expandSpelling(directory, withSlashes(spelling), mayList)) {
      paths.set(named.path, named)
    }
  }
  return ok([...paths.values()])
}

/** How a tool finds and reads files. By default all is found by `directory` alone, and read without a question. */
export type ResolveOptions = {
  /** Finds the instruction files of the session. */
  find?: () => Promise<FoundInstructions>
  mayList?: MayList
  /** Reads a file by its absolute path, after the question for it if there is one. */
  read?: (path: string) => Promise<InstructionFile>
}

/**
 * Reads the files that a tool works on: those named in `filesArg`, or without it those that the host loads in
 * `directory`.
 *
 * @param filesArg paths and patterns with commas between, or a list of them
 */
export const resolveFiles = async (
  directory: string,
  filesArg?: string | Array<string>,
  { find = () => findInstructions(directory), mayList, read = readInstructionFile }: ResolveOptions = {},
): Promise<Result<Array<InstructionFile>>> => {
  const found = filesArg === undefined ? await find() : undefined
  if (found?.error) return fail(found.error)
  const named: Result<Array<NamedPath>> = filesArg === undefined
    ? ok(found?.paths.map((path) => ({ path })) ?? [])
    : await expandFiles(directory, filesArg, mayList)
  if (named.error !== null) return named
  const files: Array<InstructionFile> = []
  // One after the other, for each may be a question to a person, and what is read may decide what is still read.
  for (const { path, error } of named.data) {
    files.push(error === undefined ? await read(path) : { path, content: '', error })
  }
  return ok(uniqueFiles(files))
}

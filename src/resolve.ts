import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { resolvePath } from './boundary.ts'
import {
  discover,
  type HostView,
  type InstructionFile,
  readInstructionFile,
  uniqueFiles,
} from './discover.ts'
import { globFiles, isGlob } from './instruction-globs.ts'
import { readInBatches } from './read-text.ts'
import { fail, ok, type Result } from './safe.ts'

/** An absolute path that `files` names; `error` says why there is nothing to read. */
export type NamedPath = { path: string; error?: string }

/** Gives the reason why files in a folder may not be looked for, or null. */
export type MayList = (folder: string) => Promise<string | null>

/** The folder that a pattern starts from: its parts before the first that has wildcards. */
const baseOf = async (pattern: string): Promise<string> => {
  const parts = pattern.split('/')
  for (let length = 1; length <= parts.length; length++) {
    if (await isGlob(parts.slice(0, length).join('/'))) return parts.slice(0, length - 1).join('/') || '/'
  }
  return pattern
}

const expandSpelling = async (
  directory: string,
  spelling: string,
  mayList: MayList,
): Promise<Array<NamedPath>> => {
  const resolved = resolvePath(directory, spelling)
  if (resolved.error !== null) return [{ path: spelling, error: resolved.error }]
  const path = resolved.data
  // What is there by its very name is meant, such as `app/[id]/AGENTS.md`.
  const isThere = await lstat(path).then(() => true, () => false)
  if (isThere || !(await isGlob(path))) return [{ path }]
  const base = await baseOf(path)
  const refusal = await mayList(base)
  if (refusal !== null) return [{ path, error: refusal }]
  const found = await globFiles(path.slice(join(base, '/').length), { directory: base, dot: true })
  return found.length > 0
    ? found.sort().map((match) => ({ path: match }))
    : [{ path, error: 'no file matches' }]
}

// A comma between braces belongs to a pattern.
const SPELLING = /(?:\{(?:[^{}]|\{[^{}]*\})*\}|[^,])+/g

/** The spellings in `files`: a string is a list with commas between, a list's entries stand as they are. */
export const toSpellings = (filesArg: string | Array<string>): Array<string> =>
  (typeof filesArg === 'string' ? filesArg.match(SPELLING) ?? [] : filesArg)
    .map((spelling) => spelling.trim())
    .filter((spelling) => spelling !== '')

/**
 * The files that `files` names, by absolute path, globs expanded; no file is read.
 *
 * @param filesArg paths with commas between, or a list of paths, in which a comma is part of the path
 * @param mayList is asked before a glob looks into a folder
 * @returns at least one path, or `No valid file paths provided`
 */
export const expandFiles = async (
  directory: string,
  filesArg: string | Array<string>,
  mayList: MayList = async () => null,
): Promise<Result<Array<NamedPath>>> => {
  const spellings = toSpellings(filesArg)
  if (spellings.length === 0) return fail('No valid file paths provided')
  const paths = new Map<string, NamedPath>()
  // One after the other, for each may be a question to a person.
  for (const spelling of spellings) {
    for (const named of await expandSpelling(directory, spelling, mayList)) paths.set(named.path, named)
  }
  return ok([...paths.values()])
}

/**
 * The files that a tool works on: those named in `filesArg`, or without it those that `discover` finds
 * (sat-plan.md, resolve.ts).
 */
export const resolveFiles = async (
  directory: string,
  filesArg?: string | Array<string>,
  host?: HostView,
): Promise<Result<Array<InstructionFile>>> => {
  if (filesArg === undefined) return discover(directory, host)
  const named = await expandFiles(directory, filesArg)
  if (named.error !== null) return named
  const read = async ({ path, error }: NamedPath): Promise<InstructionFile> =>
    error === undefined ? readInstructionFile(path) : { path, content: '', error }
  return ok(uniqueFiles(await readInBatches(named.data, read)))
}

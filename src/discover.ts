/** Finds and reads the instruction files that OpenCode (the host) loads, such as `AGENTS.md`. */
import { stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import stripJsonComments from 'strip-json-comments'
import {
  type InstructionPaths,
  instructionPaths,
  type InstructionSources,
} from './instructions/loaded-files.ts'
import { expandHome, foldersUpTo } from './paths/boundary.ts'
import { pathExists, realPathOrSelf } from './paths/real-path.ts'
import { fail, ok, type Result, safe } from './safe.ts'
import { MAX_BYTES, readInBatches, readText, withoutBom } from './text/read.ts'

export type InstructionFile = {
  path: string
  /** Empty if the file was not read. */
  content: string
  error?: string
  realPath?: string
  /** In bytes, set only if the file is longer than the caller's limit. */
  size?: number
}

/** Facts of a session that only the host knows, so code that runs without the host omits them. */
export type HostView = Omit<InstructionSources, 'directory' | 'worktree' | 'instructions'> & {
  /** By default, the root of the nearest repository or, without one, the directory. */
  worktree?: string | undefined
  /** By default, the `instructions` of `opencode.json` in the directory. */
  instructions?: Array<string> | undefined
}

/** If there are no paths, `error` says why. */
export type FoundInstructions = InstructionPaths & { error: string | null }

export const parseConfig = (text: string): Result<unknown> =>
  safe(() => JSON.parse(stripJsonComments(withoutBom(text), { trailingCommas: true })) as unknown)

const readInstructions = async (directory: string): Promise<Result<Array<string>>> => {
  const path = join(directory, 'opencode.json')
  const text = await readText(path)
  if (text.error !== null) return fail(`Could not read ${path}: ${text.error}`)
  const config = parseConfig(text.data.text)
  if (config.error !== null) return fail(`Invalid JSON in ${path}: ${config.error}`)
  const { instructions } = Object(config.data) as { instructions?: unknown }
  if (!Array.isArray(instructions)) return fail(`No "instructions" array found in ${path}`)
  return ok(instructions.filter((entry): entry is string => typeof entry === 'string'))
}

const repositoryOf = async (directory: string): Promise<string> => {
  for (const folder of foldersUpTo(directory, '/')) if (await pathExists(join(folder, '.git'))) return folder
  return directory
}

/** Reads a file. If it has more than `maxBytes`, but at most `MAX_BYTES`, returns its `size` instead of its content. */
export const readInstructionFile = async (path: string, maxBytes = MAX_BYTES): Promise<InstructionFile> => {
  const stats = await stat(path).catch(() => null)
  if (stats?.isFile() && stats.size > maxBytes && stats.size <= MAX_BYTES) {
    return { path, content: '', realPath: await realPathOrSelf(path), size: stats.size }
  }
  const read = await readText(path)
  return read.error === null
    ? { path, content: read.data.text, realPath: read.data.realPath }
    : { path, content: '', realPath: await realPathOrSelf(path), error: read.error }
}

export const readFilePaths = (directory: string, paths: Array<string>): Promise<Array<InstructionFile>> =>
  readInBatches(paths, (path) => readInstructionFile(resolve(directory, expandHome(path))))

export const uniqueFiles = (files: Array<InstructionFile>): Array<InstructionFile> => {
  const realPaths = new Set<string>()
  return files.filter(({ path, realPath = path }) => !realPaths.has(realPath) && realPaths.add(realPath))
}

/** Finds the paths of the instruction files that the host loads in `directory`, without reading them. */
export const findInstructions = async (
  directory: string,
  { worktree, instructions, ...view }: HostView = {},
): Promise<FoundInstructions> => {
  const entries = instructions ? ok(instructions) : await readInstructions(directory)
  const found = await instructionPaths({
    ...view,
    directory,
    worktree: worktree ?? await repositoryOf(directory),
    instructions: entries.data ?? [],
  })
  if (found.paths.length > 0) return { ...found, error: null }
  // The host's `instructions` may be empty because `opencode.json` has a fault. Reads the file to report that fault.
  const { data, error } = instructions?.length === 0 ? await readInstructions(directory) : entries
  const patterns = data?.join(', ') || 'none are given'
  return { ...found, error: error ?? `No instruction files found matching patterns: ${patterns}` }
}

export const discover = async (
  directory: string,
  host?: HostView,
): Promise<Result<Array<InstructionFile>>> => {
  const { paths, error } = await findInstructions(directory, host)
  return error === null ? ok(uniqueFiles(await readFilePaths(directory, paths))) : fail(error)
}

/** Finds and reads the instruction files that the host loads. */
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

/**
 * An instruction file by its absolute path. `error` says why it could not be read. `size` is its size in bytes, and is set
 * only if the file was not read because it is longer than the caller's limit.
 */
export type InstructionFile = {
  path: string
  content: string
  error?: string
  realPath?: string
  size?: number
}

/** The host's knowledge of a session. Missing fields are read from the nearest repository and `opencode.json`. */
export type HostView = {
  worktree?: string | undefined
  /** The `instructions` of the host's merged config. */
  instructions?: Array<string> | undefined
} & Omit<InstructionSources, 'directory' | 'worktree' | 'instructions'>

/** The paths of a session's instruction files; `error` says why there are none. */
export type FoundInstructions = InstructionPaths & { error: string | null }

const CONFIG = 'opencode.json'

/** Parses a config of the host, which is JSON with comments and trailing commas. */
export const parseConfig = (text: string): Result<unknown> =>
  safe(() => JSON.parse(stripJsonComments(withoutBom(text), { trailingCommas: true })) as unknown)

const readInstructions = async (directory: string): Promise<Result<Array<string>>> => {
  const path = join(directory, CONFIG)
  const text = await readText(path)
  if (text.error !== null) return fail(`Could not read ${path}: ${text.error}`)
  const config = parseConfig(text.data.text)
  if (config.error !== null) return fail(`Invalid JSON in ${path}: ${config.error}`)
  const { instructions } = Object(config.data) as { instructions?: unknown }
  if (!Array.isArray(instructions)) return fail(`No "instructions" array found in ${path}`)
  return ok(instructions.filter((entry): entry is string => typeof entry === 'string'))
}

const repositoryOf = async (directory: string): Promise<string> => {
  for (const folder of foldersUpTo(directory, '/')) {
    if (await pathExists(join(folder, '.git'))) return folder
  }
  return directory
}

/**
 * Reads a file by its path. The `error` of the result says why it could not be read. A file longer than `maxBytes`,
 * but not than `MAX_BYTES`, is not read: the result has its size. A longer one has an `error`.
 */
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

/** Reads files by path, relative to `directory`; the `error` of a file says why it could not be read. */
export const readFilePaths = (directory: string, paths: Array<string>): Promise<Array<InstructionFile>> =>
  readInBatches(paths, (path) => readInstructionFile(resolve(directory, expandHome(path))))

/** Removes files with the same real path as an earlier one. */
export const uniqueFiles = (files: Array<InstructionFile>): Array<InstructionFile> => {
  const realPaths = new Set<string>()
  return files.filter(({ path, realPath = path }) => !realPaths.has(realPath) && realPaths.add(realPath))
}

/**
 * Finds the paths of the instruction files that the host loads in `directory`.
 *
 * @returns the paths. If there are none, `error` says why: the config cannot be read, is not JSON, has no `instructions`,
 * or they match nothing
 */
export const findInstructions = async (
  directory: string,
  { worktree, instructions, ...view }: HostView = {},
): Promise<FoundInstructions> => {
  const entries = instructions?.length ? ok(instructions) : await readInstructions(directory)
  const found = await instructionPaths({
    ...view,
    directory,
    worktree: worktree ?? await repositoryOf(directory),
    instructions: instructions ?? entries.data ?? [],
  })
  if (found.paths.length > 0) return { ...found, error: null }
  return {
    ...found,
    error: entries.error
      ?? `No instruction files found matching patterns: ${entries.data.join(', ') || 'none are given'}`,
  }
}

/** Finds and reads the instruction files that the host loads in `directory`. */
export const discover = async (
  directory: string,
  host?: HostView,
): Promise<Result<Array<InstructionFile>>> => {
  const { paths, error } = await findInstructions(directory, host)
  return error === null ? ok(uniqueFiles(await readFilePaths(directory, paths))) : fail(error)
}

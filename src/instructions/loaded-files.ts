/**
 * The folder `instructions/`: finds the instruction files that the host loads, and instruction files that the host does
 * not load, such as `.cursorrules`. This file finds the loaded files in the same way as OpenCode 1.18.33.
 */
import { access } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { expandHome, foldersUpTo } from '../paths/boundary.ts'
import { parseGlob } from './glob.ts'
import { whyUnmatched } from './unmatched-entries.ts'

/** In the host's order of priority. */
export const PROJECT_NAMES = ['AGENTS.md', 'CLAUDE.md', 'CONTEXT.md']

export type InstructionSources = {
  directory: string
  /** The worktree's root, or the disk's root if there is no repository. */
  worktree: string
  instructions: Array<string>
  globalFiles?: Array<string>
  projectNames?: Array<string>
  /** Where relative entries of `instructions` are looked up. */
  folders?: Array<string>
  abort?: AbortSignal | undefined
}

export type InstructionPaths = {
  paths: Array<string>
  remote: Array<string>
  unmatched: Array<{ entry: string; reason: string }>
}

export const existingPaths = async (paths: Array<string>): Promise<Array<string>> => {
  const found = await Promise.all(paths.map((path) => access(path).then(() => [path], () => [])))
  return found.flat()
}

const projectFiles = async (folders: Array<string>, names: Array<string>): Promise<Array<string>> => {
  for (const name of names) {
    const found = await existingPaths(folders.map((folder) => join(folder, name)))
    if (found.length > 0) return found
  }
  return []
}

// A longer path names no file on Linux, but the glob library would look up each of its parts.
const MAX_PATH = 4_096

const matchEntry = async (entry: string, folders: Array<string>, abort: AbortSignal | undefined) => {
  if (entry.length > MAX_PATH) {
    return { entry: `${entry.slice(0, 100)}…`, paths: [], reason: `it has more than ${MAX_PATH} characters` }
  }
  const expanded = entry.startsWith('~/') ? expandHome(entry) : entry
  // As in the host, wildcards match hidden files (`dot`) if the entry is relative, but not if it is absolute.
  const globs = await Promise.all(
    isAbsolute(expanded)
      ? [parseGlob(basename(expanded), { directory: dirname(expanded), dot: false, abort })]
      : folders.map((directory) => parseGlob(expanded, { directory, dot: true, abort })),
  )
  const fault = globs.find(({ error }) => error !== null)?.error
  if (fault) return { entry, paths: [], reason: `it is not looked up: ${fault}` }
  const paths = (await Promise.all(globs.map(({ data }) => data?.files() ?? []))).flat()
  return { entry, paths, reason: paths.length === 0 ? await whyUnmatched(expanded, folders) : '' }
}

export const instructionPaths = async (sources: InstructionSources): Promise<InstructionPaths> => {
  const { directory, worktree, instructions, globalFiles = [], projectNames = PROJECT_NAMES, abort } = sources
  const levels = foldersUpTo(directory, worktree)
  const folders = sources.folders ?? levels
  const remote = instructions.filter((entry) => /^https?:\/\//.test(entry))
  const entries = instructions.filter((entry) => !remote.includes(entry))
  const matches = await Promise.all(entries.map((entry) => matchEntry(entry, folders, abort)))
  const globalFile = (await existingPaths(globalFiles)).slice(0, 1)
  const defaultFiles = [...globalFile, ...await projectFiles(levels, projectNames)]
  const paths = [...defaultFiles, ...matches.flatMap((match) => match.paths)].map((path) => resolve(path))
  const unmatched = matches.flatMap(({ paths, ...match }) => paths.length === 0 ? match : [])
  return { paths: [...new Set(paths)], remote: [...new Set(remote)], unmatched }
}

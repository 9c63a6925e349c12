import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import stripJsonComments from 'strip-json-comments'
import { glob, isDynamicPattern } from 'tinyglobby'
import { expandHome } from './boundary.ts'
import { readText } from './read-text.ts'
import { fail, ok, type Result, safe, safeAsync } from './safe.ts'

/** An instruction file by its absolute path; `error` says why it could not be read. */
export type InstructionFile = { path: string; content: string; error?: string }

const CONFIG = 'opencode.json'

const readInstructions = (path: string, text: string): Result<Array<string>> => {
  const config = safe(() => JSON.parse(stripJsonComments(text, { trailingCommas: true })) as unknown)
  if (config.error !== null) return fail(`Invalid JSON in ${path}: ${config.error}`)
  const { instructions } = Object(config.data) as { instructions?: unknown }
  if (!Array.isArray(instructions)) return fail(`No "instructions" array found in ${path}`)
  return ok(instructions.filter((entry): entry is string => typeof entry === 'string'))
}

const expandPattern = async (directory: string, pattern: string): Promise<Array<string>> => {
  const path = expandHome(pattern)
  if (!isDynamicPattern(path)) return [resolve(directory, path)]
  return (await glob(path, { cwd: directory, absolute: true, dot: true, expandDirectories: false })).sort()
}

const readInstructionFile = async (path: string): Promise<InstructionFile> => {
  const read = await readText(path)
  return read.error === null
    ? { path, content: read.data.text }
    : { path, content: '', error: read.error }
}

/** Reads files by path, relative ones against `directory`; a file that cannot be read says so in its `error`. */
export const readFilePaths = (directory: string, paths: Array<string>): Promise<Array<InstructionFile>> =>
  Promise.all(paths.map((path) => readInstructionFile(resolve(directory, expandHome(path)))))

/**
 * Finds and reads the files that `opencode.json` in `directory` names in its `instructions`
 * (sat-spec.md, discover-rules).
 */
export const discover = async (directory: string): Promise<Result<Array<InstructionFile>>> => {
  const path = join(directory, CONFIG)
  const text = await safeAsync(() => readFile(path, 'utf8'))
  if (text.error !== null) return fail(`Could not read ${path}: ${text.error}`)
  const patterns = readInstructions(path, text.data)
  if (patterns.error !== null) return patterns
  const found = await Promise.all(patterns.data.map((pattern) => expandPattern(directory, pattern)))
  const files = await readFilePaths(directory, [...new Set(found.flat())])
  const existing = files.filter(({ error }) => error !== 'no such file')
  return existing.length > 0
    ? ok(existing)
    : fail(`No instruction files found matching patterns: ${patterns.data.join(', ')}`)
}

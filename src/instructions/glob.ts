/**
 * Globs on the disk. The host expands those of its `instructions` by the same library with the same options, so that
 * the matches and their order are the same.
 */
import type { Glob } from 'glob'
import { resolve } from 'node:path'
import { fail, ok, type Result, safe } from '../safe.ts'

// The package's entry is a bundle, which would bring other packages without their licences.
const loadGlob = () => import('glob/raw')

type Pattern = Glob<object>['patterns'][number]

/** How a pattern is looked up: where it starts if it is relative, and whether its wildcards match a leading dot. */
type GlobOptions = { directory: string; dot: boolean; abort?: AbortSignal | undefined }

/** A pattern that is cheap enough to be looked up. */
type OpenGlob = {
  /** The highest folders that its matches can lie in: `{a,../b}/*.md` has one for each alternative. */
  folders: Array<string>
  /** Lists the absolute paths of the files that match; none where a folder cannot be read. */
  files: () => Promise<Array<string>>
}

// A pattern beyond one of these holds the whole host for seconds or for good.
const MAX_LENGTH = 500
const MAX_ALTERNATIVES = 1_000
const MAX_WILDCARDS = 4
const MAX_CLASSES = 20

// A spelling without any of these is a plain path, and the library is not loaded for it.
const WILDCARDS = /[*?[{(]/

// What can match the same letters in many ways. The library tries each of them on a name that does not match.
const REPEATS = /\*+|[+!]\(/g
const AMBIGUOUS_GROUP = /[+*]\([^)]*[|(*]/

/** Why a pattern is too long to be parsed, or null. */
const excessOf = (pattern: string): string | null => {
  if (pattern.length > MAX_LENGTH) {
    return `a pattern has at most ${MAX_LENGTH} characters, this one has ${pattern.length}`
  }
  // For each `[` that nothing closes the library searches the whole pattern.
  return pattern.split('[').length > MAX_CLASSES + 1 ? `a pattern has at most ${MAX_CLASSES} times [` : null
}

const partFault = (part: string): string | null => {
  if (AMBIGUOUS_GROUP.test(part)) {
    return `the pattern repeats a group with wildcards or choices in it: ${part}`
  }
  const repeats = part === '**' ? 0 : part.match(REPEATS)?.length ?? 0
  return repeats > MAX_WILDCARDS
    ? `a pattern has at most ${MAX_WILDCARDS} wildcards between two slashes: ${part}`
    : null
}

const faultOf = ({ patterns }: Glob<object>): string | null => {
  if (patterns.length > MAX_ALTERNATIVES) {
    return `the braces of a pattern stand for at most ${MAX_ALTERNATIVES} patterns`
  }
  for (const pattern of patterns) {
    const parts = pattern.globString().split('/')
    if (parts.filter((part) => part === '**').length > MAX_WILDCARDS) {
      return `a pattern has at most ${MAX_WILDCARDS} times **`
    }
    const fault = parts.map(partFault).find((one) => one !== null)
    if (fault !== undefined) return fault
  }
  return null
}

const partsOf = (pattern: Pattern): Array<Pattern> => {
  const parts: Array<Pattern> = []
  for (let part: Pattern | null = pattern; part !== null; part = part.rest()) parts.push(part)
  return parts
}

/** Gives the highest folder that a pattern without braces can match in: `a` for `a/*`, one more up for each `..` there. */
const folderOf = (pattern: Pattern, directory: string): string => {
  const parts = partsOf(pattern)
  const wild = parts.findIndex((part) => !part.isString())
  const fixed = parts.slice(0, wild < 0 ? -1 : wild).map((part) => String(part.pattern()))
  let depth = 0
  let lowest = 0
  for (const part of wild < 0 ? [] : parts.slice(wild)) {
    // `**` may stand for no folder at all.
    depth += part.pattern() === '..' ? -1 : part.isGlobstar() ? 0 : 1
    lowest = Math.min(lowest, depth)
  }
  const start = fixed.length === 1 && fixed[0] === '' ? '/' : fixed.join('/')
  return resolve(directory, start, '../'.repeat(-lowest))
}

/** Parses a pattern, relative to a directory or absolute; gives why it is not looked up where it would take too long. */
export const openGlob = async (
  pattern: string,
  { directory, dot, abort }: GlobOptions,
): Promise<Result<OpenGlob>> => {
  const excess = excessOf(pattern)
  if (excess !== null) return fail(excess)
  const { Glob } = await loadGlob()
  const glob = safe(() =>
    new Glob(pattern, {
      cwd: directory,
      absolute: true,
      nodir: true,
      dot,
      follow: false,
      braceExpandMax: MAX_ALTERNATIVES + 1,
      ...(abort === undefined ? {} : { signal: abort }),
    })
  )
  if (glob.error !== null) return fail(`it is no pattern: ${glob.error}`)
  const fault = faultOf(glob.data)
  if (fault !== null) return fail(fault)
  return ok({
    folders: [...new Set(glob.data.patterns.map((one) => folderOf(one, directory)))],
    files: () => glob.data.walk().catch(() => []),
  })
}

/** Lists the absolute paths of the files that match a pattern; none where it cannot be looked up. */
export const globFiles = async (pattern: string, options: GlobOptions): Promise<Array<string>> =>
  (await openGlob(pattern, options)).data?.files() ?? []

/** Whether a spelling has wildcards, braces included. */
export const isGlob = async (pattern: string): Promise<boolean> => {
  if (!WILDCARDS.test(pattern)) return false
  if (excessOf(pattern) !== null) return true
  const { hasMagic } = await loadGlob()
  // A pattern that the library cannot parse is a pattern: `openGlob` says what is wrong with it.
  return safe(() => hasMagic(pattern, { magicalBraces: true, braceExpandMax: MAX_ALTERNATIVES + 1 })).data
    ?? true
}

/** Lists the files below a folder but for those in `.git` and `node_modules`; null where they are more than `most`. */
export const listFiles = async (folder: string, most: number): Promise<Array<string> | null> => {
  const { Glob } = await loadGlob()
  const ignore = ['**/.git/**', '**/node_modules/**']
  const files: Array<string> = []
  for await (
    const file of new Glob('**', { cwd: folder, nodir: true, dot: true, follow: false, posix: true, ignore })
  ) {
    if (files.push(file) > most) return null
  }
  return files
}

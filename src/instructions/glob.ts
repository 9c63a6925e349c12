/**
 * Globs on the disk. The host expands its `instructions` with the same library and options, so the matches and their
 * order are the same.
 */
import type { Path } from 'glob'
import { join, posix, resolve } from 'node:path'
import { askGit } from '../paths/git.ts'
import { fail, ok, type Result, safe } from '../safe.ts'

/** A pattern that can be looked up. */
type OpenGlob = {
  /** The highest folders that its matches can lie in: `{a,../b}/*.md` has one for each alternative. */
  folders: Array<string>
  /**
   * Lists the absolute paths of the files that match; none where a folder cannot be read.
   *
   * @param isSkipped whether a folder is not looked into, by its absolute path and its name
   */
  files: (isSkipped?: (path: string, name: string) => boolean) => Promise<Array<string>>
}

/** How long a pattern may be. */
const MAX_LENGTH = 1_000

/** Gives the highest folder that a pattern without braces can match in: `a` for `a/*`, one more up for each `..` there. */
const folderOf = (pattern: string, directory: string): string => {
  const fixed = /^(?:[^*?[(/]*\/)*/.exec(pattern)![0]
  // `**` may stand for no folder at all.
  const rest = posix.normalize(pattern.slice(fixed.length).replace(/(?<=^|\/)\*\*\//g, ''))
  return resolve(directory, fixed, /^(?:\.\.\/)*/.exec(rest)![0])
}

/** Gives a name as it stands, then as macOS and as others write its accents: `é` as two characters, or as one. */
export const formsOf = (name: string): [string, ...Array<string>] => [
  name,
  ...[name.normalize('NFD'), name.normalize('NFC')].filter((form) => form !== name),
]

/**
 * Parses a pattern, relative to a directory or absolute; gives why it cannot be looked up.
 *
 * @param pattern several are taken as the alternatives of one
 * @param dot whether its wildcards match a leading dot
 */
export const openGlob = async (
  pattern: string | [string, ...Array<string>],
  { directory, dot, abort }: { directory: string; dot: boolean; abort?: AbortSignal | undefined },
): Promise<Result<OpenGlob>> => {
  const { length } = [pattern].flat()[0]!
  if (length > MAX_LENGTH) {
    return fail(`a pattern has at most ${MAX_LENGTH} characters, this one has ${length}`)
  }
  // The package's entry is a bundle, which would bring other packages without their licences.
  const { Glob } = await import('glob/raw')
  // One walk for each: a walk takes two names that differ in how their accents are written for the same.
  const open = (isSkipped: (path: string, name: string) => boolean) =>
    [pattern].flat().map((one) =>
      new Glob(one, {
        // The library ignores what is more.
        braceExpandMax: 1_000,
        cwd: directory,
        absolute: true,
        nodir: true,
        dot,
        follow: false,
        ignore: { childrenIgnored: (path: Path) => isSkipped(path.fullpath(), path.name) },
        ...(abort === undefined ? {} : { signal: abort }),
      })
    )
  const globs = safe(() => open(() => false))
  if (globs.error !== null) return fail(`it is no pattern: ${globs.error}`)
  const patterns = globs.data.flatMap((one) => one.patterns)
  return ok({
    folders: [...new Set(patterns.map((one) => folderOf(one.globString(), directory)))],
    files: async (isSkipped = () => false) => {
      const found = await Promise.all(open(isSkipped).map((one) => one.walk().catch(() => [])))
      return [...new Set(found.flat())]
    },
  })
}

/** Lists the folders below one that git ignores, and `.git`: a search of a project does not mean them. */
export const foldersToSkip = async (folder: string): Promise<Array<string>> => {
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory']
  const { text } = await askGit(folder, args)
  // `./` is a folder that is itself ignored: it was named.
  const ignored = text.split('\0').filter((path) => path.endsWith('/') && path !== './')
  return ['.git', 'node_modules', ...ignored].map((path) => join(folder, path.replace(/\/$/, '')))
}

/** Whether a path has wildcards, a set in brackets, alternatives in braces or parentheses. */
export const isGlob = (pattern: string): boolean =>
  /[*?]|\[[^[\]]+\]|\{[^{}]*(?:,|\.\.)|[@!+]\(/.test(pattern)

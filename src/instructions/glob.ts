/** Finds the files that match a glob, with the host's library and options, and with limits against hostile patterns. */
import type { Path } from 'glob'
import { join, posix, resolve } from 'node:path'
import { askGit } from '../paths/git.ts'
import { fail, ok, type Result, safe } from '../safe.ts'

type IsSkipped = (folderPath: string, folderName: string) => boolean

type ParsedGlob = {
  /** The absolute paths of the highest folders that can contain matches: in `/w`, `{a,../b}/*.md` → `/w/a`, `/b` */
  folders: Array<string>
  files: (isSkipped?: IsSkipped) => Promise<Array<string>>
}

const MAX_LENGTH = 1_000

/** `/w/a/?/../../*` → `/w` */
const folderOf = (pattern: string, directory: string): string => {
  const fixed = /^(?:[^*?[(/]*\/)*/.exec(pattern)![0]
  // In `a/**/../b`, `**` may match no folder, and then `..` leads out of `a`.
  const rest = pattern.slice(fixed.length).replace(/(?<=^|\/)\*\*\//g, '')
  const [stepsUp] = /^(?:\.\.\/)*/.exec(posix.normalize(rest))!
  return resolve(directory, fixed, stepsUp)
}

/** Returns a name, then its other Unicode forms, because macOS writes `é` as two characters. */
export const unicodeFormsOf = (name: string): [string, ...Array<string>] => [
  name,
  ...[name.normalize('NFD'), name.normalize('NFC')].filter((form) => form !== name),
]

/** If `pattern` is a list, it has the Unicode forms of one glob. */
export const parseGlob = async (
  pattern: string | [string, ...Array<string>],
  { directory, dot, abort }: { directory: string; dot: boolean; abort?: AbortSignal | undefined },
): Promise<Result<ParsedGlob>> => {
  const forms = [pattern].flat()
  const { length } = forms[0]!
  if (length > MAX_LENGTH) {
    return fail(`a pattern has at most ${MAX_LENGTH} characters, this one has ${length}`)
  }
  // The main entry of `glob` is a bundle that contains other packages without their licences.
  const { Glob } = await import('glob/raw')
  // Each form has its own walk, because a single walk merges names that differ only in their Unicode form.
  const createGlobs = (isSkipped: IsSkipped) =>
    forms.map((form) =>
      new Glob(form, {
        // The library ignores alternatives beyond this number.
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
  const globs = safe(() => createGlobs(() => false))
  if (globs.error !== null) return fail(`it is not a valid pattern: ${globs.error}`)
  const alternatives = globs.data.flatMap((glob) => glob.patterns)
  return ok({
    folders: [...new Set(alternatives.map((one) => folderOf(one.globString(), directory)))],
    files: async (isSkipped = () => false) => {
      const found = await Promise.all(createGlobs(isSkipped).map((glob) => glob.walk().catch(() => [])))
      return [...new Set(found.flat())]
    },
  })
}

export const foldersToSkip = async (folder: string): Promise<Array<string>> => {
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory']
  const { text } = await askGit(folder, args)
  // Git lists `./` if it ignores `folder` itself. The caller named `folder`, so it is not skipped.
  const ignored = text.split('\0').filter((path) => path.endsWith('/') && path !== './')
  return ['.git', 'node_modules', ...ignored].map((path) => join(folder, path.replace(/\/$/, '')))
}

/** Whether a path contains a wildcard (`*`, `?`), a set (`[ab]`) or alternatives (`{a,b}`, `{1..3}`, `@(a|b)`). */
export const isGlob = (pattern: string): boolean =>
  /[*?]|\[[^[\]]+\]|\{[^{}]*(?:,|\.\.)|[@!+]\(/.test(pattern)

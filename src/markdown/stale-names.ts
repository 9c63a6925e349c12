/**
 * Names in backticks that surely do not exist in a project any more: paths whose first folder exists while the rest
 * does not, globs that match nothing, scripts that no package.json, Makefile or justfile has.
 *
 * What may be an example, a plan, a route, a package or a branch is not judged.
 */
import { basename, dirname, join, relative } from 'node:path'
import { whyCostly } from '../instructions/glob-limits.ts'
import { contains } from '../paths/boundary.ts'
import type { CodeSpan } from './markdown.ts'
import { isClaimed, isOfOtherKind, isPlaceholder } from './name-claims.ts'
import type { ProjectFiles } from './project-files.ts'
import { isDependency, missingScript } from './project-scripts.ts'

/** A name that does not exist, the line that it stands in, counted from 1, and why it does not exist. */
export type StaleName = { line: number; name: string; reason: string }

// How many names and globs of a file are judged, and how long they may be: more would hold the answer up.
const MAX_NAMES = 500
const MAX_GLOBS = 50
const MAX_LENGTH = 200

// A folder that tools fill, and whose files come and go.
const OUTPUT =
  /^(?:dist|build|out|output|target|coverage|node_modules|vendor|tmp|temp|logs?|generated|__generated__|\.(?:git|next|nuxt|cache|venv|turbo|idea))$/

// A path with any of these is a glob. Parentheses are none: real folders have them in their names.
const WILDCARDS = /[*?{[]/
// An extension, which begins with a letter: `v1.2` has none.
const EXTENSION = /\.[a-z]\w{0,7}$/i

// The beginning of a path that leads out of the project, and characters that no path in prose has.
const NO_PATH = /^[/~@]|^\.\.(?:\/|$)|\s|\/\/|["'`|&;=()^:]/

// What a bundler is asked for behind a file's extension: `logo.svg?raw`.
const QUERY = /^([^*?[{]*\.\w+)\?\w+$/

/**
 * Reads a name as a path, without `./`, an anchor, a line number, the name of a test or a query; undefined where it is
 * none.
 */
const pathIn = (name: string): string | undefined => {
  const path = name.replace(/^\.\//, '').replace(/(?:#|::?(?=\w)).*$/, '').replace(QUERY, '$1')
  return path.includes('/') && !NO_PATH.test(path) ? path : undefined
}

const someAsync = async <T>(items: Array<T>, test: (item: T) => Promise<boolean>): Promise<boolean> =>
  (await Promise.all(items.map(test))).includes(true)

type Project = {
  files: ProjectFiles
  /** The folders that a path may be meant from: the file's own, the session's, the root. */
  bases: Array<string>
}

/** Whether a path can be judged: its first folder exists, no tool fills it, and no `.gitignore` matches it. */
const isJudged = async (path: string, first: string, { files, bases }: Project): Promise<boolean> => {
  if (first === '' || path.split('/').some((part) => OUTPUT.test(part))) return false
  const based = await Promise.all(
    bases.map(async (base) =>
      await files.hasFolder(join(base, first))
      && !(await files.isIgnored(relative(files.root, join(base, path))))
    ),
  )
  return based.includes(true)
}

/** Whether a path exists, or the same path with another extension: `a.js` exists where `a.ts` does. */
const isThere = async (path: string, { files, bases }: Project): Promise<boolean> => {
  const bare = path.replace(/\/+$/, '')
  return someAsync(bases, (base) => files.hasStem(join(base, bare)))
}

const stalePath = async (path: string, isName: boolean, project: Project): Promise<string | undefined> => {
  const { files, bases } = project
  const [first = '', ...rest] = path.split('/').filter((part) => part !== '')
  if (rest.length === 0 || !(await isJudged(path, first, project)) || await isThere(path, project)) {
    return undefined
  }
  // `docs/tests` may mean two folders.
  const areApart = isName
    && await someAsync(
      bases,
      async (base) => (await Promise.all(rest.map((part) => files.has(join(base, part))))).every(Boolean),
    )
  if (areApart) return undefined
  // A path may be meant from a folder further down.
  if (await files.someEndsWith(path.replace(/\/+$/, ''))) return undefined
  return `not there, though \`${first}/\` is`
}

const staleGlob = async (glob: string, project: Project): Promise<string | undefined> => {
  const { files, bases } = project
  const parts = glob.split('/')
  const fixed = parts.slice(0, parts.findIndex((part) => WILDCARDS.test(part)))
  const [first = ''] = fixed
  if (!(await isJudged(glob, first, project))) return undefined
  const list = await files.list()
  const linked = await someAsync(
    bases,
    (base) => files.hasLinks(relative(files.root, join(base, fixed.join('/')))),
  )
  if (list === null || linked) return undefined
  // People write `docs/**.md` for all that is below; to the library that is `docs/*.md`.
  const deep = glob.replace(/\*\*(?=[^/*])/g, '**/*')
  if (whyCostly(`**/${deep}`) !== null) return undefined
  const { default: picomatch } = await import('picomatch')
  const isMatch = picomatch([
    deep,
    `**/${deep}`,
    ...bases.map((base) => join(relative(files.root, base), deep)),
  ], { dot: true })
  return list.some((path) => isMatch(path)) ? undefined : `no file matches, though \`${first}/\` is there`
}

/** Why a name does not exist, or undefined where it does or may. */
const reasonAgainst = async (
  span: CodeSpan,
  folder: string,
  project: Project,
  left: { globs: number },
): Promise<string | undefined> => {
  if (span.text.length > MAX_LENGTH || !isClaimed(span)) return undefined
  const path = pathIn(span.text)
  if (path === undefined) return missingScript(span.text, folder, project.files)
  if (isPlaceholder(path)) return undefined
  const isName = !path.endsWith('/') && !EXTENSION.test(basename(path))
  if (
    isName && (isOfOtherKind(path, span) || await isDependency(path.split('/')[0]!, folder, project.files))
  ) {
    return undefined
  }
  if (WILDCARDS.test(path)) return left.globs-- > 0 ? staleGlob(path, project) : undefined
  return stalePath(path, isName, project)
}

/**
 * Finds the names in a file that surely do not exist in the project, in their order, each once. The names in a file
 * outside the project are not judged.
 *
 * @param path the real path of the file
 * @param directory the session's directory
 */
export const staleNames = async (
  path: string,
  codeSpans: Array<CodeSpan>,
  directory: string,
  files: ProjectFiles,
): Promise<Array<StaleName>> => {
  if (!contains(files.root, path)) return []
  const folder = dirname(path)
  const project = { files, bases: [...new Set([folder, directory, files.root])] }
  const left = { globs: MAX_GLOBS }
  const judged = new Set<string>()
  const stale: Array<StaleName> = []
  for (const span of codeSpans.slice(0, MAX_NAMES)) {
    if (judged.has(span.text)) continue
    const reason = await reasonAgainst(span, folder, project, left)
    if (reason === undefined) continue
    judged.add(span.text)
    stale.push({ line: span.line, name: span.text, reason })
  }
  return stale
}

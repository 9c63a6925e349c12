/**
 * The folder `markdown/`: the frontmatter of a Markdown text, its syntax tree, and the names in it that are stale.
 *
 * A stale name is not in the project: a path that is nowhere in the tree although its first folder exists, a glob that
 * matches nothing, a link that leads nowhere, or a script that no file defines. The names are shown to the model, which
 * judges whether the text expects them to exist.
 */
import { dirname, posix, relative } from 'node:path'
import { isGlob } from '../instructions/glob.ts'
import { contains, withSlashes } from '../paths/boundary.ts'
import { ignoredByGit } from '../paths/git.ts'
import { pathExists } from '../paths/real-path.ts'
import { namesIn, type TextName } from './names-in-text.ts'
import { hasPathEndingIn, isUnlisted, type ProjectTree, readTree } from './project-tree.ts'
import { readScriptFiles, whyScriptMissing } from './stale-scripts.ts'

/** A stale name, the file and the line (from 1) that contain it, and the reason. */
type StaleName = { path: string; line: number; name: string; reason: string }

/** A text and its file: `path` as shown to the model, `realPath` if it differs from `path`. */
type TextOfFile = { path: string; realPath?: string; content: string }

/** The project's folder and the session's folder. */
type Folders = { root: string; directory: string }

/** A name in the text of a file: a path or a command. */
type NameInFile = TextName & {
  file: string
  /** The folders that the name may be relative to, as paths from the root; the file's own folder first. */
  bases: Array<string>
  /** The name as a path; null if it is no path that can be checked: it is then read as a command. */
  path: string | null
  /** The paths from the root that the path may stand for. */
  candidates: Array<string>
}

type Suspect = StaleName & Pick<NameInFile, 'candidates'>

// Further names are not looked up: each takes time.
const MAX_NAMES_PER_TEXT = 500
const MAX_GLOBS_IN_ALL_TEXTS = 40

/** Finds the stale names, text by text, each once per text. Skips the texts of files outside of the project. */
export const staleNames = async (texts: Array<TextOfFile>, folders: Folders): Promise<Array<StaleName>> => {
  const names = texts.filter(({ path, realPath = path }) => contains(folders.root, realPath))
    .flatMap((text) => namesInText(text, folders))
  const tree = names.length === 0 ? null : await readTree(folders.root)
  if (tree === null) return []
  const scriptFiles = await readScriptFiles(tree)
  const suspects = new Map<string, Suspect>()
  let globCount = 0
  for (const name of names) {
    const { file, line, text, path, bases, candidates } = name
    if (path !== null && isGlob(path) && globCount++ >= MAX_GLOBS_IN_ALL_TEXTS) continue
    const reason = path === null
      ? whyScriptMissing(text, bases[0]!, tree, scriptFiles)
      : await whyPathMissing(path, name, tree)
    // Two paths are one name if they have the same last candidate: `src/a.ts` and `./src/a.ts`. Two commands are one if
    // they have the same reason: `npm run x` and `npm run x -- --fix`.
    const key = `${file}\0${candidates.at(-1) ?? reason}`
    if (reason !== null && !suspects.has(key)) {
      suspects.set(key, { path: file, line, name: text, reason, candidates })
    }
  }
  return withoutExisting([...suspects.values()], tree)
}

const namesInText = (
  { path: file, realPath = file, content }: TextOfFile,
  { root, directory }: Folders,
): Array<NameInFile> => {
  const bases = [dirname(realPath), directory, root].map((folder) => withSlashes(relative(root, folder)))
  return namesIn(content).slice(0, MAX_NAMES_PER_TEXT).map((name) => {
    const path = pathIn(name)
    return { ...name, file, bases, path, candidates: path === null ? [] : candidatesOf(path, bases) }
  })
}

/** Joins a path to each base: `a.ts` with the bases `web` and `''` → `web/a.ts`, `a.ts`. Skips what is outside the root. */
const candidatesOf = (path: string, bases: Array<string>): Array<string> => {
  const candidates = bases.map((base) => posix.join(base, path.replace(/\/$/, '')))
  return [...new Set(candidates)].filter((candidate) => !candidate.startsWith('..'))
}

/** Returns the path in a name, without what may precede or follow it; null if there is none that can be checked. */
const pathIn = ({ text, form }: TextName): string | null => {
  const path = text.normalize()
    // `@docs/a.md` → `docs/a.md`; `./docs/a.md` → `docs/a.md`
    .replace(/^@(?=\w.*\.\w+$)|^\.\//, '')
    // An anchor, a line number or a test: `docs/a.md#use`, `src/a.ts:12`, `tests/a.py::test_b` → the part before it
    .replace(/(?:#|::?(?=\w)).*$/, '')
    // A query: `src/a.svg?raw` → `src/a.svg`
    .replace(/^([^*?[{]*\.\w+)\?\w+$/, '$1')
  if (form === 'command' || UNCHECKED.some((pattern) => pattern.test(path))) return null
  // A name without a slash is a path only in a link: elsewhere, `a.b` may be a property.
  const isPath = /\/./.test(path) || (form === 'link' && EXTENSION.test(path))
  return isPath ? path : null
}

const EXTENSION = /\.[a-z]\w{0,7}$/i

// If a path matches one of these, it is not checked.
const UNCHECKED = [
  // NUL, whitespace, quotation marks, operators, `<name>`, `…`
  /[\0\s"'`|&;=()^:<>$…%\\]/,
  // `/etc/hosts`, `~/notes.md`, `@scope/package`
  /^[/~@]/,
  // `a//b`, `src/.../b.ts`
  /\/\/|\.\.\./,
  // The placeholder `{id}`; `{a,b}` is a glob.
  /\{[^,}]*\}/,
  // The placeholder `[slug]`; `[a-z]` is a glob.
  /\[[^\]]*[a-z]{2}/,
  // The placeholders `YYYY` and `XX`
  /(?<![A-Za-z\d])([A-Z])\1+(?![A-Za-z\d])/,
  // A part that starts with a dot, such as `.env` or `.cache/`: tools create these locally.
  /(?:^|\/)\.[^./]/,
]

/** Returns why a path seems to be missing; null if it exists or may exist. */
const whyPathMissing = async (
  path: string,
  { candidates, form, bases }: Omit<NameInFile, 'path'>,
  tree: ProjectTree,
): Promise<string | null> => {
  const mayExist = (candidate: string): boolean =>
    tree.files.has(candidate) || tree.folders.has(candidate) || isUnlisted(tree, candidate)
  if (candidates.some(mayExist)) return null
  const isNamedAsFolder = path.endsWith('/')
  // A name without an extension may be a branch, a route or a package.
  if (!EXTENSION.test(path) && !isNamedAsFolder && !isGlob(path)) return null
  if (form === 'link') return candidates.length > 0 ? 'the link leads nowhere' : null
  // If not even the first folder exists, the name may be from elsewhere.
  const firstFolder = path.split('/', 1)[0]!
  if (!bases.some((base) => tree.folders.has(posix.join(base, firstFolder)))) return null
  const contrast = `though \`${firstFolder}/\` is there`
  if (isGlob(path)) return await isGlobMatched(path, tree) ? null : `no file matches, ${contrast}`
  // People may leave out the folders above a path: `util/date.ts` for `src/util/date.ts`.
  const endings = candidates.map((candidate) => isNamedAsFolder ? `${candidate}/` : candidate)
  return endings.some((ending) => hasPathEndingIn(tree, ending)) ? null : `not found, ${contrast}`
}

/** Whether a glob matches a file or folder of the project, at any depth. */
const isGlobMatched = async (path: string, { files, folders }: ProjectTree): Promise<boolean> => {
  const { Minimatch } = await import('minimatch')
  // People write `docs/**.md` and mean every file below the folder; the library reads it as `docs/*.md`.
  const glob = `**/${path.replace(/\*\*(?=[^/*])/g, '**/*').replace(/\/$/, '')}`
  const pattern = new Minimatch(glob, { dot: true, nocomment: true, nonegate: true, braceExpandMax: 1_000 })
  return [...files, ...folders].some((entry) => pattern.match(entry))
}

/**
 * Drops the suspects with a candidate that is on the disk, or that git ignores: a tool may create it. Drops all if git
 * is asked and does not answer.
 */
const withoutExisting = async (
  suspects: Array<Suspect>,
  { root, isListedByGit }: ProjectTree,
): Promise<Array<StaleName>> => {
  const paths = suspects.flatMap(({ candidates }) => candidates)
  const exists = await Promise.all(paths.map((path) => pathExists(posix.join(root, path))))
  const missing = new Set(paths.filter((_, index) => !exists[index]))
  // Git is asked only about missing paths: with a `/` after a symbolic link, it would not answer for any path.
  const ignored = isListedByGit ? await ignoredByGit(root, [...missing].map((path) => `${path}/`)) : new Set()
  return suspects.filter(({ candidates }) =>
    candidates.every((path) => missing.has(path) && ignored?.has(`${path}/`) === false)
  )
}

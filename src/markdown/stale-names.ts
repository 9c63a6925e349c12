/**
 * The folder `markdown/`: the frontmatter of a Markdown text, its syntax tree, and the names in it that are stale.
 *
 * A stale name is not in the project: a path that is nowhere in the tree although its first folder exists, a glob that
 * matches nothing, a link that leads nowhere, or a script that no file defines. The model that is shown the name judges
 * whether the text expects it to exist.
 */
import { dirname, posix, relative } from 'node:path'
import { contains, withSlashes } from '../paths/boundary.ts'
import { ignoredByGit } from '../paths/git.ts'
import { pathExists } from '../paths/real-path.ts'
import { namesIn, type TextName } from './names-in-text.ts'
import { hasPathEndingIn, isUnlisted, type ProjectTree, readTree } from './project-tree.ts'
import { readScripts, whyScriptMissing } from './stale-scripts.ts'

/** A name that is not in the project, the text's file and the line (from 1) that contain it, and the reason. */
type StaleName = { path: string; line: number; name: string; reason: string }

/** A name that is not in the project's tree but may still exist, at one of `candidates`. A script's name has none. */
type Suspect = StaleName & { candidates: Array<string> }

/** A text and its file: `path` as shown to the model, `realPath` if it differs from `path`. */
type TextOfFile = { path: string; realPath?: string; content: string }

/** The project's folder and the session's folder. */
type Folders = { root: string; directory: string }

const MAX_NAMES_PER_TEXT = 500
const MAX_GLOBS_IN_ALL_TEXTS = 40

/**
 * Finds, text by text, the names that are not in the project, each once per text. Skips the texts of files outside of
 * the project.
 */
export const staleNames = async (texts: Array<TextOfFile>, folders: Folders): Promise<Array<StaleName>> => {
  const names = namesInTexts(texts, folders)
  const tree = names.length === 0 ? null : await readTree(folders.root)
  if (tree === null) return []
  const scripts = await readScripts(tree)
  const suspects = new Map<string, Suspect>()
  let globCount = 0
  for (const { file, bases, line, text, form } of names) {
    const path = pathIn(text, form)
    if (path !== null && isGlob(path) && globCount++ >= MAX_GLOBS_IN_ALL_TEXTS) continue
    const candidates = path === null ? [] : candidatesOf(path, bases)
    const reason = path === null
      ? whyScriptMissing(text, bases[0]!, scripts)
      : await whyPathMissing({ path, form, bases, candidates }, tree)
    // `npm run x` and `npm run x -- --fix` name the same script, and have the same reason.
    const key = `${file}\0${candidates.at(-1) ?? reason}`
    if (reason !== null && !suspects.has(key)) {
      suspects.set(key, { path: file, line, name: text, reason, candidates })
    }
  }
  return withoutExisting([...suspects.values()], tree)
}

/** A name in the text of `file`; `bases` are the folders that it may be relative to, the file's own folder first. */
type NameInFile = TextName & { file: string; bases: Array<string> }

/** Finds the names in the texts of the project's files. Their `bases` are paths from the root. */
const namesInTexts = (texts: Array<TextOfFile>, { root, directory }: Folders): Array<NameInFile> =>
  texts.filter(({ path, realPath = path }) => contains(root, realPath))
    .flatMap(({ path, realPath = path, content }) => {
      const bases = [dirname(realPath), directory, root].map((folder) => withSlashes(relative(root, folder)))
      return namesIn(content).slice(0, MAX_NAMES_PER_TEXT).map((name) => ({ ...name, file: path, bases }))
    })

/** Returns a name as a path, without what may precede or follow it; null if it is not a path that can be checked. */
const pathIn = (text: string, form: TextName['form']): string | null => {
  const path = text.normalize()
    // `@docs/a.md` → `docs/a.md`; `./docs/a.md` → `docs/a.md`
    .replace(/^@(?=\w.*\.\w+$)|^\.\//, '')
    // An anchor, a line number or a test: `docs/a.md#use`, `src/a.ts:12`, `tests/a.py::test_b`
    .replace(/(?:#|::?(?=\w)).*$/, '')
    // A query: `src/a.svg?raw` → `src/a.svg`
    .replace(/^([^*?[{]*\.\w+)\?\w+$/, '$1')
  const isPath = /\/./.test(path) || (form === 'link' && EXTENSION.test(path))
  const isCheckable = isPath && !UNCHECKED.some((pattern) => pattern.test(path))
  return form !== 'command' && isCheckable ? path : null
}

const EXTENSION = /\.[a-z]\w{0,7}$/i

// What excludes a name from being checked as a path.
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

const isGlob = (path: string): boolean => /[*?{[]/.test(path)

/** Lists the paths from the root that a path may stand for, given the folders that it may be relative to. */
const candidatesOf = (path: string, bases: Array<string>): Array<string> => {
  const candidates = bases.map((base) => posix.join(base, path.replace(/\/$/, '')))
  return [...new Set(candidates)].filter((candidate) => !candidate.startsWith('..'))
}

/** A path as its text has it, its form there, the folders it may be relative to, and the paths it may stand for. */
type NamedPath = { path: string; form: TextName['form']; bases: Array<string>; candidates: Array<string> }

/** Returns why a path seems to be missing; null if it exists or may exist. */
const whyPathMissing = async (
  { path, form, bases, candidates }: NamedPath,
  tree: ProjectTree,
): Promise<string | null> => {
  const mayExist = (candidate: string): boolean =>
    tree.files.has(candidate) || tree.folders.has(candidate) || isUnlisted(tree, candidate)
  if (candidates.some(mayExist)) return null
  const slash = path.endsWith('/') ? '/' : ''
  // A name without an extension may be a branch, a route or a package.
  if (!EXTENSION.test(path) && slash === '' && !isGlob(path)) return null
  if (form === 'link') return candidates.length > 0 ? 'the link leads nowhere' : null
  const firstFolder = path.split('/', 1)[0]!
  if (!bases.some((base) => tree.folders.has(posix.join(base, firstFolder)))) return null
  const isThere = `though \`${firstFolder}/\` is there`
  if (isGlob(path)) return await isGlobMatched(path, tree) ? null : `no file matches, ${isThere}`
  // The path may leave out the folders that contain it.
  const isFound = candidates.some((candidate) => hasPathEndingIn(tree, candidate + slash))
  return isFound ? null : `not found, ${isThere}`
}

const isGlobMatched = async (path: string, { files, folders }: ProjectTree): Promise<boolean> => {
  const { Minimatch } = await import('minimatch')
  // People write `docs/**.md` and mean every file below the folder; the library reads it as `docs/*.md`.
  const glob = `**/${path.replace(/\*\*(?=[^/*])/g, '**/*').replace(/\/$/, '')}`
  const pattern = new Minimatch(glob, { dot: true, nocomment: true, nonegate: true, braceExpandMax: 1_000 })
  return [...files, ...folders].some((entry) => pattern.match(entry))
}

/**
 * Drops the suspects of which a candidate is on the disk or ignored by git. If git gives no answer, drops all suspects
 * with candidates.
 */
const withoutExisting = async (
  suspects: Array<Suspect>,
  { root, isListedByGit }: ProjectTree,
): Promise<Array<StaleName>> => {
  const paths = suspects.flatMap(({ candidates }) => candidates)
  const exists = await Promise.all(paths.map((path) => pathExists(posix.join(root, path))))
  // Asks git only about missing paths: it answers nothing at all if one of them is a symbolic link followed by `/`.
  const missing = paths.filter((_, index) => !exists[index]).map((path) => `${path}/`)
  const ignored = isListedByGit ? await ignoredByGit(root, missing) : new Set<string>()
  const foundOrIgnored = new Set(paths.filter((path, index) => exists[index] || ignored?.has(`${path}/`)))
  return suspects.filter(({ candidates }) =>
    candidates.length === 0 || ignored !== null && !candidates.some((path) => foundOrIgnored.has(path))
  )
}

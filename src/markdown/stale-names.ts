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

/** A path in a text; `bases` are the folders it may be relative to, `candidates` the paths it may be, from the root. */
type NamedPath = { path: string; form: TextName['form']; bases: Array<string>; candidates: Array<string> }

/** A name that is not in the project's tree but may still exist. The name of a script has no candidates. */
type Suspect = StaleName & Pick<NamedPath, 'candidates'>

const MAX_NAMES_PER_TEXT = 500
const MAX_GLOBS_IN_ALL_TEXTS = 40

// What no path contains: NUL, whitespace, quotation marks, operators, and placeholders such as `<name>`, `[slug]`,
// `{id}`, `…`, `YYYY`. Also excludes a part that starts with a dot, because tools create such files on each machine.
const NO_PATH =
  /[\0\s"'`|&;=()^:<>$…%\\]|^[/~@]|\/\/|\.\.\.|\{[^,}]*\}|\[[^\]]*[a-z]{2}|(?<![A-Za-z\d])([A-Z])\1+(?![A-Za-z\d])|(?:^|\/)\.[^./]/
const EXTENSION = /\.[a-z]\w{0,7}$/i

/** Returns a name as a path, without an anchor, a line number, a test name or a query; null if it is not a path. */
const pathIn = (text: string, form: TextName['form']): string | null => {
  const path = text.normalize().replace(/^@(?=\w.*\.\w+$)|^\.\//, '').replace(/(?:#|::?(?=\w)).*$/, '')
    .replace(/^([^*?[{]*\.\w+)\?\w+$/, '$1')
  const isPath = /\/./.test(path) || (form === 'link' && EXTENSION.test(path))
  return form !== 'command' && isPath && !NO_PATH.test(path) ? path : null
}

const isGlob = (path: string): boolean => /[*?{[]/.test(path)

const isGlobMatched = async (path: string, { files, folders }: ProjectTree): Promise<boolean> => {
  const { Minimatch } = await import('minimatch')
  // People write `docs/**.md` and mean every file below the folder; the library reads it as `docs/*.md`.
  const glob = `**/${path.replace(/\*\*(?=[^/*])/g, '**/*').replace(/\/$/, '')}`
  const pattern = new Minimatch(glob, { dot: true, nocomment: true, nonegate: true, braceExpandMax: 1_000 })
  return [...files, ...folders].some((entry) => pattern.match(entry))
}

/** Lists the paths from the root that a path may stand for, given the folders that it may be relative to. */
const candidatesOf = (path: string, bases: Array<string>): Array<string> => {
  const candidates = bases.map((base) => posix.join(base, path.replace(/\/$/, '')))
  return [...new Set(candidates)].filter((candidate) => !candidate.startsWith('..'))
}

/** Returns why a path seems to be missing; null if it exists or may exist. */
const whyMissing = async (
  { path, form, candidates, bases }: NamedPath,
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
  const isFound = isGlob(path)
    ? await isGlobMatched(path, tree)
    : candidates.some((candidate) => hasPathEndingIn(tree, candidate + slash))
  const finding = isGlob(path) ? 'no file matches' : 'not found'
  return isFound ? null : `${finding}, though \`${firstFolder}/\` is there`
}

/** Drops the suspects that are on the disk or that git ignores; if git gives no answer, all that have candidates. */
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

/**
 * Finds, text by text, the names that are not in the project, each once per text. `root` is the project's folder; skips
 * the texts of files outside of it. `directory` is the session's folder.
 */
export const staleNames = async (
  texts: Array<{ path: string; realPath?: string; content: string }>,
  { root, directory }: { root: string; directory: string },
): Promise<Array<StaleName>> => {
  const projectTexts = texts.filter(({ path, realPath = path }) => contains(root, realPath))
  const names = projectTexts.flatMap(({ path, realPath = path, content }) => {
    // The folders that a name may be relative to, as paths from the root.
    const bases = [dirname(realPath), directory, root].map((folder) => withSlashes(relative(root, folder)))
    return namesIn(content).slice(0, MAX_NAMES_PER_TEXT).map((name) => ({ ...name, path, bases }))
  })
  const tree = names.length === 0 ? null : await readTree(root)
  if (tree === null) return []
  const scripts = await readScripts(tree)
  const suspects = new Map<string, Suspect>()
  let globCount = 0
  for (const { path, bases, line, text, form } of names) {
    const namedPath = pathIn(text, form)
    if (namedPath !== null && isGlob(namedPath) && globCount++ >= MAX_GLOBS_IN_ALL_TEXTS) continue
    const candidates = namedPath === null ? [] : candidatesOf(namedPath, bases)
    const reason = namedPath === null
      ? whyScriptMissing(text, bases[0]!, scripts)
      : await whyMissing({ path: namedPath, form, bases, candidates }, tree)
    // `npm run x` and `npm run x -- --fix` name the same script, and have the same reason.
    const key = `${path}\0${candidates.at(-1) ?? reason}`
    if (reason !== null && !suspects.has(key)) {
      suspects.set(key, { path, line, name: text, reason, candidates })
    }
  }
  return withoutExisting([...suspects.values()], tree)
}

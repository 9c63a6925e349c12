/**
 * The room `markdown/`: a Markdown text's frontmatter, the names in it, and which of those are not in the project.
 *
 * A stale name is found by its form alone: a path whose first folder is there and that is nowhere in the tree, a glob
 * that matches nothing, a link that leads nowhere, a script that no file has. Whether the text means it to be there is
 * for the reader to judge.
 */
import { dirname, posix, relative, sep } from 'node:path'
import { contains } from '../paths/boundary.ts'
import { ignoredByGit } from '../paths/git.ts'
import { isThere } from '../paths/real-path.ts'
import { namesIn, type TextName } from './names-in-text.ts'
import { removalsOf } from './path-history.ts'
import { hasEnding, isBeyond, type ProjectTree, readTree } from './project-tree.ts'
import { readScripts, type ScriptFile, whyNoScript } from './stale-scripts.ts'

/** A name that is not there: the file and the line that it stands in, counted from 1, and the facts. */
export type StaleName = { path: string; line: number; name: string; reason: string }

/**
 * A name that seems not to be there, and the paths from the root that it may mean, the shortest last. A weak one counts
 * only where git knows that it was there: without an extension it may be a branch, a route or a package.
 */
type Suspect = StaleName & { meant: Array<string>; kind: 'path' | 'weak path' | 'glob' | 'script' }

/** A name, the file of its text, and the folders that it may be meant from, by their paths from the root: the file's own first. */
type NameInFile = TextName & { path: string; bases: Array<string> }

const MAX_NAMES = 500
const MAX_GLOBS = 40

// What no path has: NUL, blanks, quotation marks, operators, the marks of a placeholder, such as `<name>`, `[slug]`, `{id}`,
// `…`, `YYYY`; and a part that starts with a dot, which tools of the machine fill.
const NO_PATH =
  /[\0\s"'`|&;=()^:<>$…%\\]|^[/~@]|\/\/|\.\.\.|\{[^,}]*\}|\[[^\]]*[a-z]{2}|(?<![A-Za-z\d])([A-Z])\1+(?![A-Za-z\d])|(?:^|\/)\.[^./]/
const EXTENSION = /\.[a-z]\w{0,7}$/i

/** Reads a name as a path, without an anchor, a line number, a test's name or a query; null where it is none. */
const pathIn = ({ text, form }: TextName): string | null => {
  const path = text.normalize().replace(/^@(?=\w.*\.\w+$)|^\.\//, '').replace(/(?:#|::?(?=\w)).*$/, '')
    .replace(/^([^*?[{]*\.\w+)\?\w+$/, '$1')
  const isPath = /\/./.test(path) || (form === 'link' && EXTENSION.test(path))
  return form !== 'command' && isPath && !NO_PATH.test(path) ? path : null
}

const isGlob = (path: string | null): boolean => path !== null && /[*?{[]/.test(path)

const matchesNothing = async (path: string, { files, folders }: ProjectTree): Promise<boolean> => {
  const { Minimatch } = await import('minimatch')
  // People write `docs/**.md` for all that is below; to the library that is `docs/*.md`.
  const glob = `**/${path.replace(/\*\*(?=[^/*])/g, '**/*').replace(/\/$/, '')}`
  const pattern = new Minimatch(glob, { dot: true, nocomment: true, nonegate: true, braceExpandMax: 1_000 })
  return ![...files, ...folders].some((one) => pattern.match(one))
}

/** Says why a path seems not to be there; null where it is, or where that is not sure. `meant` is the path from each base. */
const whyMissing = async (path: string, meant: Array<string>, tree: ProjectTree): Promise<string | null> => {
  const [first = ''] = path.split('/')
  if (!meant.some((one) => tree.folders.has(one.slice(0, first.length - path.length)))) return null
  const isThere = `though \`${first}/\` is there`
  if (isGlob(path)) return await matchesNothing(path, tree) ? `no file matches, ${isThere}` : null
  return meant.some((one) => hasEnding(tree, one)) ? null : `not found, ${isThere}`
}

/** Judges a name by its form, the tree and the scripts; null where it seems to be there, or is none. */
const suspectOf = async (
  found: NameInFile,
  tree: ProjectTree,
  scripts: Array<ScriptFile>,
): Promise<Suspect | null> => {
  const { path, bases, line, text: name, form } = found
  const named = pathIn(found)
  if (named === null) {
    const isCommand = form === 'code' || form === 'command'
    const reason = isCommand ? whyNoScript(name, bases[0] ?? '', { tree, scripts }) : null
    return reason === null ? null : { path, line, name, reason, meant: [], kind: 'script' }
  }
  const plain = named.replace(/\/$/, '')
  const meant = bases.map((base) => posix.join(base, plain)).filter((one) => !one.startsWith('..'))
  const isListed = meant.some((one) => tree.files.has(one) || tree.folders.has(one))
  if (meant.length === 0 || isListed || meant.some((one) => isBeyond(tree, one))) return null
  const end = named.slice(plain.length)
  const reason = form === 'link'
    ? 'the link leads nowhere'
    : await whyMissing(named, meant.map((one) => one + end), tree)
  const kind = isGlob(named) ? 'glob' : EXTENSION.test(plain) || end !== '' ? 'path' : 'weak path'
  return reason === null ? null : { path, line, name, reason, meant, kind }
}

/** Drops what the disk has or git ignores, and adds what git knows of the rest. */
const withFacts = async (
  suspects: Array<Suspect>,
  { root, isByGit }: ProjectTree,
): Promise<Array<StaleName>> => {
  const meant = suspects.flatMap((one) => one.meant)
  const areThere = await Promise.all(meant.map((path) => isThere(posix.join(root, path))))
  // Git answers nothing at all where one of the paths is a symbolic link with `/` after it.
  const missing = meant.filter((_, at) => !areThere[at]).map((path) => `${path}/`)
  const ignored = isByGit ? await ignoredByGit(root, missing) : new Set<string>()
  if (ignored === null) return suspects.filter(({ kind }) => kind === 'script')
  const excused = new Set(meant.filter((path, at) => areThere[at] || ignored.has(`${path}/`)))
  const left = suspects.filter((one) => !one.meant.some((path) => excused.has(path)))
  const asked = left.flatMap(({ kind, meant }) => kind === 'glob' ? [] : meant.slice(-1))
  const { removals, isWhole } = await removalsOf(root, isByGit ? asked : [])
  return left.flatMap(({ path, line, name, reason, kind, meant }) => {
    const removal = removals.get(meant.at(-1) ?? '')
    if (removal === undefined && kind === 'weak path') return []
    const fact = removal ?? (isWhole && kind === 'path' ? 'no commit removed it' : undefined)
    return [{ path, line, name, reason: fact === undefined ? reason : `${reason}; ${fact}` }]
  })
}

/**
 * Finds the names in texts that are not in the project, text by text, each name once a text. A file outside the project
 * is not judged.
 *
 * @param root the project's folder, and `directory` the session's
 */
export const staleNames = async (
  texts: Array<{ path: string; realPath?: string; content: string }>,
  { root, directory }: { root: string; directory: string },
): Promise<Array<StaleName>> => {
  const inside = texts.filter(({ path, realPath = path }) => contains(root, realPath))
  const names = inside.flatMap(({ path, realPath = path, content }) => {
    const folders = [dirname(realPath), directory, root].map((folder) => relative(root, folder))
    const bases = [...new Set(folders.map((folder) => folder.split(sep).join('/')))]
    return namesIn(content).slice(0, MAX_NAMES).map((name) => ({ ...name, path, bases }))
  })
  const tree = names.length === 0 ? null : await readTree(root)
  if (tree === null) return []
  const scripts = await readScripts(tree)
  const suspects = new Map<string, Suspect>()
  let globs = 0
  for (const name of names) {
    if (isGlob(pathIn(name)) && globs++ >= MAX_GLOBS) continue
    const suspect = await suspectOf(name, tree, scripts)
    // `npm run x` and `npm run x -- --fix` lack the same script.
    const key = `${name.path}\0${suspect?.meant.at(-1) ?? suspect?.reason}`
    if (suspect !== null && !suspects.has(key)) suspects.set(key, suspect)
  }
  return withFacts([...suspects.values()], tree)
}

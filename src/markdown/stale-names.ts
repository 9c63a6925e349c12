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
import { type ProjectTree, readTree } from './project-tree.ts'
import { ProjectScripts } from './stale-scripts.ts'

/** A name that is not there: the file and the line that it stands in, counted from 1, and the facts. */
export type StaleName = { path: string; line: number; name: string; reason: string }

/**
 * A name that seems not to be there, and the paths from the root that it may mean, the shortest last. A weak one counts
 * only where git knows that it was there: without an extension it may be a branch, a route or a package.
 */
type Suspect = StaleName & { meant: Array<string>; kind: 'path' | 'weak path' | 'glob' | 'script' }

/** A text, and the folders that its paths may be meant from, by their paths from the root: its own, the session's, the root. */
type Text = { path: string; content: string; bases: Array<string> }

const MAX_NAMES = 500
const MAX_GLOBS = 20

// What no path has: blanks, quotation marks, operators, the marks of a placeholder, such as `<name>`, `[slug]`, `{id}`,
// `…`, `YYYY`; and a part that starts with a dot, which tools of the machine fill.
const NO_PATH =
  /[\s"'`|&;=()^:<>$…%\\]|^[/~@]|\/\/|\.\.\.|\{[^,}]*\}|\[[^\]]*[a-z]{2}|(?<![A-Za-z\d])([A-Z])\1+(?![A-Za-z\d])|(?:^|\/)\.[^./]/
const WILDCARDS = /[*?{[]/
const EXTENSION = /\.[a-z]\w{0,7}$/i

/** Reads a name as a path, without an anchor, a line number, a test's name or a query; null where it is none. */
const pathIn = ({ text, form }: TextName): string | null => {
  const path = text.replace(/^@(?=\w.*\.\w+$)|^\.\//, '').replace(/(?:#|::?(?=\w)).*$/, '')
    .replace(/^([^*?[{]*\.\w+)\?\w+$/, '$1')
  const isPath = /\/./.test(path) || (form === 'link' && EXTENSION.test(path))
  return form !== 'command' && isPath && !NO_PATH.test(path) ? path : null
}

const matchesNothing = async (path: string, tree: ProjectTree): Promise<boolean> => {
  const { Minimatch } = await import('minimatch')
  // People write `docs/**.md` for all that is below; to the library that is `docs/*.md`.
  const glob = `**/${path.replace(/\*\*(?=[^/*])/g, '**/*').replace(/\/$/, '')}`
  const pattern = new Minimatch(glob, { dot: true, nocomment: true, nonegate: true, braceExpandMax: 1_000 })
  return !tree.paths().some((one) => pattern.match(one))
}

/** Says why a path seems not to be there; null where it is, or where that is not sure. */
const whyMissing = async (
  path: string,
  { form, bases }: { form: TextName['form']; bases: Array<string> },
  tree: ProjectTree,
): Promise<string | null> => {
  const meant = meantBy(path, bases).map((one) => one.replace(/\/$/, ''))
  if (meant.length === 0 || meant.some((one) => tree.isBeyond(one))) return null
  if (form === 'link') return meant.some((one) => tree.has(one)) ? null : 'the link leads nowhere'
  const first = path.split('/')[0] ?? ''
  const isThere = `though \`${first}/\` is there`
  if (!bases.some((base) => tree.hasFolder(posix.join(base, first)))) return null
  if (WILDCARDS.test(path)) return await matchesNothing(path, tree) ? `no file matches, ${isThere}` : null
  return meant.some((one) => tree.hasEnding(one)) ? null : `not found, ${isThere}`
}

/** Gives the paths from the root that a path may mean, but for those outside it. */
const meantBy = (path: string, bases: Array<string>): Array<string> =>
  bases.map((base) => posix.join(base, path)).filter((one) => !one.startsWith('..'))

const kindOf = (path: string | null): Suspect['kind'] => {
  if (path === null) return 'script'
  if (WILDCARDS.test(path)) return 'glob'
  return EXTENSION.test(path) || path.endsWith('/') ? 'path' : 'weak path'
}

/** Lists the names of a text that the tree and its scripts do not have. */
const suspectsIn = async (
  { path, content, bases }: Text,
  tree: ProjectTree,
  scripts: ProjectScripts,
): Promise<Array<Suspect>> => {
  const suspects: Array<Suspect> = []
  const done = new Set<string>()
  let globs = 0
  for (const found of namesIn(content).slice(0, MAX_NAMES)) {
    const { text: name, line, form } = found
    const named = pathIn(found)
    const kind = kindOf(named)
    const key = named ?? name
    if (done.has(key) || (kind === 'glob' && globs++ >= MAX_GLOBS)) continue
    const reason = named !== null
      ? await whyMissing(named, { form, bases }, tree)
      : form === 'code' || form === 'command'
      ? await scripts.whyMissing(name, bases[0] ?? '')
      : null
    done.add(key)
    // `npm run x` and `npm run x -- --fix` lack the same script.
    if (reason === null || (kind === 'script' && done.has(reason))) continue
    done.add(reason)
    const meant = named === null ? [] : meantBy(named, bases)
    suspects.push({ path, line, name, reason, meant, kind })
  }
  return suspects
}

/** Drops what the disk has or git ignores, and adds what git knows of the rest. */
const withFacts = async (
  suspects: Array<Suspect>,
  { root, isByGit }: ProjectTree,
): Promise<Array<StaleName>> => {
  const meant = suspects.flatMap((one) => one.meant)
  const ignored = isByGit
    ? await ignoredByGit(root, meant.flatMap((path) => [path, `${path}/`]))
    : new Set<string>()
  const areThere = await Promise.all(meant.map((path) => isThere(posix.join(root, path))))
  if (ignored === null) return suspects.filter(({ kind }) => kind === 'script')
  const excused = new Set(
    meant.filter((path, at) => areThere[at] || ignored.has(path) || ignored.has(`${path}/`)),
  )
  const left = suspects.filter((one) => !one.meant.some((path) => excused.has(path)))
  const pathOf = ({ kind, meant }: Suspect): string =>
    kind === 'glob' ? '' : (meant.at(-1) ?? '').replace(/\/$/, '')
  const { removals, isWhole } = await removalsOf(
    root,
    isByGit ? left.map(pathOf).filter((path) => path !== '') : [],
  )
  return left.flatMap((suspect) => {
    const { path, line, name, reason, kind } = suspect
    const removal = removals.get(pathOf(suspect))
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
  const inside = texts.filter(({ path, realPath = path, content }) =>
    contains(root, realPath) && namesIn(content).length > 0
  )
  const tree = inside.length === 0 ? null : await readTree(root)
  if (tree === null) return []
  const scripts = new ProjectScripts(tree)
  const suspects: Array<Suspect> = []
  for (const { path, realPath = path, content } of inside) {
    const bases = [dirname(realPath), directory, root].map((folder) =>
      relative(root, folder).split(sep).join('/')
    )
    suspects.push(...await suspectsIn({ path, content, bases: [...new Set(bases)] }, tree, scripts))
  }
  return withFacts(suspects, tree)
}

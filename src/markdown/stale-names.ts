/**
 * Names in instruction files that are not in the project, by form alone: a path whose first folder is there and that is
 * nowhere in the tree, a glob that matches nothing, a link that leads nowhere, a script that no file has. Whether a text
 * means a name to be there is for the reader to judge.
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

/** Why a name seems not to be there, and the paths from the root that it may mean, the shortest last. */
type Doubt = { reason: string; meant: Array<string> }

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

/** Judges the names of one text, whose paths may be meant from each of `bases`, folders by their paths from the root. */
class Judge {
  readonly #tree: ProjectTree
  readonly #scripts: ProjectScripts
  readonly #bases: Array<string>
  #globs = 0

  constructor(tree: ProjectTree, scripts: ProjectScripts, bases: Array<string>) {
    this.#tree = tree
    this.#scripts = scripts
    this.#bases = bases
  }

  async doubt(name: TextName, path: string | null): Promise<Doubt | null> {
    if (path === null) {
      const reason = /^co/.test(name.form)
        ? await this.#scripts.whyMissing(name.text, this.#bases[0] ?? '')
        : null
      return reason === null ? null : { reason, meant: [] }
    }
    const meant = this.#bases.map((base) => posix.join(base, path)).filter((one) => !one.startsWith('..'))
    const isLink = name.form === 'link'
    const first = path.split('/')[0] ?? ''
    const isNear = this.#bases.some((base) => this.#tree.hasFolder(posix.join(base, first)))
    if (meant.length === 0 || !(isNear || isLink)) return null
    const reason = await this.#whyMissing(path, meant.map((one) => one.replace(/\/$/, '')), isLink)
    return reason === null
      ? null
      : { reason: isLink ? reason : `${reason}, though \`${first}/\` is there`, meant }
  }

  async #whyMissing(path: string, meant: Array<string>, isLink: boolean): Promise<string | null> {
    if (meant.some((one) => this.#tree.isBeyond(one))) return null
    if (isLink) return meant.some((one) => this.#tree.has(one)) ? null : 'the link leads nowhere'
    if (WILDCARDS.test(path)) return await this.#matchesNothing(path) ? 'no file matches' : null
    return meant.some((one) => this.#tree.hasEnding(one)) ? null : 'not found'
  }

  async #matchesNothing(path: string): Promise<boolean> {
    // People write `docs/**.md` for all that is below; to the library that is `docs/*.md`.
    const glob = `**/${path.replace(/\*\*(?=[^/*])/g, '**/*').replace(/\/$/, '')}`
    if (this.#globs++ >= MAX_GLOBS) return false
    const { Minimatch } = await import('minimatch')
    const pattern = new Minimatch(glob, { dot: true, nocomment: true, nonegate: true, braceExpandMax: 1_000 })
    return !this.#tree.paths().some((one) => pattern.match(one))
  }
}

/** A doubt about a name in a text; a weak one counts only where git knows that the path was there. */
type Suspect = StaleName & { meant: Array<string>; isGlob: boolean; isWeak: boolean }

const suspectsIn = async (path: string, content: string, judge: Judge): Promise<Array<Suspect>> => {
  const suspects: Array<Suspect> = []
  const judged = new Set<string>()
  for (const found of namesIn(content).slice(0, MAX_NAMES)) {
    const { text: name, line } = found
    const asPath = pathIn(found)
    const doubt = judged.has(name) ? null : await judge.doubt(found, asPath)
    judged.add(name)
    if (doubt === null || (asPath === null && judged.has(doubt.reason))) continue
    judged.add(doubt.reason)
    const isGlob = asPath !== null && WILDCARDS.test(asPath)
    // Without an extension it may be a branch, a route or a package.
    const isWeak = asPath !== null && !isGlob && !EXTENSION.test(asPath) && !asPath.endsWith('/')
    suspects.push({ path, line, name, ...doubt, isGlob, isWeak })
  }
  return suspects
}

/** Drops what the disk has or git ignores. */
const notExcused = async (
  suspects: Array<Suspect>,
  { root, isByGit }: ProjectTree,
): Promise<Array<Suspect>> => {
  const meant = suspects.flatMap((one) => one.meant)
  const ignored = isByGit ? await ignoredByGit(root, meant.flatMap((path) => [path, `${path}/`])) : new Set()
  const areThere = await Promise.all(meant.map((path) => isThere(posix.join(root, path))))
  const excused = new Set(
    meant.filter((path, at) => areThere[at] || (ignored?.has(path) ?? true) || ignored?.has(`${path}/`)),
  )
  return suspects.filter((one) => !one.meant.some((path) => excused.has(path)))
}

/** Adds what git knows of the paths. */
const withRemovals = async (
  suspects: Array<Suspect>,
  { root, isByGit }: ProjectTree,
): Promise<Array<StaleName>> => {
  const pathOf = ({ meant, isGlob }: Suspect): string =>
    isGlob ? '' : (meant.at(-1) ?? '').replace(/\/+$/, '')
  const paths = isByGit ? suspects.map(pathOf).filter((path) => path !== '') : []
  const removals = await removalsOf(root, paths)
  return suspects.flatMap((suspect) => {
    const removal = removals.get(pathOf(suspect))
    if (suspect.isWeak && (removal?.isKnown ?? false) === false) return []
    const { path, line, name, reason } = suspect
    return [{ path, line, name, reason: removal === undefined ? reason : `${reason}; ${removal.text}` }]
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
  const tree = inside.length === 0 ? null : await readTree(root)
  if (tree === null) return []
  const scripts = new ProjectScripts(tree)
  const suspects: Array<Suspect> = []
  for (const { path, realPath = path, content } of inside) {
    const bases = [dirname(realPath), directory, root].map((folder) =>
      relative(root, folder).split(sep).join('/')
    )
    suspects.push(...await suspectsIn(path, content, new Judge(tree, scripts, [...new Set(bases)])))
  }
  return withRemovals(await notExcused(suspects, tree), tree)
}

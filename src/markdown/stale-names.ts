/** The folder `markdown/`: parses Markdown, and finds stale names (of files and scripts that the project lacks). */
import { dirname, posix, relative } from 'node:path'
import { isGlob } from '../instructions/glob.ts'
import { contains, withSlashes } from '../paths/boundary.ts'
import { ignoredByGit } from '../paths/git.ts'
import { pathExists } from '../paths/real-path.ts'
import { namesIn, type TextName } from './names-in-text.ts'
import { hasPathEndingIn, isUnlisted, type ProjectTree, readTree } from './project-tree.ts'
import { readScriptFiles, whyScriptMissing } from './stale-scripts.ts'

type StaleName = { path: string; line: number; name: string; reason: string }

/** `path` may be a link to `realPath`. */
type TextOfFile = { path: string; realPath?: string; content: string }

type Folders = { root: string; directory: string }

type NameInFile = ReturnType<typeof namesInText>[number]

type Suspect = StaleName & Pick<NameInFile, 'candidates'>

const MAX_NAMES_PER_TEXT = 500
const MAX_GLOBS_IN_ALL_TEXTS = 40

/** Finds stale names in the texts of the project, each once per text; `[]` if the project cannot be listed. */
export const staleNames = async (texts: Array<TextOfFile>, folders: Folders): Promise<Array<StaleName>> => {
  const names = texts.filter(({ path, realPath = path }) => contains(folders.root, realPath))
    .flatMap((text) => namesInText(text, folders))
  const tree = names.length === 0 ? null : await readTree(folders.root)
  if (tree === null) return []
  const scriptFiles = await readScriptFiles(tree)
  const suspects = new Map<string, Suspect>()
  let globsLeft = MAX_GLOBS_IN_ALL_TEXTS
  for (const name of names) {
    const { file, line, text, namedPath, bases, candidates } = name
    if (namedPath !== null && isGlob(namedPath) && --globsLeft < 0) continue
    const reason = namedPath === null
      ? whyScriptMissing(text, bases[0]!, tree, scriptFiles)
      : await whyPathMissing(namedPath, name, tree)
    if (reason === null) continue
    // `src/a.ts` and `./src/a.ts` are noted once.
    const key = `${file}\0${candidates.at(-1) ?? reason}`
    if (!suspects.has(key)) suspects.set(key, { path: file, line, name: text, reason, candidates })
  }
  return withoutExisting([...suspects.values()], tree)
}

const namesInText = ({ path: file, realPath = file, content }: TextOfFile, { root, directory }: Folders) => {
  // The folders of the file, the session and the project, as paths from the root.
  const bases = [dirname(realPath), directory, root].map((folder) => withSlashes(relative(root, folder)))
  return namesIn(content).slice(0, MAX_NAMES_PER_TEXT).map((name) => {
    const namedPath = checkablePath(name)
    const candidates = namedPath === null ? [] : candidatesOf(namedPath, bases)
    return { ...name, file, bases, namedPath, candidates }
  })
}

/** Lists the paths from the root that a path may mean: `web/src/a.ts`, `src/a.ts`. */
const candidatesOf = (path: string, bases: Array<string>): Array<string> => {
  const candidates = bases.map((base) => posix.join(base, path.replace(/\/$/, '')))
  return [...new Set(candidates)].filter((candidate) => !candidate.startsWith('..'))
}

/** `./src/a.ts:12` → `src/a.ts`; null if there is no path to check. */
const checkablePath = ({ text, form }: TextName): string | null => {
  const path = text.normalize()
    .replace(/^@(?=\w.*\.\w+$)|^\.\//, '') // `@docs/a.md`, `./docs/a.md` → `docs/a.md`
    .replace(/(?:#|::?(?=\w)).*$/, '') // `docs/a.md#use`, `docs/a.md:12`, `docs/a.md::test` → `docs/a.md`
    .replace(/^([^*?[{]*\.\w+)\?\w+$/, '$1') // `docs/a.md?raw` → `docs/a.md`
  if (form === 'command' || UNCHECKED.some((pattern) => pattern.test(path))) return null
  // Outside a link, `a.b` may be a property.
  const isPath = /\/./.test(path) || (form === 'link' && EXTENSION.test(path))
  return isPath ? path : null
}

const EXTENSION = /\.[a-z]\w{0,7}$/i

const UNCHECKED = [
  /[\0\s"'`|&;=()^:<>$…%\\]/, // a character that is rare in a project's paths
  /^[/~@]/, // `/etc/hosts`, `~/notes.md`, `@scope/package`
  /\/\/|\.\.\./, // `a//b`, `src/...`
  /\{[^,}]*\}/, // the placeholder `{id}`, but not the glob `{a,b}`
  /\[[^\]]*[a-z]{2}/, // the placeholder `[slug]`, but not the glob `[a-z]`
  /(?<![A-Za-z\d])([A-Z])\1+(?![A-Za-z\d])/, // the placeholders `YYYY` and `XX`
  /(?:^|\/)\.[^./]/, // `.env`, `.cache/`: tools create these locally
]

const whyPathMissing = async (
  path: string,
  { candidates, form, bases }: NameInFile,
  tree: ProjectTree,
): Promise<string | null> => {
  const mayExist = (candidate: string): boolean =>
    tree.files.has(candidate) || tree.folders.has(candidate) || isUnlisted(tree, candidate)
  if (candidates.length === 0 || candidates.some(mayExist)) return null
  const isNamedAsFolder = path.endsWith('/')
  // A name without an extension may be a branch, a route or a package.
  if (!EXTENSION.test(path) && !isNamedAsFolder && !isGlob(path)) return null
  if (form === 'link') return 'the link leads nowhere'
  const [firstFolder = ''] = path.split('/')
  if (!bases.some((base) => tree.folders.has(posix.join(base, firstFolder)))) return null
  const contrast = `though \`${firstFolder}/\` is there`
  if (isGlob(path)) return await isGlobMatched(path, tree) ? null : `no file matches, ${contrast}`
  // People write `util/date.ts` for `src/util/date.ts`.
  const endings = candidates.map((candidate) => isNamedAsFolder ? `${candidate}/` : candidate)
  return endings.some((ending) => hasPathEndingIn(tree, ending)) ? null : `not found, ${contrast}`
}

const isGlobMatched = async (path: string, { files, folders }: ProjectTree): Promise<boolean> => {
  const { Minimatch } = await import('minimatch')
  // Minimatch reads `docs/**.md` as `docs/*.md`, but people mean all files below `docs`.
  const glob = `**/${path.replace(/\*\*(?=[^/*])/g, '**/*').replace(/\/$/, '')}`
  const pattern = new Minimatch(glob, { dot: true, nocomment: true, nonegate: true, braceExpandMax: 1_000 })
  return [...files, ...folders].some((entry) => pattern.match(entry))
}

/** Drops paths that exist on the disk, or that git ignores, because a tool may create them. */
const withoutExisting = async (suspects: Array<Suspect>, tree: ProjectTree): Promise<Array<StaleName>> => {
  const { root, isListedByGit } = tree
  const paths = suspects.flatMap(({ candidates }) => candidates)
  const exists = await Promise.all(paths.map((path) => pathExists(posix.join(root, path))))
  const missing = new Set(paths.filter((_, index) => !exists[index]))
  // With a `/` at its end, `dist` also matches the pattern `dist/`.
  const ignored = isListedByGit ? await ignoredByGit(root, [...missing].map((path) => `${path}/`)) : new Set()
  const mayExist = (path: string) => !missing.has(path) || ignored === null || ignored.has(`${path}/`)
  return suspects.filter(({ candidates }) => !candidates.some(mayExist))
}

/** Lists the files and folders of a project (by git if possible, otherwise from the disk), and searches this list. */
import { posix, relative } from 'node:path'
import { parseGlob } from '../instructions/glob.ts'
import { withSlashes } from '../paths/boundary.ts'
import { askGit } from '../paths/git.ts'

const MAX_FILES = 100_000
const MAX_MS = 2_000

/** Paths are relative to `root`, use `/`, and are in the Unicode form NFC. */
export type ProjectTree = {
  root: string
  isListedByGit: boolean
  files: Set<string>
  folders: Set<string>
  /** All paths, with extensions removed, grouped by last part: `a.ts` and `b/a.md` → `'a': '/a\n/b/a\n'` */
  stems: Map<string, string>
}

const stemOf = (path: string): string => path.replace(/(?<=[^/])\.[^./]*$/, '')

/** Ignores extensions: `a/x/y.md` ends in `x/y.ts`. */
export const hasPathEndingIn = ({ stems }: Pick<ProjectTree, 'stems'>, path: string): boolean => {
  const stem = stemOf(path)
  return stems.get(posix.basename(stem))?.includes(`/${stem}\n`) === true
}

/** Whether a path is inside a link or another repository, whose content git does not list. */
export const isUnlisted = (tree: ProjectTree, path: string): boolean => {
  const parent = posix.dirname(path)
  if (parent === '.') return false
  // git lists a link or a submodule as the file `x`, and an untracked repository as `x/`.
  return tree.files.has(parent) || tree.files.has(`${parent}/`) || isUnlisted(tree, parent)
}

const listByGit = async (root: string): Promise<Array<string> | null> => {
  const args = ['ls-files', '-z', '-t', '--cached', '--others', '--deleted', '--exclude-standard']
  const { text, isComplete } = await askGit(root, args)
  const entries = text.split('\0').slice(0, -1)
  // If git's output breaks off, returns `[]`, so that `readTree` gives up instead of searching the disk.
  if (!isComplete) return entries.length > 0 ? [] : null
  // A file in git's index that was deleted from the disk has two entries: `H a.ts` and `R a.ts`.
  const paths = entries.map((entry) => entry.slice(2))
  const deleted = new Set(paths.filter((_, index) => entries[index]!.startsWith('R ')))
  return paths.filter((path) => !deleted.has(path))
}

const listOnDisk = async (root: string): Promise<Array<string>> => {
  const glob = await parseGlob('**', { directory: root, dot: true, abort: AbortSignal.timeout(MAX_MS) })
  const isSkipped = (_: string, name: string): boolean => name === '.git' || name === 'node_modules'
  const files = await glob.data?.files(isSkipped) ?? []
  return files.map((file) => withSlashes(relative(root, file)))
}

export const foldersAndStems = (files: Set<string>): Pick<ProjectTree, 'folders' | 'stems'> => {
  const folders = new Set<string>()
  for (const file of files) {
    let folder = posix.dirname(file)
    for (; folder !== '.' && !folders.has(folder); folder = posix.dirname(folder)) folders.add(folder)
  }
  const stems = new Map<string, string>()
  // A folder is listed with and without a `/`, so that a path with a trailing `/` matches folders only.
  const foldersWithSlash = [...folders].map((folder) => `${folder}/`)
  for (const path of [...files, ...folders, ...foldersWithSlash]) {
    const stem = stemOf(path)
    const name = posix.basename(stem)
    stems.set(name, `${stems.get(name) ?? ''}/${stem}\n`)
  }
  return { folders, stems }
}

/** Returns null if there are too many files, or if no file was found (for example because of a timeout). */
export const readTree = async (root: string): Promise<ProjectTree | null> => {
  const byGit = await listByGit(root)
  const files = new Set((byGit ?? await listOnDisk(root)).map((path) => path.normalize()))
  if (files.size === 0 || files.size > MAX_FILES) return null
  return { root, isListedByGit: byGit !== null, files, ...foldersAndStems(files) }
}

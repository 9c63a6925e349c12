import { join, posix } from 'node:path'
import { listFiles } from '../instructions/glob.ts'
import { askGit } from '../paths/git.ts'
import { readInBatches, readText } from '../text/read.ts'

// No names are judged in a larger project.
const MAX_PATHS = 100_000
const MAX_MS = 2_000
const MAX_READ = 100
const MAX_BYTES = 1_000_000

/** Removes the extension of a path: `a/b.ts` becomes `a/b`, and `a/.env` stays. */
const stemOf = (path: string): string => path.replace(/(?<=[^/])\.[^./]*$/, '')

/** What a project holds, by the paths from its root, with `/`. */
export class ProjectTree {
  readonly root: string
  readonly isByGit: boolean
  readonly #files: Set<string>
  readonly #folders = new Set<string>()
  /** The stems of all files and folders, by the last part of each. */
  readonly #stems = new Map<string, Array<string>>()

  constructor(root: string, files: Array<string>, isByGit: boolean) {
    this.root = root
    this.isByGit = isByGit
    this.#files = new Set(files)
    for (const file of files) {
      for (let at = posix.dirname(file); at !== '.' && !this.#folders.has(at); at = posix.dirname(at)) {
        this.#folders.add(at)
      }
    }
    for (const stem of this.paths().map(stemOf)) {
      const known = this.#stems.get(posix.basename(stem))
      if (known === undefined) this.#stems.set(posix.basename(stem), [stem])
      else known.push(stem)
    }
  }

  /** Lists the paths of all files and folders. */
  paths(): Array<string> {
    return [...this.#files, ...this.#folders]
  }

  has(path: string): boolean {
    return this.#files.has(path) || this.#folders.has(path)
  }

  hasFolder(path: string): boolean {
    return this.#folders.has(path)
  }

  /** Whether the path of a file or a folder is this one or ends with it, whatever its extension. */
  hasEnding(path: string): boolean {
    const stem = stemOf(path)
    return (this.#stems.get(posix.basename(stem)) ?? []).some((one) => `/${one}`.endsWith(`/${stem}`))
  }

  /** Whether a path lies below a link, a submodule or another repository, whose files are not listed. */
  isBeyond(path: string): boolean {
    const above = posix.dirname(path)
    return above !== '.' && (this.#files.has(above) || this.#files.has(`${above}/`) || this.isBeyond(above))
  }

  /** Reads the files of a name; null where one of them cannot be read, or where they are too many. */
  async read(name: RegExp): Promise<Array<{ path: string; text: string }> | null> {
    const paths = [...this.#files].filter((path) => name.test(posix.basename(path)))
    const read = await readInBatches(paths.slice(0, MAX_READ), async (path) => {
      const { data } = await readText(join(this.root, path), { maxBytes: MAX_BYTES })
      return data === null ? [] : [{ path, text: data.text }]
    })
    return read.flat().length === paths.length ? read.flat() : null
  }
}

/** Lists a project's files: by git, or where there is no repository by the disk; null where that takes too long. */
export const readTree = async (root: string): Promise<ProjectTree | null> => {
  const args = ['ls-files', '-z', '-t', '--cached', '--others', '--deleted', '--exclude-standard']
  const { text, isWhole } = await askGit(root, args)
  if (!isWhole && text !== '') return null
  const entries = text.split('\0').slice(0, -1)
  // R marks the files that are deleted, and that git still has in its index.
  const deleted = new Set(entries.filter((entry) => entry.startsWith('R ')).map((entry) => entry.slice(2)))
  const listed = isWhole
    ? [...new Set(entries.map((entry) => entry.slice(2)))].filter((path) => !deleted.has(path))
    : await listFiles(root, MAX_PATHS, MAX_MS)
  return listed === null || listed.length > MAX_PATHS ? null : new ProjectTree(root, listed, isWhole)
}

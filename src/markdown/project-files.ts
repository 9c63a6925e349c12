import { readdir, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { whyCostly } from '../instructions/glob-limits.ts'
import { contains, upwards } from '../paths/boundary.ts'
import { isThere } from '../paths/real-path.ts'

/** How many files and folders are listed; in a larger project nothing is judged that needs the list. */
const MAX_ENTRIES = 20_000

/** Folders that other tools fill, and that are not listed. */
const SKIPPED = new Set(['.git', 'node_modules'])

/** Takes the extension off a path: `a/b.test.ts` becomes `a/b`, and `a/.env` stays. */
const stemOf = (path: string): string => path.replace(/(?<=[^/])\.[^/]*$/, '')

const toPosix = (path: string): string => path.split(sep).join('/')

/**
 * The paths of all files and folders from the root, with `/`, the same without their extensions, and those of links:
 * what lies behind one is not listed, for it may lead back up.
 */
type Listing = { paths: Array<string>; known: Set<string>; stems: Set<string>; links: Array<string> }

/** Whether a path is a folder or lies in it, both from the root and with `/`. */
const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)

/** What there is under a project's root: listed once, or in a large project looked up path by path. */
export class ProjectFiles {
  readonly root: string
  readonly #folders = new Map<string, Promise<boolean> | false>()
  readonly #texts = new Map<string, Promise<string | undefined>>()
  readonly #parsed = new Map<(text: string) => unknown, Map<string, unknown>>()
  readonly #named = new Map<string, ReadonlyArray<string>>()
  #listing: Promise<Listing | null> | undefined
  readonly #ignored = new Map<string, Promise<(path: string) => boolean>>()

  /** @param root the real path of the folder outside of which nothing is looked at */
  constructor(root: string) {
    this.root = root
  }

  /** Whether there is a file or a folder of this absolute path. */
  async has(path: string): Promise<boolean> {
    if (!contains(this.root, path)) return false
    const way = toPosix(relative(this.root, path))
    const listing = await this.#listingOf(way)
    return listing === null ? isThere(path) : listing.known.has(way)
  }

  /** Whether there is a folder of this absolute path. */
  async hasFolder(path: string): Promise<boolean> {
    const known = this.#folders.get(path)
      ?? (contains(this.root, path) ? stat(path).then((entry) => entry.isDirectory(), () => false) : false)
    this.#folders.set(path, known)
    return known
  }

  /** Whether there is a file or a folder of this absolute path, or of the same path with another extension. */
  async hasStem(path: string): Promise<boolean> {
    if (!contains(this.root, path)) return false
    const way = toPosix(relative(this.root, path))
    const listing = await this.#listingOf(way)
    if (listing !== null) return listing.stems.has(stemOf(way))
    const entries = await readdir(dirname(path)).catch(() => [])
    return entries.some((entry) => stemOf(entry) === stemOf(basename(path)))
  }

  /**
   * Whether the path of a file or a folder ends with this one, whatever the extension; true in a project that is too
   * large for a list.
   */
  async someEndsWith(path: string): Promise<boolean> {
    const stems = (await this.#list())?.stems
    const ending = `/${stemOf(path)}`
    for (const stem of stems ?? []) if (stem.endsWith(ending)) return true
    return stems === undefined
  }

  /** Reads a file as text; gives undefined where there is none that can be read. */
  async read(path: string): Promise<string | undefined> {
    if (!contains(this.root, path)) return undefined
    const text = this.#texts.get(path) ?? readFile(path, 'utf8').catch(() => undefined)
    this.#texts.set(path, text)
    return text
  }

  /** Reads a file and parses its text, once for each parser; gives undefined where there is none that can be read. */
  async parse<T>(path: string, parser: (text: string) => T): Promise<T | undefined> {
    const text = await this.read(path)
    const known = this.#parsed.get(parser) ?? new Map<string, unknown>()
    this.#parsed.set(parser, known)
    if (text !== undefined && !known.has(path)) known.set(path, parser(text))
    return known.get(path) as T | undefined
  }

  /** Lists the absolute paths of all files with one of these names; gives null where there are too many files. */
  async named(names: Array<string>): Promise<ReadonlyArray<string> | null> {
    const key = names.join('/')
    const list = await this.list()
    const found = this.#named.get(key)
      ?? list?.filter((path) => names.includes(basename(path))).map((path) => join(this.root, path))
    if (found) this.#named.set(key, found)
    return found ?? null
  }

  /** Lists the paths of all files and folders from the root, with `/`; gives null where there are too many. */
  async list(): Promise<ReadonlyArray<string> | null> {
    return (await this.#list())?.paths ?? null
  }

  /** Whether a folder, by its path from the root, lies behind a link or has one below it: it is not wholly listed. */
  async hasLinks(folder: string): Promise<boolean> {
    const links = (await this.#list())?.links ?? []
    return links.some((link) => isBelow(folder, link) || isBelow(link, folder))
  }

  /** Whether a `.gitignore` of the root or of a folder below matches a path, which is given from the root. */
  async isIgnored(path: string): Promise<boolean> {
    const parts = path.split('/').filter((part) => part !== '')
    for (const depth of parts.keys()) {
      const folder = parts.slice(0, depth).join('/')
      const ignored = this.#ignored.get(folder) ?? this.#readIgnored(folder)
      this.#ignored.set(folder, ignored)
      if ((await ignored)(parts.slice(depth).join('/'))) return true
    }
    return false
  }

  /** Lists the folders from one up to the root, the nearest first. */
  upwards(folder: string): Array<string> {
    return contains(this.root, folder) ? upwards(folder, this.root) : []
  }

  /** The listing where it can tell of a path from the root; null where only the disk can. */
  async #listingOf(path: string): Promise<Listing | null> {
    const listing = path.split('/').some((part) => SKIPPED.has(part)) ? null : await this.#list()
    return listing?.links.some((link) => isBelow(path, link)) ? null : listing
  }

  #list(): Promise<Listing | null> {
    return this.#listing ??= this.#walk()
  }

  async #walk(): Promise<Listing | null> {
    const paths: Array<string> = []
    const links: Array<string> = []
    const folders = [this.root]
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
      for (const entry of entries) {
        if (SKIPPED.has(entry.name)) continue
        const path = join(folder, entry.name)
        const way = toPosix(relative(this.root, path))
        paths.push(way)
        if (paths.length > MAX_ENTRIES) return null
        if (entry.isSymbolicLink()) links.push(way)
        if (entry.isDirectory()) folders.push(path)
      }
    }
    return { paths, known: new Set(paths), stems: new Set(paths.map(stemOf)), links }
  }

  async #readIgnored(folder: string): Promise<(path: string) => boolean> {
    const lines = (await this.read(join(this.root, folder, '.gitignore')) ?? '').split(/\r?\n/)
    const globs = lines.map((line) => line.trim())
      .filter((line) => line !== '' && !/^[#!]/.test(line) && line.length < 200)
      .slice(0, 500)
      .flatMap((line) => {
        const bare = line.replace(/\/$/, '')
        const glob = bare.includes('/') ? bare.replace(/^\//, '') : `**/${bare}`
        return whyCostly(glob) === null ? [glob, `${glob}/**`] : []
      })
    if (globs.length === 0) return () => false
    const { default: picomatch } = await import('picomatch')
    return picomatch(globs, { dot: true })
  }
}

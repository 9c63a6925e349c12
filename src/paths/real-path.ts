/** Resolves the links of paths, and tells which paths exist. */
import { lstat, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

// As many links as Linux follows in one path.
const MAX_LINKS = 40

/** Whether something exists at a path, even a broken link. */
export const pathExists = (path: string): Promise<boolean> => lstat(path).then(() => true, () => false)

/** Whether a path is a folder or a link to one. */
export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then((stats) => stats.isDirectory(), () => false)

/**
 * Resolves the links of a path as far as the path exists. For a missing file, resolves the links of its folder. For a
 * link to a missing file, returns the path of that file. `budget` is for the recursive calls: it limits their links.
 */
export const realPathOf = async (path: string, budget = { links: MAX_LINKS }): Promise<string> => {
  try {
    return await realpath(path)
  } catch {
    if (dirname(path) === path) return path
    const real = join(await realPathOf(dirname(path), budget), basename(path))
    const target = budget.links-- > 0 ? await readlink(real).catch(() => null) : null
    return target === null ? real : realPathOf(resolve(dirname(real), target), budget)
  }
}

/** Resolves the links of a path; rejects if the path does not exist. */
export const followLinks = async (path: string): Promise<string> => {
  // Bun 1.3.14, which the host uses, fails to resolve a path that contains a backslash.
  if (!path.includes('\\')) return realpath(path)
  const real = await realPathOf(path)
  await stat(real)
  return real
}

/** Resolves the links of a path. Returns the path itself if they cannot be resolved, as when it does not exist. */
export const realPathOrSelf = (path: string): Promise<string> => followLinks(path).catch(() => path)

/** Resolves symbolic links in paths, and tells which paths exist. */
import { lstat, readlink, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

const MAX_LINKS = 40

/** Whether something exists at a path, even a broken link. */
export const pathExists = (path: string): Promise<boolean> => lstat(path).then(() => true, () => false)

export const isFolder = (path: string): Promise<boolean> =>
  stat(path).then((stats) => stats.isDirectory(), () => false)

/** Resolves the links of a path, even if the path does not exist or a link leads to nothing. */
export const realPathOf = (path: string): Promise<string> => resolveWithin({ links: MAX_LINKS }, path)

const resolveWithin = async (budget: { links: number }, path: string): Promise<string> => {
  const existing = await realpath(path).catch(() => null)
  if (existing !== null) return existing
  const folder = dirname(path)
  if (folder === path) return path
  const real = join(await resolveWithin(budget, folder), basename(path))
  // `realpath` fails for a link to a missing file.
  const target = await readlink(real).catch(() => null)
  if (target === null || budget.links === 0) return real
  budget.links -= 1
  return resolveWithin(budget, resolve(dirname(real), target))
}

/** Resolves the links of a path; rejects if the path does not exist. */
export const followLinks = async (path: string): Promise<string> => {
  // In the host's Bun (1.3.14), `realpath` fails if a path has a backslash. `realPathOf` then uses `readlink`.
  if (!path.includes('\\')) return realpath(path)
  const real = await realPathOf(path)
  await stat(real)
  return real
}

export const realPathOrSelf = (path: string): Promise<string> => followLinks(path).catch(() => path)

/** The room `paths/`: where a path leads, links followed, and whether that is inside the project or outside. */
import { dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path'
import { fail, ok, type Result } from '../safe.ts'
import { homeFolder } from './user-folders.ts'

/** Where a session is: its directory, and the root of its worktree (`/` where there is none). */
export type Place = { directory: string; worktree: string }

/** Puts the person's home folder in place of a leading `~`. */
export const expandHome = (path: string, home: string = homeFolder()): string =>
  path === '~' ? home : path.startsWith('~/') ? join(home, path.slice(2)) : path

/**
 * Resolves a path as written (`./a.md`, `~/a.md`) against the session's directory, never the process's.
 *
 * @returns the path, absolute and normalised, its links not followed; an error where it is not a path
 */
export const resolvePath = (directory: string, spelling: string, home?: string): Result<string> => {
  if (spelling.includes('\0')) return fail('a path cannot hold a NUL byte')
  if (spelling.trim() === '') return fail('the path is empty')
  return ok(resolve(directory, expandHome(spelling, home)))
}

/** Whether a path is `folder` or lies in it; `/repo-evil` does not lie in `/repo`. */
export const contains = (folder: string, path: string): boolean => {
  const way = relative(normalize(folder), normalize(path))
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/** Gives the folder that holds the project: the worktree, or the directory where there is no repository. */
export const projectRoot = ({ directory, worktree }: Place): string =>
  worktree !== '' && dirname(worktree) !== worktree ? worktree : directory

/**
 * Whether a real path lies in the project: in the session's directory or worktree. Without a repository the host gives
 * the root of the disk as the worktree; then the directory alone counts.
 */
export const isInside = (place: Place, realPath: string): boolean =>
  contains(place.directory, realPath) || contains(projectRoot(place), realPath)

/** Writes a path with `/`: the backslashes of Windows, which a pattern takes for escapes. */
export const withSlashes = (path: string): string => path.split(sep).join('/')

/** Gives the pattern that the host's own tools ask `edit` and `read` with: the path from the worktree, with `/`. */
export const pathPattern = ({ worktree }: Place, realPath: string): string =>
  withSlashes(relative(worktree, realPath))

/**
 * Gives the patterns to ask `edit` or `read` with: of the real path, and of each name inside the project by which a
 * link leads to it, so that a rule of the person's for any of them holds.
 */
export const pathPatterns = (place: Place, realPath: string, names: Array<string>): Array<string> => {
  const inside = names.filter((name) => isInside(place, name))
  return [...new Set([realPath, ...inside].map((path) => pathPattern(place, path)))]
}

/** Gives the pattern that the host's own tools ask `external_directory` with: all in a folder, such as `/etc/*`. */
export const folderPattern = (folder: string): string => withSlashes(join(folder, '*'))

/** Lists a directory and each one above it, up to `top`, however that is written, or the root of the disk. */
export const upwards = (directory: string, top: string): Array<string> => {
  const found = [directory]
  for (let at = directory; relative(at, top || '/') !== '' && dirname(at) !== at;) {
    found.push(at = dirname(at))
  }
  return found
}

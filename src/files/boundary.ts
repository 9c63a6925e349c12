import { dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path'
import { fail, ok, type Result } from '../safe.ts'
import { homeFolder } from './paths.ts'

/** Where a session is: its directory, and the root of its worktree (`/` where there is none). */
export type Place = { directory: string; worktree: string }

/** Puts the person's home folder in place of a leading `~`. */
export const expandHome = (path: string, home: string = homeFolder()): string =>
  path === '~' ? home : path.startsWith('~/') ? join(home, path.slice(2)) : path

/**
 * The absolute, normalised path that a spelling means, against the session's directory and never the process's.
 * Links are not followed here.
 */
export const resolvePath = (directory: string, spelling: string, home?: string): Result<string> => {
  if (spelling.includes('\0')) return fail('a path cannot hold a NUL byte')
  if (spelling.trim() === '') return fail('the path is empty')
  return ok(resolve(directory, expandHome(spelling, home)))
}

/** Whether a path is a folder or lies in it; a folder of like prefix (`/repo-evil` beside `/repo`) does not. */
export const contains = (folder: string, path: string): boolean => {
  const way = relative(normalize(folder), normalize(path))
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/** The folder that holds the project: the worktree, or without a repository, where it is the disk, the directory. */
export const projectRoot = ({ directory, worktree }: Place): string =>
  worktree !== '' && dirname(worktree) !== worktree ? worktree : directory

/**
 * Whether a real path lies in the session's directory or worktree. Without a repository the worktree is the root
 * of the disk, which holds everything and so says nothing.
 */
export const isInside = (place: Place, realPath: string): boolean =>
  contains(place.directory, realPath) || contains(projectRoot(place), realPath)

/** The pattern that the host's own tools ask `edit` and `read` with: the path relative to the worktree, with `/`. */
export const pathPattern = ({ worktree }: Place, realPath: string): string =>
  relative(worktree, realPath).split(sep).join('/')

/**
 * The patterns to ask `edit` or `read` with: the real path, and each name inside the project by which a link leads to it. A rule
 * of the person's for any of them holds.
 */
export const pathPatterns = (place: Place, realPath: string, names: Array<string>): Array<string> => {
  const inside = names.filter((name) => isInside(place, name))
  return [...new Set([realPath, ...inside].map((path) => pathPattern(place, path)))]
}

/** The pattern that the host's own tools ask `external_directory` with: everything in a folder, with `/`. */
export const folderPattern = (folder: string): string => join(folder, '*').split(sep).join('/')

/** A directory and each one above it, up to `top` or the root of the disk. */
export const upwards = (directory: string, top: string): Array<string> => {
  const found = [directory]
  for (let at = directory; at !== top && dirname(at) !== at;) found.push(at = dirname(at))
  return found
}

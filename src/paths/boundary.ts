/** The folder `paths/`: tells where a path leads, and whether that is in the project. */
import { dirname, isAbsolute, join, normalize, relative, resolve, sep } from 'node:path'
import { fail, ok, type Result } from '../safe.ts'
import { homeFolder } from './user-folders.ts'

/** A session's directory, and the root of its repository (without a repository: the disk's root or `''`). */
export type Workspace = { directory: string; worktree: string }

export const expandHome = (path: string, home: string = homeFolder()): string =>
  /^~(?:\/|$)/.test(path) ? join(home, path.slice(1)) : path

/** Resolves a path against a directory; fails if the path is empty or has a NUL byte. */
export const resolvePath = (directory: string, path: string, home?: string): Result<string> => {
  if (path.includes('\0')) return fail('a path cannot contain a NUL byte')
  if (path.trim() === '') return fail('the path is empty')
  return ok(resolve(directory, expandHome(path, home)))
}

/** Whether a path is the folder or inside it. */
export const contains = (folder: string, path: string): boolean => {
  const relativePath = relative(normalize(folder), normalize(path))
  // On Windows, the relative path to another drive is absolute.
  return relativePath.split(sep)[0] !== '..' && !isAbsolute(relativePath)
}

const isRootOfDisk = (folder: string): boolean => dirname(folder) === folder

/** Returns the worktree, or the session's directory if there is no repository. */
export const projectRoot = ({ directory, worktree }: Workspace): string =>
  worktree === '' || isRootOfDisk(worktree) ? directory : worktree

export const isInProject = (workspace: Workspace, realPath: string): boolean =>
  contains(workspace.directory, realPath) || contains(projectRoot(workspace), realPath)

/** Replaces the backslashes of Windows, because in a pattern, a backslash escapes the next character. */
export const withSlashes = (path: string): string => path.split(sep).join('/')

/** Returns the pattern for the permission to edit or read a file: its path from the worktree. */
export const pathPattern = ({ worktree }: Pick<Workspace, 'worktree'>, realPath: string): string =>
  withSlashes(relative(worktree, realPath))

/** Returns the patterns of a file's real path, and of its other paths (`names`) that are in the project. */
export const pathPatterns = (workspace: Workspace, realPath: string, names: Array<string>): Array<string> => {
  const inside = names.filter((name) => isInProject(workspace, name))
  return [...new Set([realPath, ...inside].map((path) => pathPattern(workspace, path)))]
}

/** Returns the pattern with which the host asks for the permission to use an outside folder: `/etc/*` for `/etc`. */
export const folderPattern = (folder: string): string => withSlashes(join(folder, '*'))

/** Lists a directory and its parents up to `top`, or up to the disk's root if `top` is not one of them. */
export const foldersUpTo = (directory: string, top: string): Array<string> => {
  const isTop = isRootOfDisk(directory) || relative(directory, top || '/') === ''
  return isTop ? [directory] : [directory, ...foldersUpTo(dirname(directory), top)]
}

/** Converts paths to the form that globs match: relative to the worktree, with slashes. */
import { relative, resolve } from 'node:path'
import { withTimeout } from '../safe.ts'
import { contains, pathPattern, projectRoot, type Workspace } from './boundary.ts'
import { realPathOf, realPathOrSelf } from './real-path.ts'

type RealPlaces = { real: Workspace }

/** The directory and worktree of a session: `original` as the host passes them, `real` with their links resolved. */
export type SessionPlaces = RealPlaces & { original: Workspace }

export const placesOf = async (workspace: Workspace): Promise<SessionPlaces> => {
  const original = { ...workspace, worktree: projectRoot(workspace) }
  const [directory, worktree] = await Promise.all([original.directory, original.worktree].map(realPathOrSelf))
  return { original, real: { directory: directory!, worktree: worktree! } }
}

export const relativeToWorktree = (worktree: string, path: string): string | undefined =>
  contains(worktree, path) ? pathPattern({ worktree }, path) : undefined

/**
 * Returns undefined for a path outside of the worktree. If `/link` leads to the worktree `/repo`, then in the directory
 * `/link/src`, the paths `a.ts`, `/link/src/a.ts` and `/repo/src/a.ts` become `src/a.ts`.
 */
export const pathInWorktree = (path: string, { original, real }: SessionPlaces): string | undefined => {
  const absolute = resolve(original.directory, path)
  const resolved = contains(original.directory, absolute)
    ? resolve(real.directory, relative(original.directory, absolute))
    : absolute
  // A path outside of the directory keeps its links, so it may be in `original.worktree`, but not in `real.worktree`.
  return relativeToWorktree(real.worktree, resolved) ?? relativeToWorktree(original.worktree, resolved)
}

/** Tries the real path too, because a link outside of the worktree may lead to a file inside. */
export const pathOrRealPathInWorktree = (
  path: string,
  realPath: string,
  places: SessionPlaces,
): string | undefined => pathInWorktree(path, places) ?? pathInWorktree(realPath, places)

// A link may lead to a network disk that does not respond.
const MAX_LINK_MS = 5_000

/** Returns the real path relative to the worktree, or undefined if it is outside or not found within 5 seconds. */
export const relativeRealPath = async (path: string, { real }: RealPlaces): Promise<string | undefined> => {
  const { data } = await withTimeout(MAX_LINK_MS, realPathOf(resolve(real.worktree, path)))
  return data === null ? undefined : relativeToWorktree(real.worktree, data)
}

/** Returns a path and, if it differs, its real path, both relative to the worktree. */
export const candidatePaths = async (
  path: string,
  places: RealPlaces,
): Promise<Array<string>> => [...new Set([path, await relativeRealPath(path, places) ?? path])]

/**
 * Converts paths to the form that globs match: relative to the worktree, with slashes. If `src/link` leads to `lib`,
 * `pathInWorktree` keeps `src/link/a.ts`, `relativeRealPath` returns `lib/a.ts`, and `candidatePaths` returns both.
 */
import { relative, resolve } from 'node:path'
import { withTimeout } from '../safe.ts'
import { contains, pathPattern, projectRoot, type Workspace } from './boundary.ts'
import { realPathOf, realPathOrSelf } from './real-path.ts'

/** The directory and worktree of a session: `original` as the host passes them, `real` with their links resolved. */
export type SessionPlaces = { original: Workspace; real: Workspace }

/** Resolves the links of a session's directory and worktree. Without a repository, the worktree is the directory. */
export const placesOf = async (workspace: Workspace): Promise<SessionPlaces> => {
  const original = { ...workspace, worktree: projectRoot(workspace) }
  const [directory, worktree] = await Promise.all([original.directory, original.worktree].map(realPathOrSelf))
  return { original, real: { directory: directory!, worktree: worktree! } }
}

/**
 * Converts a path that is absolute or relative to the session's directory; undefined if it is outside of the worktree.
 * Resolves links in the directory's own path, but not below the directory. If the directory is `/link/src`, and
 * `/link` leads to the worktree `/repo`, then `a.ts`, `/link/src/a.ts` and `/repo/src/a.ts` become `src/a.ts`.
 */
export const pathInWorktree = (path: string, { original, real }: SessionPlaces): string | undefined => {
  const absolute = resolve(original.directory, path)
  const resolved = contains(original.directory, absolute)
    ? resolve(real.directory, relative(original.directory, absolute))
    : absolute
  // Links of a path outside of the directory were not resolved. In the example above, `/link/b.ts` is outside of the
  // directory `/link/src`, so it is in the original worktree `/link`, but not in the real worktree `/repo`.
  const workspace = [real, original].find(({ worktree }) => contains(worktree, resolved))
  return workspace && pathPattern(workspace, resolved)
}

/** Converts a path or, if it is outside of the worktree, its real path: a link outside may lead to a file inside. */
export const pathOrRealPathInWorktree = (
  path: string,
  realPath: string,
  places: SessionPlaces,
): string | undefined => pathInWorktree(path, places) ?? pathInWorktree(realPath, places)

/** Converts an absolute path without links; undefined if it is outside of the worktree. */
export const relativeToWorktree = (worktree: string, realPath: string): string | undefined =>
  contains(worktree, realPath) ? pathPattern({ directory: worktree, worktree }, realPath) : undefined

// A link may lead to a network disk that does not respond.
const MAX_LINK_MS = 5_000

/**
 * Resolves all links of a path. The path and the result are relative to the worktree. Returns undefined if the
 * result is outside of the worktree, or if resolving takes over 5 seconds.
 */
export const relativeRealPath = async (
  path: string,
  { real: { worktree } }: Pick<SessionPlaces, 'real'>,
): Promise<string | undefined> => {
  const { data } = await withTimeout(MAX_LINK_MS, realPathOf(resolve(worktree, path)))
  return data === null ? undefined : relativeToWorktree(worktree, data)
}

/** Returns a path and, if it differs, its real path. Both are relative to the worktree. */
export const candidatePaths = async (
  path: string,
  places: Pick<SessionPlaces, 'real'>,
): Promise<Array<string>> => [...new Set([path, await relativeRealPath(path, places) ?? path])]

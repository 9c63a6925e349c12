/**
 * Converts paths to the form that globs match: relative to the worktree, with slashes. `pathInWorktree` keeps links in
 * the session's directory; `relativeRealPath` resolves all links; `candidatePaths` returns both forms.
 */
import { relative, resolve } from 'node:path'
import { withTimeout } from '../safe.ts'
import { contains, pathPattern, projectRoot, type Workspace } from './boundary.ts'
import { realPathOf, realPathOrSelf } from './real-path.ts'

/** The directory and worktree of a session: as the host passes them (`original`), and with links resolved (`real`). */
export type SessionPlaces = { original: Workspace; real: Workspace }

/** Resolves the links of a session's directory and worktree. Without a repository, the worktree is the directory. */
export const placesOf = async (workspace: Workspace): Promise<SessionPlaces> => {
  const original = { ...workspace, worktree: projectRoot(workspace) }
  const [directory, worktree] = await Promise.all([original.directory, original.worktree].map(realPathOrSelf))
  return { original, real: { directory: directory!, worktree: worktree! } }
}

/**
 * Converts a path, absolute or relative to the session's directory; undefined if it is outside of the worktree. Links
 * on the way to the session's directory are resolved; links below it are kept.
 */
export const pathInWorktree = (path: string, { original, real }: SessionPlaces): string | undefined => {
  const absolute = resolve(original.directory, path)
  const resolved = contains(original.directory, absolute)
    ? resolve(real.directory, relative(original.directory, absolute))
    : absolute
  const workspace = [real, original].find(({ worktree }) => contains(worktree, resolved))
  return workspace && pathPattern(workspace, resolved)
}

/** Converts a path that has no links; undefined if it is outside of the worktree. */
export const relativeToWorktree = (worktree: string, realPath: string): string | undefined =>
  contains(worktree, realPath) ? pathPattern({ directory: worktree, worktree }, realPath) : undefined

// A link may lead to a network disk that does not respond.
const MAX_LINK_MS = 5_000

/**
 * Resolves all links of a path that is relative to the worktree, and converts the result; undefined if it is outside of
 * the worktree, or if resolving takes over 5 seconds.
 */
export const relativeRealPath = async (
  path: string,
  { real: { worktree } }: Pick<SessionPlaces, 'real'>,
): Promise<string | undefined> => {
  const { data } = await withTimeout(MAX_LINK_MS, realPathOf(resolve(worktree, path)))
  return data === null ? undefined : relativeToWorktree(worktree, data)
}

/** Returns a path that is relative to the worktree and, if it differs, the same path with its links resolved. */
export const candidatePaths = async (
  path: string,
  places: Pick<SessionPlaces, 'real'>,
): Promise<Array<string>> => [...new Set([path, await relativeRealPath(path, places) ?? path])]

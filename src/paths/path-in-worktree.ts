/** Converts paths to paths relative to the worktree: as a call names them, and with links resolved. */
import { relative, resolve } from 'node:path'
import { withTimeout } from '../safe.ts'
import { contains, pathPattern, projectRoot, type Workspace } from './boundary.ts'
import { realPathOf, realPathOrSelf } from './real-path.ts'

/** The directory and worktree of a session: as the host passes them (`original`), and with links resolved (`real`). */
export type SessionPlaces = { original: Workspace; real: Workspace }

/** Resolves the directory and worktree of a session. Without a repository, the worktree is the directory. */
export const placesOf = async (workspace: Workspace): Promise<SessionPlaces> => {
  const original = { ...workspace, worktree: projectRoot(workspace) }
  const [directory, worktree] = await Promise.all([original.directory, original.worktree].map(realPathOrSelf))
  return { original, real: { directory: directory!, worktree: worktree! } }
}

/**
 * Converts a path from a call or a person to a path relative to the worktree, with `/`; undefined if it is outside. Of
 * its links, resolves only one that leads to the session's directory.
 */
export const pathInWorktree = (name: string, { original, real }: SessionPlaces): string | undefined => {
  const namedPath = resolve(original.directory, name)
  const path = contains(original.directory, namedPath)
    ? resolve(real.directory, relative(original.directory, namedPath))
    : namedPath
  const workspace = [real, original].find(({ worktree }) => contains(worktree, path))
  return workspace && pathPattern(workspace, path)
}

/** Converts a real path to a path relative to the worktree, with `/`; undefined if it is outside. */
export const relativeToWorktree = (worktree: string, realPath: string): string | undefined =>
  contains(worktree, realPath) ? pathPattern({ directory: worktree, worktree }, realPath) : undefined

// A link may lead to a network disk that does not respond.
const MAX_LINK_MS = 5_000

/** Resolves the links of a file; returns its path relative to the worktree, undefined if outside or after 5 seconds. */
export const realPathInWorktree = async (
  name: string,
  { real: { worktree } }: Pick<SessionPlaces, 'real'>,
): Promise<string | undefined> => {
  const { data } = await withTimeout(MAX_LINK_MS, realPathOf(resolve(worktree, name)))
  return data === null ? undefined : relativeToWorktree(worktree, data)
}

/** Returns the paths by which globs may match a file: the given one, and that with links resolved if it differs. */
export const candidatePaths = async (
  name: string,
  places: Pick<SessionPlaces, 'real'>,
): Promise<Array<string>> => [...new Set([name, await realPathInWorktree(name, places) ?? name])]

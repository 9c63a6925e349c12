import { basename, dirname, join } from 'node:path'
import { ok, type Result } from '../safe.ts'
import { externalPattern, isInside, pathPattern, pathPatterns, type Place } from './boundary.ts'
import { type ShownFiles, shownTo } from './discovered-files.ts'
import { stateFolder } from './paths.ts'
import { realPathOf } from './real-path.ts'
import { unifiedDiff } from './unified-diff.ts'

/** Why a file was not written, or a permission not given. */
export type Refusal = {
  status: 'readError' | 'writeError' | 'refused' | 'stopped'
  error: string
  /** Where a permission was refused: by whom, and the host's own error. */
  permission?: { by: 'person' | 'config'; thrown: unknown }
}

/** A question to the person's permissions, as the host takes it. Nothing is thrown where the answer is no. */
export type Ask = (question: {
  permission: string
  patterns: Array<string>
  always: Array<string>
  metadata: Record<string, unknown>
}) => Promise<Result<null, Refusal>>

/** What one call of a tool writes under: where it is, whom it asks, what was shown to the model. */
export type WriteContext = {
  place: Place
  ask: Ask
  /** What discover-rules showed to the session. */
  discovered: ShownFiles
  /** What was discovered when the call was made: the texts that its rules were made from. */
  known: ShownFiles
  /** SAT's own folder for backups, locks and files in the making. */
  state: string
  abort: AbortSignal
}

/**
 * The write context of a caller outside a session: the paths that it names are its own choice and nobody is asked. All that
 * keeps a file whole holds as ever.
 */
export const unguardedWriteContext = (path: string): WriteContext => {
  const discovered = shownTo(new Set([path]), '')
  return {
    place: { directory: dirname(path), worktree: dirname(path) },
    ask: async () => ok(null),
    discovered,
    known: discovered,
    state: stateFolder(),
    abort: new AbortController().signal,
  }
}

/** Asks to go out of the project, where the file lies there. */
export const askToLeave = async (
  { place, ask }: WriteContext,
  realPath: string,
): Promise<Result<null, Refusal>> => {
  if (isInside(place, realPath)) return ok(null)
  const pattern = externalPattern(realPath)
  const metadata = { filepath: realPath }
  return ask({ permission: 'external_directory', patterns: [pattern], always: [pattern], metadata })
}

/** Asks to change a file, by its real path and by the names that lead to it, with the difference. */
export const askToEdit = async (
  { place, ask }: WriteContext,
  path: string,
  { realPath, before, after }: { realPath: string; before: string; after: string },
): Promise<Result<null, Refusal>> => {
  const link = join(await realPathOf(dirname(path)), basename(path))
  const diff = await unifiedDiff(pathPattern(place, realPath), before, after)
  return ask({
    permission: 'edit',
    patterns: pathPatterns(place, realPath, [path, link]),
    always: ['*'],
    metadata: { filepath: realPath, diff },
  })
}

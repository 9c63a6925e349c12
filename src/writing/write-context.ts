/** The context of a call that writes files: its folders, its permissions, and the files shown to the session. */
import { dirname } from 'node:path'
import type { Workspace } from '../paths/boundary.ts'
import { stateFolder } from '../paths/user-folders.ts'
import { ok } from '../safe.ts'
import type { Permissions } from './ask-permission.ts'
import { ShownFiles, type ShownToSession } from './shown-files.ts'

export type WriteContext = ShownToSession & {
  workspace: Workspace
  permissions: Pick<Permissions, 'askToEnter' | 'askToEdit'>
  /** SAT's folder for backups, locks and temporary files. */
  state: string
  abort: AbortSignal
}

/** For a caller without a session, the file counts as shown and everything is permitted. */
export const unguardedWriteContext = (path: string): WriteContext => {
  const discovered = new ShownFiles(new Set([path]))
  return {
    workspace: { directory: dirname(path), worktree: dirname(path) },
    permissions: { askToEnter: async () => ok(null), askToEdit: async () => ok(null) },
    discovered,
    shownAtStart: discovered,
    state: stateFolder(),
    abort: new AbortController().signal,
  }
}

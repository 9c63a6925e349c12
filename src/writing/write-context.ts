import { dirname } from 'node:path'
import type { Place } from '../paths/boundary.ts'
import { stateFolder } from '../paths/user-folders.ts'
import { ok } from '../safe.ts'
import type { Permissions } from './ask-permission.ts'
import { ShownFiles } from './shown-files.ts'

/** What a write asks the person. */
export type WritePermissions = Pick<Permissions, 'toEnter' | 'toEdit'>

/** The context of one call that writes: its place, its permissions, what was shown to the model. */
export type WriteContext = {
  place: Place
  permissions: WritePermissions
  /** What discover-rules showed to the session. */
  discovered: ShownFiles
  /** What was discovered when the call was made: the texts that its rules were made from. */
  known: ShownFiles
  /** SAT's own folder for backups, locks and files in the making. */
  state: string
  abort: AbortSignal
}

/**
 * Makes the write context of a caller outside a session, such as a script that calls `appendRules`: its path counts as
 * shown, and nobody is asked. All that keeps a file whole still holds.
 */
export const unguardedWriteContext = (path: string): WriteContext => {
  const discovered = new ShownFiles(new Set([path]))
  return {
    place: { directory: dirname(path), worktree: dirname(path) },
    permissions: { toEnter: async () => ok(null), toEdit: async () => ok(null) },
    discovered,
    known: discovered,
    state: stateFolder(),
    abort: new AbortController().signal,
  }
}

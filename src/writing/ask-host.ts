/** Asks the host for a permission. The host's config or the person answers. */
import { realpathSync } from 'node:fs'
import type { Workspace } from '../paths/boundary.ts'
import { fail, ok, reasonOf, type Result, safe } from '../safe.ts'

/** Why a file was not read or changed. `stopped`: the call was aborted, or the person refused an earlier question. */
export type Refusal = {
  status: 'readError' | 'writeError' | 'refused' | 'stopped'
  error: string
  /** Set if a permission was refused. `thrown` is the host's error. */
  permission?: { by: 'person' | 'config'; thrown: unknown }
}

/** A question in the host's form. The answer "always" permits the patterns of `always` from then on. */
export type Question = {
  permission: 'read' | 'edit' | 'external_directory'
  patterns: Array<string>
  always: Array<string>
  metadata: Record<string, unknown>
}

type CallContext = {
  agent: string
  directory?: string
  worktree?: string
  abort?: AbortSignal
  ask?: (question: Question) => Promise<void>
}

/** A permission was refused. `defineTool` throws the `cause` (the host's error), as the host's own tools do. */
export class PermissionRefused extends Error {
  constructor(cause: unknown) {
    super('permission refused', { cause })
  }
}

/** Throws a `PermissionRefused` for the first result with a refused permission, if any. */
export const throwIfRefused = (results: Array<object | null>): void => {
  for (const result of results) {
    const { permission }: Partial<Refusal> = result ?? {}
    if (permission !== undefined) throw new PermissionRefused(permission.thrown)
  }
}

const resolveLinks = (path: string): string => safe(() => realpathSync(path)).data ?? path

/** Returns the folders of a call as real paths, because SAT compares them with real paths. */
export const workspaceOf = (context: CallContext, directory: string): Workspace => ({
  directory: resolveLinks(context.directory ?? directory),
  worktree: resolveLinks(context.worktree ?? context.directory ?? directory),
})

/** `ok(null)` if the permission is granted. */
export type Answer = Result<null, Refusal>
export type Ask = (question: Question) => Promise<Answer>

/** Returns who refused, according to the host's error; undefined for another error, such as a lost connection. */
const refusedBy = (thrown: unknown): 'person' | 'config' | undefined => {
  const errorNames = `${Object(thrown)._tag} ${Object(thrown).name}`
  // The host throws PermissionRejectedError, or PermissionCorrectedError if the person refused with a message.
  if (/(?:Rejected|Corrected)Error\b/.test(errorNames)) return 'person'
  return /DeniedError\b/.test(errorNames) ? 'config' : undefined
}

const toRefusal = (thrown: unknown): Answer => {
  const by = refusedBy(thrown)
  const problem = by === undefined ? 'could not be asked for' : 'refused'
  const error = `permission ${problem}: ${reasonOf(thrown)}`
  return fail({ status: 'refused', error, ...(by && { permission: { by, thrown } }) })
}

/** Without a host, refuses two things: files outside the project, and edits by the agent `plan`, which only reads. */
const askNobody = ({ agent }: CallContext): Ask => async ({ permission }) => {
  const isRefused = permission === 'external_directory' || permission === 'edit' && agent === 'plan'
  if (!isRefused) return ok(null)
  const error = `there is nobody to ask for the permission "${permission}"`
  return fail({ status: 'refused', error, permission: { by: 'config', thrown: new Error(error) } })
}

/** Returns the signal that aborts a call, or one that never fires. */
export const abortSignalOf = ({ abort }: CallContext): AbortSignal => abort ?? new AbortController().signal

/** Creates the function that asks the host. It returns `stopped` as soon as the call is aborted. */
export const createAsk = (context: CallContext): Ask => {
  const { ask } = context
  if (ask === undefined) return askNobody(context)
  const abort = abortSignalOf(context)
  return (question) => {
    // The host's `ask` throws if the permission is refused. The async function also catches a synchronous throw.
    const answered = (async () => await ask(question))().then(() => ok(null), toRefusal)
    const stopped = new Promise<Answer>((resolve) => {
      const stop = () =>
        resolve(fail({ status: 'stopped', error: 'the call was stopped while it waited for permission' }))
      if (abort.aborted) stop()
      else abort.addEventListener('abort', stop, { once: true })
    })
    return Promise.race([stopped, answered])
  }
}

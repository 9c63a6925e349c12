/** Asks the host for a permission, which the host's config or the person grants or refuses. */
import { realpathSync } from 'node:fs'
import type { Workspace } from '../paths/boundary.ts'
import { fail, ok, reasonOf, type Result, safe } from '../safe.ts'

/** `stopped`: the call was aborted, or the person refused an earlier question. */
export type Refusal = {
  status: 'readError' | 'writeError' | 'refused' | 'stopped'
  error: string
  /** Set if a permission was refused. */
  permission?: { by: 'person' | 'config'; thrown: unknown }
}

/** The answer "always" permits the patterns of `always` from then on. */
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

/** `defineTool` catches this, and throws the host's error (`cause`), as the host's own tools do. */
export class PermissionRefused extends Error {
  constructor(cause: unknown) {
    super('permission refused', { cause })
  }
}

export const throwIfRefused = (results: Array<object | null>): void => {
  for (const result of results) {
    const { permission }: Partial<Refusal> = result ?? {}
    if (permission !== undefined) throw new PermissionRefused(permission.thrown)
  }
}

const resolveLinks = (path: string): string => safe(() => realpathSync(path)).data ?? path

/** Resolves links, because SAT compares these folders with the real paths of files. */
export const workspaceOf = (context: CallContext, directory: string): Workspace => ({
  directory: resolveLinks(context.directory ?? directory),
  worktree: resolveLinks(context.worktree ?? context.directory ?? directory),
})

export type Answer = Result<null, Refusal>
export type Ask = (question: Question) => Promise<Answer>

const refusedBy = (thrown: unknown): 'person' | 'config' | undefined => {
  const errorNames = `${Object(thrown)._tag} ${Object(thrown).name}`
  // The host throws a `PermissionCorrectedError` if the person refused with a message.
  if (/(?:Rejected|Corrected)Error\b/.test(errorNames)) return 'person'
  return /DeniedError\b/.test(errorNames) ? 'config' : undefined
}

const toRefusal = (thrown: unknown): Answer => {
  const by = refusedBy(thrown)
  const problem = by === undefined ? 'could not be asked for' : 'refused'
  const error = `permission ${problem}: ${reasonOf(thrown)}`
  return fail({ status: 'refused', error, ...(by && { permission: { by, thrown } }) })
}

const askNobody = ({ agent }: CallContext): Ask => async ({ permission }) => {
  // The host's agent `plan` only reads.
  const isRefused = permission === 'external_directory' || permission === 'edit' && agent === 'plan'
  if (!isRefused) return ok(null)
  const error = `there is nobody to ask for the permission "${permission}"`
  return fail({ status: 'refused', error, permission: { by: 'config', thrown: new Error(error) } })
}

export const abortSignalOf = ({ abort }: CallContext): AbortSignal => abort ?? new AbortController().signal

/** Creates a function that asks the host, and that answers `stopped` as soon as the call is aborted. */
export const createAsk = (context: CallContext): Ask => {
  const { ask } = context
  if (ask === undefined) return askNobody(context)
  const abort = abortSignalOf(context)
  return (question) => {
    // The async function catches a synchronous throw, too.
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

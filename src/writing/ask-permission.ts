/** Asks the host for the permissions that a call of SAT's tools needs; the host's config or the person answers. */
import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Workspace } from '../paths/boundary.ts'
import { contains, folderPattern, isInProject, pathPattern, pathPatterns } from '../paths/boundary.ts'
import { realPathOf } from '../paths/real-path.ts'
import { fail, ok, reasonOf, type Result, safe } from '../safe.ts'
import type { ChangeKind } from './shown-files.ts'

/** Why a file was not read or changed. `stopped`: the call was aborted, or the person refused an earlier question. */
export type Refusal = {
  status: 'readError' | 'writeError' | 'refused' | 'stopped'
  error: string
  /** Set if a permission was refused: by whom, and the host's error. */
  permission?: { by: 'person' | 'config'; thrown: unknown }
}

/** A question in the host's form. The answer "always" permits the patterns of `always` from then on. */
type Question = {
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

/** A permission was refused. `defineTool` throws the `cause`, the host's error, as the host's own tools do. */
export class PermissionRefused extends Error {
  constructor(cause: unknown) {
    super('permission refused', { cause })
  }
}

/** Throws a `PermissionRefused` for the first refused permission among the results, if any. */
export const throwIfRefused = (results: Array<object | null>): void => {
  for (const result of results) {
    const { permission }: Partial<Refusal> = result ?? {}
    if (permission !== undefined) throw new PermissionRefused(permission.thrown)
  }
}

const resolveLinks = (path: string): string => safe(() => realpathSync(path)).data ?? path

/** Returns the folders of a call with their links resolved, because they are compared with real paths. */
export const workspaceOf = (context: CallContext, directory: string): Workspace => ({
  directory: resolveLinks(context.directory ?? directory),
  worktree: resolveLinks(context.worktree ?? context.directory ?? directory),
})

/** `ok(null)` if the permission is granted. */
type Answer = Result<null, Refusal>
type Ask = (question: Question) => Promise<Answer>

/** Returns who refused a permission; undefined if nobody answered, such as after a lost connection. */
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

// Without a host, two things are refused: files outside the project, and edits by the agent `plan`, which only reads.
const askNobody = ({ agent }: CallContext): Ask => async ({ permission }) => {
  const error = `there is nobody to ask for the permission "${permission}"`
  const isRefused = permission === 'external_directory' || permission === 'edit' && agent === 'plan'
  if (!isRefused) return ok(null)
  return fail({ status: 'refused', error, permission: { by: 'config', thrown: new Error(error) } })
}

/** Returns the signal that aborts a call, or one that never fires. */
export const abortSignalOf = ({ abort }: CallContext): AbortSignal => abort ?? new AbortController().signal

/** Creates the function that asks the host. If the call is aborted before the answer, `stopped` is returned at once. */
export const createAsk = (context: CallContext): Ask => {
  const { ask } = context
  if (ask === undefined) return askNobody(context)
  const abort = abortSignalOf(context)
  return (question) => {
    // The host's `ask` throws if the permission is refused. The async function also catches a synchronous throw.
    const answered = (async () => await ask(question))().then(() => ok(null), toRefusal)
    const stopped = new Promise<Answer>((resolve) => {
      const stop = () => resolve(fail({ status: 'stopped', error: 'the call was stopped at the question' }))
      if (abort.aborted) stop()
      else abort.addEventListener('abort', stop, { once: true })
    })
    return Promise.race([stopped, answered])
  }
}

type PermissionsInput = {
  workspace: Workspace
  ask: Ask
  /** Returns the real paths of the files that the host loads, which are read without a question. */
  hostFiles?: () => Promise<Set<string>>
}

/** Asks for the permissions of one tool call. After the person has refused one, asks for nothing more. */
export class Permissions {
  readonly #input: PermissionsInput
  readonly #permittedFolders: Array<string> = []
  #hostFiles: Promise<Set<string>> | undefined
  #isRefusedByPerson = false
  /** The first refusal, by the person or the config. */
  refusal: Refusal | null = null

  constructor(input: PermissionsInput) {
    this.#input = input
  }

  /** Returns the real path of a file, or the reason why it may not be read. */
  async askToRead(path: string): Promise<Result<string>> {
    const realPath = await realPathOf(path)
    this.#hostFiles ??= this.#input.hostFiles?.()
    if ((await this.#hostFiles)?.has(realPath)) return ok(realPath)
    const entered = await this.#enter(dirname(realPath), realPath, 'read')
    if (entered.error !== null) return fail(entered.error.error)
    const answer = await this.#askFor('read', realPath, [path])
    return answer.error === null ? ok(realPath) : fail(answer.error.error)
  }

  /** Returns the reason why a folder may not be listed; null if it may. */
  async askToList(folder: string): Promise<string | null> {
    const realPath = await realPathOf(folder)
    const { error } = await this.#enter(realPath, realPath, 'read')
    return error?.error ?? null
  }

  /** Asks to enter the folder of a file that is to change, if the folder is outside the project. */
  askToEnter(realPath: string): Promise<Answer> {
    return this.#enter(dirname(realPath), realPath, 'edit')
  }

  /** Asks to change a file. If `path` is a link, the question also names its target, so that rules for either apply. */
  async askToEdit(
    path: string,
    { realPath, before, after, kind }: { realPath: string; before: string; after: string; kind: ChangeKind },
  ): Promise<Answer> {
    const entered = await this.askToEnter(realPath)
    if (entered.error !== null) return entered
    const pathInRealFolder = join(await realPathOf(dirname(path)), basename(path))
    const { formatDiff } = await import('../text/hunks.ts')
    const name = pathPattern(this.#input.workspace, realPath)
    // The screen has little room, so the diff of an addition has only the new lines.
    const diff = formatDiff(name, before, after, kind === 'addition' ? 0 : undefined)
    return this.#askFor('edit', realPath, [path, pathInRealFolder], { diff })
  }

  /** Asks to use a folder, unless it is in the project or already permitted. */
  async #enter(folder: string, filepath: string, purpose: 'read' | 'edit'): Promise<Answer> {
    if (isInProject(this.#input.workspace, filepath)) return ok(null)
    // Permission to read a folder covers its subfolders. To edit, each needs its own: the config may protect some.
    const isPermitted = purpose === 'read'
      ? this.#permittedFolders.some((permitted) => contains(permitted, filepath))
      : this.#permittedFolders.includes(folder)
    if (isPermitted) return ok(null)
    const pattern = folderPattern(folder)
    const answer = await this.#askUnlessRefused({
      permission: 'external_directory',
      patterns: [pattern],
      always: [pattern],
      metadata: { filepath, parentDir: folder },
    })
    if (answer.error === null) this.#permittedFolders.push(folder)
    return answer
  }

  #askFor(permission: 'read' | 'edit', filepath: string, names: Array<string>, extra = {}): Promise<Answer> {
    const patterns = pathPatterns(this.#input.workspace, filepath, names)
    return this.#askUnlessRefused({ permission, patterns, always: ['*'], metadata: { filepath, ...extra } })
  }

  async #askUnlessRefused(question: Question): Promise<Answer> {
    if (this.#isRefusedByPerson) {
      return fail({ status: 'stopped', error: 'not asked for, because an earlier question was refused' })
    }
    const answer = await this.#input.ask(question)
    const permission = answer.error?.permission
    if (permission !== undefined) this.refusal ??= answer.error
    if (permission?.by === 'person') this.#isRefusedByPerson = true
    return answer
  }
}

/**
 * Asks the host for the permissions that a call of SAT's tools needs. The host's config answers, or the person does.
 * "Outside" is outside the project.
 *
 * | call                         | asks for                                     | when                        |
 * | ---------------------------- | -------------------------------------------- | --------------------------- |
 * | discover-rules, a named file | `external_directory` if outside, then `read` | before the file is read     |
 * | discover-rules, a pattern    | `external_directory` for each folder outside | before the folder is listed |
 * | rewrite-rules and add-rules  | `external_directory` if outside, then `edit` | before the file changes     |
 *
 * - A file that the host loads by itself is read without a question.
 * - To restore a file outside that was not shown, a call asks for `external_directory` even before it reads the file.
 * - A call asks only once for each folder outside. A permission to read there covers the folders below, too.
 *
 * If a permission is not granted, its file stays as it is.
 *
 * - If the person refused, the call asks nothing more, and its answer says so for each remaining file.
 * - If the config refused, or the question failed (a lost connection), the call continues with the next file.
 * - If the call did nothing because of a refusal, it throws the host's error, as the host's own tools do.
 */
import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import {
  contains,
  folderPattern,
  isInProject,
  pathPattern,
  pathPatterns,
  type Workspace,
} from '../paths/boundary.ts'
import { realPathOf } from '../paths/real-path.ts'
import { fail, ok, reasonOf, type Result, safe } from '../safe.ts'
import type { ChangeKind } from './shown-files.ts'

/** Why a file was not written, or a permission was not granted. */
export type Refusal = {
  status: 'readError' | 'writeError' | 'refused' | 'stopped'
  error: string
  /** Who refused the permission, and the host's error. Missing if nobody refused. */
  permission?: { by: 'person' | 'config'; thrown: unknown }
}

/** A question in the host's form. */
type Question = {
  permission: 'read' | 'edit' | 'external_directory'
  patterns: Array<string>
  always: Array<string>
  metadata: Record<string, unknown>
}

/** The fields of the host's tool context that matter here. A program that calls a tool without a host may omit some. */
type CallContext = {
  agent: string
  directory?: string
  worktree?: string
  abort?: AbortSignal
  ask?: (question: Question) => Promise<void>
}

/** Tells the caller of a tool's code that a permission was refused. The tool then throws `cause`, the host's error. */
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

type Answer = Result<null, Refusal>

/** Asks for a permission; fails if it is refused. */
type Ask = (question: Question) => Promise<Answer>

/** Finds out who refused a permission, from the error that the question threw; `undefined`: the question failed. */
const refusedBy = (thrown: unknown): 'person' | 'config' | undefined => {
  const errorNames = `${Object(thrown)._tag} ${Object(thrown).name}`
  // The host throws PermissionRejectedError, or PermissionCorrectedError if the person refused with a message.
  if (/(?:Rejected|Corrected)Error\b/.test(errorNames)) return 'person'
  return /DeniedError\b/.test(errorNames) ? 'config' : undefined
}

/** Creates the answer to a question that threw an error. */
const toRefusal = (thrown: unknown): Answer => {
  const by = refusedBy(thrown)
  const problem = by === undefined ? 'could not be asked for' : 'refused'
  const error = `permission ${problem}: ${reasonOf(thrown)}`
  return fail({ status: 'refused', error, ...(by && { permission: { by, thrown } }) })
}

// Without a host, nobody answers. So files outside are refused, and all writes of the plan agent, which may only read.
const askNobody = ({ agent }: CallContext): Ask => async ({ permission }) => {
  const error = `there is nobody to ask for the permission "${permission}"`
  const isRefused = permission === 'external_directory' || permission === 'edit' && agent === 'plan'
  if (!isRefused) return ok(null)
  return fail({ status: 'refused', error, permission: { by: 'config', thrown: new Error(error) } })
}

/** Returns the signal that aborts a call, or one that never fires. */
export const abortSignalOf = (context: CallContext): AbortSignal =>
  context.abort ?? new AbortController().signal

/** Creates the function with which a call asks. If the call is aborted, its open question fails. */
export const createAsk = (context: CallContext): Ask => {
  const { ask } = context
  if (ask === undefined) return askNobody(context)
  const abort = abortSignalOf(context)
  return (question) => {
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
  /** Returns the real paths of the files that the host loads by itself. */
  hostFiles?: () => Promise<Set<string>>
}

/** Asks for the permissions of one tool call, as the table at the top of this file says. */
export class Permissions {
  readonly #input: PermissionsInput
  /** The folders outside the project for which permission was given. */
  readonly #permittedFolders: Array<string> = []
  #hostFiles: Promise<Set<string>> | undefined
  #isRefusedByPerson = false
  /** The first refusal by the person or the config. */
  refusal: Refusal | null = null

  constructor(input: PermissionsInput) {
    this.#input = input
  }

  /** Asks to read a file; returns its real path, or the reason why it may not be read. */
  async askToRead(path: string): Promise<Result<string>> {
    const realPath = await realPathOf(path)
    this.#hostFiles ??= this.#input.hostFiles?.()
    if ((await this.#hostFiles)?.has(realPath)) return ok(realPath)
    const entered = await this.#enter(dirname(realPath), realPath, 'read')
    const answer = entered.error === null ? await this.#ask('read', realPath, [path]) : entered
    return answer.error === null ? ok(realPath) : fail(answer.error.error)
  }

  /** Asks to list a folder; returns the reason why it may not be listed, null if it may. */
  async askToList(folder: string): Promise<string | null> {
    const realPath = await realPathOf(folder)
    const { error } = await this.#enter(realPath, realPath, 'read')
    return error?.error ?? null
  }

  /** Asks for the folder of a file that is to change, if it is outside the project. */
  askToEnter(realPath: string): Promise<Answer> {
    return this.#enter(dirname(realPath), realPath, 'edit')
  }

  /**
   * Asks to change a file and shows the diff. The question names the file's real path, and the link that leads to it.
   * For an addition, the diff has no lines around the new ones, because the screen has little room.
   */
  async askToEdit(
    path: string,
    { realPath, before, after, kind }: { realPath: string; before: string; after: string; kind: ChangeKind },
  ): Promise<Answer> {
    const entered = await this.askToEnter(realPath)
    if (entered.error !== null) return entered
    const pathWithLink = join(await realPathOf(dirname(path)), basename(path))
    const { formatDiff } = await import('../text/hunks.ts')
    const name = pathPattern(this.#input.workspace, realPath)
    const diff = formatDiff(name, before, after, kind === 'addition' ? 0 : undefined)
    return this.#ask('edit', realPath, [path, pathWithLink], { diff })
  }

  /** Asks for a folder if it is outside and not permitted yet. `filepath`: a file in the folder, or the folder. */
  async #enter(folder: string, filepath: string, purpose: 'read' | 'edit'): Promise<Answer> {
    const covers = (permitted: string) =>
      purpose === 'read' ? contains(permitted, filepath) : permitted === folder
    if (isInProject(this.#input.workspace, filepath) || this.#permittedFolders.some(covers)) return ok(null)
    const pattern = folderPattern(folder)
    const answer = await this.#send({
      permission: 'external_directory',
      patterns: [pattern],
      always: [pattern],
      metadata: { filepath, parentDir: folder },
    })
    if (answer.error === null) this.#permittedFolders.push(folder)
    return answer
  }

  /** Asks to read or edit a file. The question has the file's real path (`filepath`) and its other `names`. */
  #ask(permission: 'read' | 'edit', filepath: string, names: Array<string>, details = {}): Promise<Answer> {
    const patterns = pathPatterns(this.#input.workspace, filepath, names)
    return this.#send({ permission, patterns, always: ['*'], metadata: { filepath, ...details } })
  }

  async #send(question: Question): Promise<Answer> {
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

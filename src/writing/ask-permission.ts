/**
 * Asks for the permissions that a call of SAT's tools needs. "Outside" is outside the project.
 *
 * | call                         | asks for                                     | when                        |
 * | ---------------------------- | -------------------------------------------- | --------------------------- |
 * | discover-rules, a named file | `external_directory` if outside, then `read` | before the file is read     |
 * | discover-rules, a pattern    | `external_directory` for each folder outside | before the folder is listed |
 * | rewrite-rules and add-rules  | `external_directory` if outside, then `edit` | before the file changes     |
 *
 * Files that the host loads by itself are read without asking. To restore a file that was not shown, a call asks for
 * `external_directory` even before it reads the file. A call asks only once for each folder outside; for a read, that
 * also covers the folders below. The permissions of the plan agent deny `edit`, so the host refuses all its writes;
 * without a host, `askNobody` refuses them.
 *
 * After the person refuses, the call asks nothing more, and its answer says so for each remaining file. A refusal by
 * the config applies to one file only. If a question fails, for example because the connection is lost, its file stays
 * as it is, and the call continues with the next file. A call that did nothing because of a refusal throws the host's
 * error, as the host's tools do.
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
  /** If a permission was refused: by whom, and the host's error. */
  permission?: { by: 'person' | 'config'; thrown: unknown }
}

/** A question in the host's form. */
type Question = {
  permission: 'read' | 'edit' | 'external_directory'
  patterns: Array<string>
  always: Array<string>
  metadata: Record<string, unknown>
}

/** The fields of the host's tool context that matter here. A program without a host may omit some. */
type CallContext = {
  agent: string
  directory?: string
  worktree?: string
  abort?: AbortSignal
  ask?: (question: Question) => Promise<void>
}

/** Says that a permission was refused; `cause` is the host's error, which the tool then throws. */
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

/** Returns the folders of a call with their links resolved, so that they can be compared with real paths. */
export const workspaceOf = (context: CallContext, directory: string): Workspace => ({
  directory: resolveLinks(context.directory ?? directory),
  worktree: resolveLinks(context.worktree ?? context.directory ?? directory),
})

type Answer = Result<null, Refusal>

/** Asks for a permission; fails if it is refused. */
type Ask = (question: Question) => Promise<Answer>

/**
 * Converts what a question threw to a refusal. The host throws PermissionRejectedError or PermissionCorrectedError (a
 * refusal with a message) if the person refused, PermissionDeniedError if the config did. Any other error is a failure.
 */
const toRefusal = (thrown: unknown): Answer => {
  const errorNames = `${Object(thrown)._tag} ${Object(thrown).name}`
  const isByPerson = /(?:Rejected|Corrected)Error\b/.test(errorNames)
  const by = isByPerson ? 'person' : /DeniedError\b/.test(errorNames) ? 'config' : undefined
  const problem = by === undefined ? 'could not be asked for' : 'refused'
  const error = `permission ${problem}: ${reasonOf(thrown)}`
  return fail({ status: 'refused', error, ...(by && { permission: { by, thrown } }) })
}

// Without a host there is nobody to ask, so files outside the project and all writes of the plan agent are refused.
const askNobody = ({ agent }: CallContext): Ask => async ({ permission }) => {
  const error = `there is nobody to ask for the permission "${permission}"`
  const isRefused = permission === 'external_directory' || permission === 'edit' && agent === 'plan'
  if (!isRefused) return ok(null)
  return fail({ status: 'refused', error, permission: { by: 'config', thrown: new Error(error) } })
}

/** Returns the signal that aborts a call, or one that never fires. */
export const abortSignalOf = (context: CallContext): AbortSignal =>
  context.abort ?? new AbortController().signal

/** Creates the function with which a call asks. A question that is open when the call is aborted fails. */
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

/** `hostFiles` returns the real paths of the files that the host loads by itself. */
type PermissionsInput = { workspace: Workspace; ask: Ask; hostFiles?: () => Promise<Set<string>> }

/** Asks for the permissions of one tool call, as the table at the top of this file says. */
export class Permissions {
  readonly #input: PermissionsInput
  /** The folders outside the project for which permission was given. */
  readonly #enteredFolders: Array<string> = []
  #hostFiles: Promise<Set<string>> | undefined
  #isRefusedByPerson = false
  /** The first refusal by the person or the config. */
  refusal: Refusal | null = null

  constructor(input: PermissionsInput) {
    this.#input = input
  }

  /** Asks to read a file; returns its real path, or the reason why it may not be read. */
  async toRead(path: string): Promise<Result<string>> {
    const realPath = await realPathOf(path)
    if ((await (this.#hostFiles ??= this.#input.hostFiles?.()))?.has(realPath)) return ok(realPath)
    const entered = await this.#enter(dirname(realPath), realPath, 'read')
    const permitted = entered.error === null ? await this.#ask('read', realPath, [path]) : entered
    return permitted.error === null ? ok(realPath) : fail(permitted.error.error)
  }

  /** Asks to list a folder; returns the reason why it may not be listed, null if it may. */
  async toList(folder: string): Promise<string | null> {
    const realPath = await realPathOf(folder)
    return (await this.#enter(realPath, realPath, 'read')).error?.error ?? null
  }

  /** Asks for the folder of a file that is outside the project, before the file changes. */
  toEnter(realPath: string): Promise<Answer> {
    return this.#enter(dirname(realPath), realPath, 'edit')
  }

  /**
   * Asks to change a file and shows the diff. The question names the file's real path, and the link that leads to it.
   * For an addition, the diff has no lines around the new ones, because the screen has little room.
   */
  async toEdit(
    path: string,
    { realPath, before, after, kind }: { realPath: string; before: string; after: string; kind: ChangeKind },
  ): Promise<Answer> {
    const entered = await this.toEnter(realPath)
    if (entered.error !== null) return entered
    const pathWithLink = join(await realPathOf(dirname(path)), basename(path))
    const { formatDiff } = await import('../text/hunks.ts')
    const name = pathPattern(this.#input.workspace, realPath)
    const diff = formatDiff(name, before, after, kind === 'addition' ? 0 : undefined)
    return this.#ask('edit', realPath, [path, pathWithLink], { diff })
  }

  /** Asks for a folder, unless `filepath`, which is a file in it or the folder, is in the project or was permitted. */
  async #enter(folder: string, filepath: string, purpose: 'read' | 'edit'): Promise<Answer> {
    const isCovered = (entered: string) =>
      purpose === 'read' ? contains(entered, filepath) : entered === folder
    if (isInProject(this.#input.workspace, filepath) || this.#enteredFolders.some(isCovered)) return ok(null)
    const pattern = folderPattern(folder)
    const entered = await this.#send({
      permission: 'external_directory',
      patterns: [pattern],
      always: [pattern],
      metadata: { filepath, parentDir: folder },
    })
    if (entered.error === null) this.#enteredFolders.push(folder)
    return entered
  }

  /** Asks to read or edit a file. The question has its real path (`filepath`) and its `names`, which may be links. */
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

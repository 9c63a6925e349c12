/**
 * The person's permissions: who asks what and when, what counts as a no, and what happens to the files after it.
 *
 * | call                                       | asks                                                    | when                      |
 * | ------------------------------------------ | ------------------------------------------------------- | ------------------------- |
 * | discover-rules, a file that was named      | `external_directory` if it lies outside, and `read`     | before it is read         |
 * | discover-rules, a pattern                  | `external_directory` for each folder outside            | before a folder is listed |
 * | rewrite-rules and add-rules                | `external_directory` if it lies outside, and `edit`     | before the file changes   |
 * | rewrite-rules with `restore`               | the same; for a file that was not shown,                | before the file changes   |
 * |                                            | `external_directory` comes before it is looked at       |                           |
 *
 * The files that the host loads by itself are read without a question. A call asks once for a folder outside; to read,
 * that holds for the folders below it, too.
 *
 * The host refuses the plan agent, whose permissions deny `edit`. `askNobody` refuses it where there is no host.
 *
 * An error of the question itself, such as a lost connection, is not a refusal: that file stays as it is, and the call
 * goes on to the next one. After a person's no the call asks nothing more, and the answer says so for each file; a no
 * of the config holds for its own file only. Where nothing was done, the call throws the host's error, as its tools do.
 */
import { realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import {
  contains,
  folderPattern,
  isInside,
  pathPattern,
  pathPatterns,
  type Place,
} from '../paths/boundary.ts'
import { realPathOf } from '../paths/real-path.ts'
import { fail, ok, reasonOf, type Result, safe } from '../safe.ts'

/** Why a file was not written, or a permission not given. */
export type Refusal = {
  status: 'readError' | 'writeError' | 'refused' | 'stopped'
  error: string
  /** Where a permission was refused: by whom, and the host's own error. */
  permission?: { by: 'person' | 'config'; thrown: unknown }
}

/** A question in the host's own form. */
type Question = {
  permission: 'read' | 'edit' | 'external_directory'
  patterns: Array<string>
  always: Array<string>
  metadata: Record<string, unknown>
}

/** What is read here of the context that the host gives a tool; a program that calls the tools by itself has less. */
type CallContext = {
  agent: string
  directory?: string
  worktree?: string
  abort?: AbortSignal
  ask?: (question: Question) => Promise<void>
}

/** The host's own error where it refused a permission: the one thing that a tool throws on. */
export class PermissionRefused extends Error {
  constructor(cause: unknown) {
    super('permission refused', { cause })
  }
}

/** Throws the host's own error for the first permission that was refused among these, if one was. */
export const throwRefusal = (results: Array<object | null>): void => {
  for (const result of results) {
    const { permission }: Partial<Refusal> = result ?? {}
    if (permission !== undefined) throw new PermissionRefused(permission.thrown)
  }
}

const real = (path: string): string => safe(() => realpathSync(path)).data ?? path

/** Gives the place of a call, links resolved, to compare real paths with. */
export const placeOf = (context: CallContext, directory: string): Place => ({
  directory: real(context.directory ?? directory),
  worktree: real(context.worktree ?? context.directory ?? directory),
})

type Answer = Result<null, Refusal>

/** Asks for a permission; gives the refusal, if it is one. */
type Ask = (question: Question) => Promise<Answer>

// PermissionRejectedError, and PermissionCorrectedError for a no with words; PermissionDeniedError.
const BY_PERSON = /(?:Rejected|Corrected)Error\b/
const BY_CONFIG = /DeniedError\b/

const refused = (thrown: unknown): Answer => {
  const reason = reasonOf(thrown)
  const names = `${Object(thrown)._tag} ${Object(thrown).name}`
  const by = BY_PERSON.test(names) ? 'person' : BY_CONFIG.test(names) ? 'config' : undefined
  return by === undefined
    ? fail({ status: 'refused', error: `permission could not be asked for: ${reason}` })
    : fail({ status: 'refused', error: `permission refused: ${reason}`, permission: { by, thrown } })
}

// A program that calls the tools by itself has no way to ask: what needs a person's consent is refused, and so is
// every write of the plan agent.
const askNobody = ({ agent }: CallContext): Ask => async ({ permission }) => {
  const isRefused = permission === 'external_directory' || (permission === 'edit' && agent === 'plan')
  if (!isRefused) return ok(null)
  const error = `there is nobody to ask for the permission "${permission}"`
  return fail({ status: 'refused', error, permission: { by: 'config', thrown: new Error(error) } })
}

/** Gives the signal that ends a call; for a caller without one, a signal that never fires. */
export const abortOf = (context: CallContext): AbortSignal => context.abort ?? new AbortController().signal

/** Makes the function by which a call asks the person. A question ends with its call. */
export const askOf = (context: CallContext): Ask => {
  const { ask } = context
  if (ask === undefined) return askNobody(context)
  const abort = abortOf(context)
  return (question) => {
    const asked = (async () => await ask(question))().then(() => ok(null), refused)
    const stopped = new Promise<Answer>((resolve) => {
      const stop = () => resolve(fail({ status: 'stopped', error: 'the call was stopped at the question' }))
      if (abort.aborted) stop()
      else abort.addEventListener('abort', stop, { once: true })
    })
    return Promise.race([stopped, asked])
  }
}

/** Where a call is, how it asks, and the real paths of the files that the host loads by itself (none by default). */
type PermissionsInput = { place: Place; ask: Ask; hostFiles?: () => Promise<Set<string>> }

/** Asks the permissions of one tool call, as the table at the top of this file says. */
export class Permissions {
  readonly #input: PermissionsInput
  /** The folders outside the project that the person let the call into. */
  readonly #entered: Array<string> = []
  #hostFiles: Promise<Set<string>> | undefined
  #isRejected = false
  /** The first refusal of a permission. */
  refusal: Refusal | null = null

  constructor(input: PermissionsInput) {
    this.#input = input
  }

  /** Asks to read a file; gives its real path, or why it may not be read. */
  async toRead(path: string): Promise<Result<string>> {
    const realPath = await realPathOf(path)
    const { hostFiles = async () => new Set() } = this.#input
    if ((await (this.#hostFiles ??= hostFiles())).has(realPath)) return ok(realPath)
    const entered = await this.#enter(dirname(realPath), realPath, 'read')
    const permitted = entered.error !== null ? entered : await this.#ask('read', realPath, [path])
    return permitted.error === null ? ok(realPath) : fail(permitted.error.error)
  }

  /** Asks to look for files in a folder; gives why they may not be looked for, or null. */
  async toList(folder: string): Promise<string | null> {
    const realPath = await realPathOf(folder)
    return (await this.#enter(realPath, realPath, 'read')).error?.error ?? null
  }

  /** Asks to go out of the project, where the file lies there. */
  toEnter(realPath: string): Promise<Answer> {
    return this.#enter(dirname(realPath), realPath, 'edit')
  }

  /**
   * Asks to change a file, by its real path and by the names that lead to it, with the difference; of an addition only
   * the new lines, since the screen has room for few.
   */
  async toEdit(
    path: string,
    { realPath, before, after }: { realPath: string; before: string; after: string },
    isAddition = false,
  ): Promise<Answer> {
    const entered = await this.toEnter(realPath)
    if (entered.error !== null) return entered
    const link = join(await realPathOf(dirname(path)), basename(path))
    const { formatDiff } = await import('../text/hunks.ts')
    const diff = formatDiff(
      pathPattern(this.#input.place, realPath),
      before,
      after,
      isAddition ? 0 : undefined,
    )
    return this.#ask('edit', realPath, [path, link], { diff })
  }

  async #enter(folder: string, filepath: string, to: 'read' | 'edit'): Promise<Answer> {
    const covers = (entered: string) => to === 'read' ? contains(entered, filepath) : entered === folder
    if (isInside(this.#input.place, filepath) || this.#entered.some(covers)) return ok(null)
    const pattern = folderPattern(folder)
    const entered = await this.#put({
      permission: 'external_directory',
      patterns: [pattern],
      always: [pattern],
      metadata: { filepath, parentDir: folder },
    })
    if (entered.error === null) this.#entered.push(folder)
    return entered
  }

  #ask(permission: 'read' | 'edit', filepath: string, names: Array<string>, more = {}): Promise<Answer> {
    const patterns = pathPatterns(this.#input.place, filepath, names)
    return this.#put({ permission, patterns, always: ['*'], metadata: { filepath, ...more } })
  }

  async #put(question: Question): Promise<Answer> {
    if (this.#isRejected) {
      return fail({ status: 'stopped', error: 'not asked for after the refusal before it' })
    }
    const asked = await this.#input.ask(question)
    const permission = asked.error?.permission
    if (permission !== undefined) this.refusal ??= asked.error
    if (permission?.by === 'person') this.#isRejected = true
    return asked
  }
}

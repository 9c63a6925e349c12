/**
 * The person's permissions: who asks what and when, what counts as a no, and what happens to the files after it.
 *
 * | call                                       | asks                                                    | when                      |
 * | ------------------------------------------ | ------------------------------------------------------- | ------------------------- |
 * | discover-rules, a file that was named      | `external_directory` if it lies outside, and `read`     | before it is read         |
 * | discover-rules, a pattern or `a.md#2`      | `external_directory` for each folder outside            | before a folder is listed |
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
import type { ToolContext } from '@opencode-ai/plugin'
import { basename, dirname, join } from 'node:path'
import {
  contains,
  folderPattern,
  isInside,
  pathPattern,
  pathPatterns,
  type Place,
} from '../paths/boundary.ts'
import { realPathNow, realPathOf } from '../paths/real-path.ts'
import { fail, ok, reasonOf, type Result, safe } from '../safe.ts'
import { unifiedDiff } from '../text/unified-diff.ts'
import type { Refusal, WritePermissions } from '../writing/write-context.ts'

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

const real = (path: string): string => safe(() => realPathNow(path)).data ?? path

/** Gives the place of a call, links resolved, to compare real paths with. */
export const placeOf = (context: ToolContext, directory: string): Place => ({
  directory: real(context.directory ?? directory),
  worktree: real(context.worktree ?? context.directory ?? directory),
})

/** Asks for a permission in the host's own form; gives the refusal, if it is one. */
type Ask = (question: {
  permission: string
  patterns: Array<string>
  always: Array<string>
  metadata: Record<string, unknown>
}) => Promise<Result<null, Refusal>>

// PermissionRejectedError, and PermissionCorrectedError for a no with words; PermissionDeniedError.
const BY_PERSON = /(?:Rejected|Corrected)Error\b/
const BY_CONFIG = /DeniedError\b/

const refusalOf = (thrown: unknown): Refusal => {
  const reason = reasonOf(thrown)
  const names = `${Object(thrown)._tag} ${Object(thrown).name}`
  const by = BY_PERSON.test(names) ? 'person' : BY_CONFIG.test(names) ? 'config' : undefined
  return by === undefined
    ? { status: 'refused', error: `permission could not be asked for: ${reason}` }
    : { status: 'refused', error: `permission refused: ${reason}`, permission: { by, thrown } }
}

// A program that calls the tools by itself has no way to ask: what needs a person's consent is refused, and so is
// every write of the plan agent.
const askNobody = ({ agent }: ToolContext): Ask => async ({ permission }) => {
  const isRefused = permission === 'external_directory' || (permission === 'edit' && agent === 'plan')
  if (!isRefused) return ok(null)
  const error = `there is nobody to ask for the permission "${permission}"`
  return fail({ status: 'refused', error, permission: { by: 'config', thrown: new Error(error) } })
}

const STOPPED: Refusal = { status: 'stopped', error: 'the call was stopped at the question' }

/** Resolves to what comes first: the answer, or the end of the call. */
const untilStopped = (abort: AbortSignal, asked: Promise<Result<null, Refusal>>) =>
  new Promise<Result<null, Refusal>>((resolve) => {
    const stop = () => resolve(fail(STOPPED))
    if (abort.aborted) return stop()
    abort.addEventListener('abort', stop)
    void asked.then(resolve).finally(() => abort.removeEventListener('abort', stop))
  })

/** Gives the signal that ends a call; for a caller without one, a signal that never fires. */
export const abortOf = (context: ToolContext): AbortSignal => context.abort ?? new AbortController().signal

/** Makes the function by which a call asks the person. A question ends with its call. */
export const askOf = (context: ToolContext): Ask => {
  if (typeof context.ask !== 'function') return askNobody(context)
  const ask: Ask = async (question) => {
    try {
      await context.ask(question)
      return ok(null)
    } catch (thrown) {
      return fail(refusalOf(thrown))
    }
  }
  return (question) => untilStopped(abortOf(context), ask(question))
}

/** Where a call is, how it asks, and the real paths of the files that the host loads by itself (none by default). */
type PermissionsInput = { place: Place; ask: Ask; hostFiles?: () => Promise<Set<string>> }

const NOT_ASKED: Refusal = { status: 'stopped', error: 'not asked for after the refusal before it' }

/** Asks the permissions of one tool call, as the table at the top of this file says. */
export class Permissions implements WritePermissions {
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
    const entered = await this.#enterToRead(dirname(realPath), realPath)
    const permitted = entered.error !== null ? entered : await this.#ask({
      permission: 'read',
      patterns: pathPatterns(this.#input.place, realPath, [path]),
      always: ['*'],
      metadata: { filepath: realPath },
    })
    return permitted.error === null ? ok(realPath) : fail(permitted.error.error)
  }

  /** Asks to look for files in a folder; gives why they may not be looked for, or null. */
  async toList(folder: string): Promise<string | null> {
    const realPath = await realPathOf(folder)
    return (await this.#enterToRead(realPath, realPath)).error?.error ?? null
  }

  /** Asks to go out of the project, where the file lies there. */
  async toEnter(realPath: string): Promise<Result<null, Refusal>> {
    const folder = dirname(realPath)
    return this.#entered.includes(folder) ? ok(null) : this.#enter(folder, realPath)
  }

  /** Asks to change a file, by its real path and by the names that lead to it, with the difference. */
  async toEdit(
    path: string,
    { realPath, before, after }: { realPath: string; before: string; after: string },
  ): Promise<Result<null, Refusal>> {
    const entered = await this.toEnter(realPath)
    if (entered.error !== null) return entered
    const { place } = this.#input
    const link = join(await realPathOf(dirname(path)), basename(path))
    return this.#ask({
      permission: 'edit',
      patterns: pathPatterns(place, realPath, [path, link]),
      always: ['*'],
      metadata: {
        filepath: realPath,
        diff: await unifiedDiff(pathPattern(place, realPath), before, after),
      },
    })
  }

  async #enterToRead(folder: string, filepath: string): Promise<Result<null, Refusal>> {
    return this.#entered.some((one) => contains(one, filepath)) ? ok(null) : this.#enter(folder, filepath)
  }

  async #enter(folder: string, filepath: string): Promise<Result<null, Refusal>> {
    if (isInside(this.#input.place, filepath)) return ok(null)
    const pattern = folderPattern(folder)
    const entered = await this.#ask({
      permission: 'external_directory',
      patterns: [pattern],
      always: [pattern],
      metadata: { filepath, parentDir: folder },
    })
    if (entered.error === null) this.#entered.push(folder)
    return entered
  }

  async #ask(question: Parameters<Ask>[0]): Promise<Result<null, Refusal>> {
    if (this.#isRejected) return fail(NOT_ASKED)
    const asked = await this.#input.ask(question)
    const permission = asked.error?.permission
    if (permission !== undefined) this.refusal ??= asked.error
    if (permission?.by === 'person') this.#isRejected = true
    return asked
  }
}

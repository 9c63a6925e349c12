/**
 * The person's permissions, told once for discover-rules, rewrite-rules, add-rules and restoring: how a question is
 * put, what counts as a no, and what happens to the files after one.
 *
 * The plan agent is refused by the host itself, whose rules for it deny `edit`. After a person's no the other files of
 * the same call are not asked for; a deny of the config's is for its own file only. An error of the question itself,
 * such as a lost connection, is nobody's no: the file is not written, and the answer says why.
 */
import type { ToolContext } from '@opencode-ai/plugin'
import type { Place } from '../files/boundary.ts'
import { type DiscoveredFiles, shownTo } from '../files/discovered-files.ts'
import { KeyedLock } from '../files/lock.ts'
import { stateFolder } from '../files/paths.ts'
import { realPathNow } from '../files/real-path.ts'
import type { Ask, Refusal, WriteContext } from '../files/write-context.ts'
import { fail, ok, reasonOf, type Result, safe } from '../safe.ts'

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

/** Why a file was not asked for. */
export const NOT_ASKED = 'not asked for after the refusal before it'

/** Works on one file after the other; those after a person's no are only told that they were not asked for. */
export const fileByFile = async <File, Done extends { status: string }>(
  files: Array<File>,
  work: (file: File) => Promise<Done | ({ path: string } & Refusal)>,
  pathOf: (file: File) => string,
): Promise<Array<Done | ({ path: string } & Refusal)>> => {
  type Outcome = Done | ({ path: string } & Refusal)
  const results: Array<Outcome> = []
  let isRejected = false
  for (const file of files) {
    const result: Outcome = isRejected
      ? { status: 'stopped', path: pathOf(file), error: NOT_ASKED }
      : await work(file)
    isRejected ||= ('permission' in result ? result.permission : undefined)?.by === 'person'
    results.push(result)
  }
  return results
}

const real = (path: string): string => safe(() => realPathNow(path)).data ?? path

/** Where a call is, links resolved, so that real paths can be judged by it. */
export const placeOf = (context: ToolContext, directory: string): Place => ({
  directory: real(context.directory ?? directory),
  worktree: real(context.worktree ?? context.directory ?? directory),
})

// The host's own names for them: PermissionRejectedError, PermissionCorrectedError (a no with words), PermissionDeniedError.
const BY_PERSON = /(?:Rejected|Corrected)Error$/
const BY_CONFIG = /DeniedError$/

const refusalOf = (thrown: unknown): Refusal => {
  const reason = reasonOf(thrown)
  const { _tag, name } = Object(thrown) as { _tag?: unknown; name?: unknown }
  const by =
    [_tag, name].map(String).flatMap((one) =>
      BY_PERSON.test(one) ? ['person' as const] : BY_CONFIG.test(one) ? ['config' as const] : []
    )[0]
  return by === undefined
    ? { status: 'refused', error: `permission could not be asked for: ${reason}` }
    : { status: 'refused', error: `permission refused: ${reason}`, permission: { by, thrown } }
}

// A caller that brings no way to ask, such as a program that uses the tools by itself: what needs a person's consent
// is then refused, and so is every write of the agent that only plans.
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

const abortOf = (context: ToolContext): AbortSignal => context.abort ?? new AbortController().signal

/** How a call asks the person. */
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

const writers = new KeyedLock()

// A question that nobody has to answer, since the config does, is over in a millisecond or two.
const OPEN_AFTER_MS = 100

/** Whether a question stays open. */
const isOpen = (asked: Promise<unknown>): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), OPEN_AFTER_MS)
    void asked.then(() => {
      clearTimeout(timer)
      resolve(false)
    })
  })

/**
 * Runs a writing tool's work in the order of the session's calls, since those of one message run at once. A call whose
 * question stays open lets the others pass meanwhile: nobody waits for an answer to another's question.
 */
export const asWriter = async <Answer>(
  { context, directory, discovered }: {
    context: ToolContext
    directory: string
    discovered: Set<string> | DiscoveredFiles
  },
  work: (writeContext: WriteContext) => Promise<Answer>,
): Promise<Answer> => {
  const shown = shownTo(discovered, context.sessionID)
  const known = shown.copy()
  let release = await writers.take([context.sessionID])
  const ask = askOf(context)
  const writeContext: WriteContext = {
    place: placeOf(context, directory),
    ask: async (question) => {
      const asked = ask(question)
      if (!(await isOpen(asked))) return asked
      release()
      const answered = await asked
      release = await writers.take([context.sessionID])
      return answered
    },
    discovered: shown,
    known,
    state: stateFolder(),
    abort: abortOf(context),
  }
  return work(writeContext).finally(() => release())
}

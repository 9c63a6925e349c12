import type { PluginInput } from '@opencode-ai/plugin'
import { fail, ok, reasonOf, type Result } from '../safe.ts'

/** The host, as its plugins call it. */
export type Client = PluginInput['client']

/**
 * The HTTP client behind the host's client, for requests of the host's API that the client has no call for. It reaches
 * the host in-process, where an address answers nothing while a terminal runs without a server.
 *
 * There is no public way to it: the SDK declares it protected.
 */
export const httpClientOf = (client: Client): Client['_client'] => client['_client']

// A call that the host makes to itself can hang for good.
const CALL_LIMIT_MS = 10_000

/** Awaits `work` for so long and no longer. The work itself goes on. */
export const within = async <T>(limit: number, work: Promise<T>): Promise<Result<T>> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Result<T>>((resolve) => {
    timer = setTimeout(() => resolve(fail(`no answer within ${limit} ms`)), limit)
  })
  try {
    return await Promise.race([work.then(ok<T>), late])
  } catch (thrown) {
    return fail(reasonOf(thrown))
  } finally {
    clearTimeout(timer)
  }
}

const wordsOf = (error: unknown): string => {
  const { data, message } = Object(error)
  return String(Object(data).message ?? message ?? JSON.stringify(error))
}

/**
 * Calls the host by its client, which throws on nothing (what it could not do stands in its answer) and may never
 * settle.
 */
export const callHost = async <T>(
  ask: () => Promise<{ data?: T; error?: unknown } | undefined>,
): Promise<Result<T | undefined>> => {
  const answered = await within(CALL_LIMIT_MS, (async () => await ask())())
  if (answered.error !== null) return answered
  const { data, error } = answered.data ?? {}
  return error === undefined || error === null ? ok(data) : fail(wordsOf(error))
}

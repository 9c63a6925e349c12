/** The folder `host/`: all contact with the host (OpenCode). This file calls the host through its client. */
import type { PluginInput } from '@opencode-ai/plugin'
import { fail, ok, type Result, withTimeout } from '../safe.ts'

/** The host's API, as a plugin receives it. */
export type Client = PluginInput['client']

/**
 * Returns the HTTP client inside the host's client, for API requests that have no method of their own. It calls the
 * host in-process, so it also works if the host runs no server and has no address. The SDK declares it protected and
 * offers no public alternative.
 */
export const httpClientOf = (client: Client): Client['_client'] => client['_client']

const CALL_LIMIT_MS = 10_000

/** Returns the message of an error of the host (`{ data: { message } }`) or of JavaScript; of any other, its JSON. */
const messageOf = (error: unknown): string => {
  const { data, message } = Object(error)
  return String(Object(data).message ?? message ?? JSON.stringify(error))
}

/** Calls the host. It may never answer a call from its own process, so the call fails after ten seconds. */
export const callHost = async <T>(
  request: () => Promise<{ data?: T; error?: unknown } | undefined>,
): Promise<Result<T | undefined>> => {
  // An async function, because a request may throw before it returns a promise.
  const answer = await withTimeout(CALL_LIMIT_MS, (async () => await request())())
  if (answer.error !== null) return answer
  const { data, error } = answer.data ?? {}
  return error === undefined || error === null ? ok(data) : fail(messageOf(error))
}

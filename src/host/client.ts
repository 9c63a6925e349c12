/** The folder `host/`: the interface to OpenCode (the host). This file calls the host through the SDK. */
import type { PluginInput } from '@opencode-ai/plugin'
import { fail, ok, withTimeout } from '../safe.ts'

export type Client = PluginInput['client']

/** Returns the SDK's protected HTTP client, for routes without an SDK function. It works even if no server runs. */
export const httpClientOf = (client: Client): Client['_client'] => client['_client']

const CALL_LIMIT_MS = 10_000

const messageOf = (error: unknown): string => {
  const { data, message } = Object(error)
  return String(Object(data).message ?? message ?? JSON.stringify(error))
}

/** Fails if the host has not answered after ten seconds. A call that is made inside the host's own process may get none. */
export const callHost = async <T>(request: () => Promise<{ data?: T; error?: unknown } | undefined>) => {
  // A request may throw before it returns a promise.
  const answer = await withTimeout(CALL_LIMIT_MS, (async () => await request())())
  if (answer.error !== null) return answer
  const { data, error } = answer.data ?? {}
  return error === undefined || error === null ? ok(data) : fail(messageOf(error))
}

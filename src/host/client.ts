/** The folder `host/`: the host's edge. Its client, log, config, options, commands, tools and stored data. */
import type { PluginInput } from '@opencode-ai/plugin'
import { fail, ok, type Result, withTimeout } from '../safe.ts'

/** The host, as its plugins call it. */
export type Client = PluginInput['client']

/**
 * Returns the HTTP client inside the host's client, for API requests without a method of their own. It reaches the host
 * in-process: a terminal without a server has no address. The SDK declares it protected and offers no public
 * alternative.
 */
export const httpClientOf = (client: Client): Client['_client'] => client['_client']

// A call that the host makes to itself may hang forever.
const CALL_LIMIT_MS = 10_000

const messageOf = (error: unknown): string => {
  const { data, message } = Object(error)
  return String(Object(data).message ?? message ?? JSON.stringify(error))
}

/**
 * Calls the host through its client; returns the data of the answer, or the reason why there is none. The client
 * reports errors in its answer instead of throwing, and may never settle: a call times out after ten seconds.
 */
export const callHost = async <T>(
  ask: () => Promise<{ data?: T; error?: unknown } | undefined>,
): Promise<Result<T | undefined>> => {
  const answered = await withTimeout(CALL_LIMIT_MS, (async () => await ask())())
  if (answered.error !== null) return answered
  const { data, error } = answered.data ?? {}
  return error === undefined || error === null ? ok(data) : fail(messageOf(error))
}

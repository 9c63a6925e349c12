import { safeAsync } from '../safe.ts'
import type { Client } from './client.ts'

const SERVICE = 'opencode-sat'

/** Writes a line to the host's log. SAT prints nothing, since that would spoil the person's screen. */
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  extra?: Record<string, unknown>,
) => void

/**
 * Makes a log over the host's client that puts `prefix` before each message: the host's log does not show the service.
 * It never waits and never fails.
 */
export const logOf = (client: Client, prefix = `${SERVICE}: `): Log => (level, message, extra = {}) => {
  const body = { service: SERVICE, level, message: prefix + message, extra }
  // A lost line must not cost a turn.
  void safeAsync(async () => await client.app.log({ body }))
}

import { safeAsync } from '../safe.ts'
import type { Client } from './client.ts'

// By default, each message also begins with this name, because the host's log does not show the service.
const SERVICE = 'opencode-sat'

/** Writes a line to the host's log. Printing would garble the screen, so SAT prints only in `opencode run`. */
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  extra?: Record<string, unknown>,
) => void

/** Creates the function that writes to the host's log. It never waits and never fails. */
export const createLog = (client: Client, prefix = `${SERVICE}: `): Log => (level, message, extra = {}) => {
  const body = { service: SERVICE, level, message: prefix + message, extra }
  void safeAsync(async () => await client.app.log({ body }))
}

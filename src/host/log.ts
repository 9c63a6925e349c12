import { safeAsync } from '../safe.ts'
import type { Client } from './client.ts'

// By default, each message also begins with this name, because the host's log does not show the field `service`.
const SERVICE = 'opencode-sat'

/** Writes a line to the host's log, because printing would garble the screen. */
export type Log = (level: 'info' | 'warn' | 'error', message: string, extra?: Record<string, unknown>) => void

/** Creates a `Log`, which never waits and never fails. */
export const createLog = (client: Client, prefix = `${SERVICE}: `): Log => (level, message, extra = {}) => {
  const body = { service: SERVICE, level, message: prefix + message, extra }
  void safeAsync(async () => await client.app.log({ body }))
}

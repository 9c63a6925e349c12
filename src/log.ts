import type { PluginInput } from '@opencode-ai/plugin'

const SERVICE = 'opencode-sat'

/** Writes to the host's log, the only place where SAT may say anything: what it printed would spoil the screen. */
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  extra?: Record<string, unknown>,
) => void

/** A log over the host's client. It never waits and never fails: a line that is lost must not cost a turn. */
export const logOf = (client: PluginInput['client']): Log => (level, message, extra = {}) => {
  void (async () => {
    try {
      // The host's log shows no service, so the message says itself whose it is.
      const body = { service: SERVICE, level, message: `${SERVICE}: ${message}`, extra }
      await client.app.log({ body })
    } catch {
      // there is no other place to say it
    }
  })()
}

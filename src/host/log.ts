import type { PluginInput } from '@opencode-ai/plugin'

const SERVICE = 'opencode-sat'

/** Writes to the host's log, the only place where SAT may say anything: what it printed would spoil the screen. */
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  extra?: Record<string, unknown>,
) => void

// The host's log shows no service, so a message says itself whose it is.
const PREFIX = `${SERVICE}: `

/** A log over the host's client, each message behind `prefix`. It never waits and never fails: a line that is lost must not cost a turn. */
export const logOf =
  (client: PluginInput['client'], prefix = PREFIX): Log => (level, message, extra = {}) => {
    void (async () => {
      try {
        const body = { service: SERVICE, level, message: prefix + message, extra }
        await client.app.log({ body })
      } catch {
        // there is no other place to say it
      }
    })()
  }

import type { PluginInput } from '@opencode-ai/plugin'

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
      await client.app.log({ body: { service: 'opencode-sat', level, message, extra } })
    } catch {
      // there is no other place to say it
    }
  })()
}

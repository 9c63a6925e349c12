import type { Config } from '@opencode-ai/plugin'
import type { HooksPart } from './join-hooks.ts'

/** The host's merged config, as its `config` hook gets it. */
export type MergedConfig = Config

/** What SAT reads of the host's merged config. */
export type HostConfig = {
  instructions?: Array<string>
  /** How much of a tool's answer reaches the model. */
  tool_output?: { max_lines?: number; max_bytes?: number }
  model?: string
  default_agent?: string
  agent?: Record<string, { model?: string } | undefined>
}

/**
 * Makes the hook that captures the host's merged config, and `current`, which gives it, or undefined before the hook
 * ran. Later plugins may change the very object that the hook gets, so call `current` when the config is needed.
 */
export const captureConfig = (): { hooks: HooksPart; current: () => HostConfig | undefined } => {
  let config: HostConfig | undefined
  return {
    hooks: {
      config: async (merged) => {
        config = merged as HostConfig
      },
    },
    current: () => config,
  }
}

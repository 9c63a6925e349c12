import type { Config } from '@opencode-ai/plugin'
import type { HooksPart } from './join-hooks.ts'

/** The host's merged config, as its `config` hook hands it on. */
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
 * The host's merged config, from its `config` hook. The host goes on with the very object that the hook gets, and
 * later plugins may add to it, so `current` is to be asked when it is needed.
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

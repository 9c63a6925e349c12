import type { Config } from '@opencode-ai/plugin'

/** The host's merged config, as its `config` hook gets it. */
export type MergedConfig = Config

/** What SAT reads of the host's merged config. */
export type HostConfig = {
  instructions?: Array<string>
  /** How much of a tool's answer reaches the model. */
  tool_output?: { max_lines?: number; max_bytes?: number }
  model?: string
  default_agent?: string
  permission?: unknown
  agent?: Record<string, { model?: string; permission?: unknown } | undefined>
}

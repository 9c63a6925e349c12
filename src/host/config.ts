/** The host's merged config, as the `config` hook receives it. */
export type { Config as MergedConfig } from '@opencode-ai/plugin'

/** The fields of the merged config on which rules and tools depend. */
export type HostConfig = {
  instructions?: Array<string>
  /** How much of a tool's answer reaches the model. */
  tool_output?: { max_lines?: number; max_bytes?: number }
  model?: string
  default_agent?: string
  permission?: unknown
  agent?: Record<string, { model?: string; permission?: unknown } | undefined>
}

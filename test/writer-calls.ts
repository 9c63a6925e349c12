/** What the stories of writers share: a project of instruction files, and the calls that they play. */
import { type Project, sharedHost } from './host.ts'
import type { Call } from './model.ts'

/** A project whose files are its instruction files. */
export const start = async (
  files: Record<string, string | Uint8Array>,
  config: Record<string, unknown> = {},
): Promise<Project> =>
  (await sharedHost()).project({ files, config: { instructions: Object.keys(files), ...config } })

export const DISCOVER: Call = { tool: 'discover-rules' }

export const rewrite = (files: string, ...rules: Array<string>): Call => ({
  tool: 'rewrite-rules',
  args: { rules: JSON.stringify({ rules }), files, mode: 'concise' },
})

/** What the stories of writers share: a project of instruction files, and the calls that they play. */
import { sharedHost } from '../harness/host.ts'
import { inProcess, type Project } from '../harness/in-process.ts'
import type { Call } from '../harness/model.ts'

type Files = Record<string, string | Uint8Array>

/** A project whose files are its instruction files. */
export const start = async (files: Files, config: Record<string, unknown> = {}): Promise<Project> =>
  (await inProcess()).project({ files, config: { instructions: Object.keys(files), ...config } })

/** The same in the real host, in a worktree: for stories of questions, agents, other sessions and calls at once. */
export const startInHost = async (files: Files, config: Record<string, unknown> = {}): Promise<Project> =>
  (await sharedHost()).project({ files, config: { instructions: Object.keys(files), ...config }, git: true })

export const DISCOVER: Call = { tool: 'discover-rules' }

export const rewrite = (files: string, ...rules: Array<string>): Call => ({
  tool: 'rewrite-rules',
  args: { rules: JSON.stringify({ rules }), files, mode: 'concise' },
})

import type { Hooks, PluginInput } from '@opencode-ai/plugin'
import SAT from '../../sat.ts'

/** Starts the whole plugin in a folder, without the host: its client answers each call and stores nothing. */
export const startPlugin = async (directory: string, options: Parameters<typeof SAT>[1]): Promise<Hooks> => {
  const succeed = async () => ({ data: {} })
  const client = {
    _client: { patch: succeed },
    app: { log: succeed },
    session: {
      messages: async () => ({ data: [] }),
      message: async () => ({}),
      get: succeed,
      prompt: succeed,
    },
  }
  const input = { client, directory, worktree: directory } as unknown as PluginInput
  return await SAT(input, options)
}

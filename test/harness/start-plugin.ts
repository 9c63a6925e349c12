import type { Hooks, PluginInput } from '@opencode-ai/plugin'
import SAT from '../../sat.ts'

/** Starts the whole plugin in a folder, without the host: with a client that answers everything and stores nothing. */
export const startPlugin = async (directory: string, options: Parameters<typeof SAT>[1]): Promise<Hooks> => {
  const done = async () => ({ data: {} })
  const client = {
    _client: { patch: done },
    app: { log: done },
    session: { messages: async () => ({ data: [] }), message: async () => ({}), get: done, prompt: done },
  }
  const input = { client, directory, worktree: directory } as unknown as PluginInput
  return await SAT(input, options)
}

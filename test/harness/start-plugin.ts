import type { Hooks, PluginInput } from '@opencode-ai/plugin'
import SAT from '../../sat.ts'

const succeed = async () => ({ data: {} })

/** A client of the host that answers each call and stores nothing. */
const CLIENT = {
  _client: { patch: succeed },
  app: { log: succeed },
  session: { messages: async () => ({ data: [] }), message: async () => ({}), get: succeed, prompt: succeed },
}

/** Starts the whole plugin in a folder, without the host. */
export const startPlugin = (
  { directory, worktree = directory }: { directory: string; worktree?: string },
  options: Parameters<typeof SAT>[1],
): Promise<Hooks> => {
  // A copy, because SAT runs only once for each client.
  const client = { ...CLIENT }
  return SAT({ client, directory, worktree } as unknown as PluginInput, options)
}

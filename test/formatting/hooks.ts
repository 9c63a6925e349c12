/** Starts the hooks of format on save without a host, to test and measure them. */
import type { Hooks, PluginInput } from '@opencode-ai/plugin'
import { formatOnSave } from '../../src/format-on-save/index.ts'
import { joinHooks } from '../../src/host/join-hooks.ts'
import { Steps } from '../../src/steps/steps.ts'

/**
 * Creates the hooks for a folder. `option` has the commands of `format_on_save`. Without it, the host is taken for the
 * formatter: the caller must write the formatted text to the file before it calls `tool.execute.after`.
 */
export const startHooks = async (directory: string, option?: Record<string, string>): Promise<Hooks> => {
  const client = { _client: { patch: async () => ({ data: {} }) } } as unknown as PluginInput['client']
  const log = () => {}
  const steps = new Steps({ client, directory, log })
  const workspace = { directory, worktree: directory }
  const formatting = formatOnSave({ client, steps, workspace, option, log, toast: log })
  const hooks = joinHooks([steps.before, formatting, steps.after], (_, thrown) => {
    throw thrown
  })
  if (!option) await hooks.config?.({ formatter: { any: { command: ['true'], extensions: ['.any'] } } })
  return hooks
}

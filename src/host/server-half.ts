/** Checks, from the terminal, whether the host has loaded SAT's server half, which sends the rules. */
import { pluginEntriesIn, type SetupFault } from './plugin-entries.ts'
import { isCommandTemplate } from './slash-commands.ts'

/** The parts of the host's merged config that the terminal knows. */
type TerminalConfig = {
  plugin?: ReadonlyArray<unknown> | undefined
  command?: Record<string, { template?: string } | undefined> | undefined
}

const HOW = 'add it to "plugin" in .opencode/opencode.json, or in the global opencode.json'

/** Returns a fault that says how to load the server half; null if it is loaded. */
export const serverHalfFault = async (
  { plugin = [], command = {} }: TerminalConfig,
): Promise<SetupFault | null> => {
  // The server half adds its commands to the config, unless an option turns them off.
  const isLoaded = Object.values(command).some((definition) => isCommandTemplate(definition?.template))
    // The host may be on another machine, with another disk.
    || JSON.stringify(plugin).includes('opencode-sat')
    || (await pluginEntriesIn('', { plugin })).length > 0
  const note = `SAT's server half is not loaded: ${HOW}, and restart OpenCode`
  return isLoaded ? null : { title: 'server half not loaded', why: HOW, note }
}

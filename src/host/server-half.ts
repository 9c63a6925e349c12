/** Checks whether the host of a terminal has loaded SAT's server half, which sends the rules. */
import { entriesOf, type SetupFault } from './plugin-entries.ts'
import { isOwnTemplate } from './slash-commands.ts'

/** The parts of the host's merged config that the terminal knows. */
type MergedConfig = {
  plugin?: ReadonlyArray<unknown> | undefined
  command?: Record<string, { template?: string } | undefined> | undefined
}

const WHY = 'add it to "plugin" in .opencode/opencode.json, or in the global opencode.json'

/** Says how to load the server half if it is not loaded; null if it is. */
export const notLoadedFault = async (
  { plugin = [], command = {} }: MergedConfig,
): Promise<SetupFault | null> => {
  // The server half adds its commands, unless an option turns them off.
  const isLoaded = Object.values(command).some((definition) => isOwnTemplate(definition?.template))
    // The host may be on another machine, with another disk.
    || JSON.stringify(plugin).includes('opencode-sat')
    || (await entriesOf('', { plugin })).length > 0
  const note = `SAT's server half is not loaded: ${WHY}, and restart OpenCode`
  return isLoaded ? null : { title: 'server half not loaded', why: WHY, note }
}

/** Whether the host that a terminal shows has loaded SAT's other half, which sends the rules. */
import { entriesOf, type SetupFault } from './plugin-entries.ts'
import { isOwnTemplate } from './slash-commands.ts'

/** What the terminal knows of the host's merged config. */
type Merged = {
  plugin?: ReadonlyArray<unknown> | undefined
  command?: Record<string, { template?: string } | undefined> | undefined
}

const WHY = 'add it to "plugin" in .opencode/opencode.json, or in the global opencode.json'

const isLoaded = async ({ plugin = [], command = {} }: Merged): Promise<boolean> =>
  // What the other half itself adds; but an option turns its commands off.
  Object.values(command).some((one) => isOwnTemplate(one?.template))
  // The host may be on another machine, with another disk.
  || JSON.stringify(plugin).includes('opencode-sat')
  || (await entriesOf('', { plugin })).length > 0

/** Says what to do where the other half is not loaded; null where it is. */
export const unloadedFault = async (config: Merged): Promise<SetupFault | null> =>
  await isLoaded(config)
    ? null
    : {
      title: 'server half not loaded',
      why: WHY,
      note: `SAT's server half is not loaded: ${WHY}, and restart OpenCode`,
    }

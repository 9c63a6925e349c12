/** Whether the host that a terminal shows has loaded SAT's other half, which sends the rules. */
import { dirname, join, relative } from 'node:path'
import { contains, type Place, projectRoot } from '../paths/boundary.ts'
import type { Environment } from '../paths/user-folders.ts'
import { isOwnCommand } from './commands.ts'
import { configFiles, entriesOf, readJson, type SetupFault } from './plugin-entries.ts'

/** What the terminal knows of the host's merged config. */
type Merged = {
  plugin?: ReadonlyArray<unknown> | undefined
  command?: Record<string, { template?: string } | undefined> | undefined
}

const FAULT = "SAT's server half is not loaded"

const isLoaded = async ({ plugin = [], command = {} }: Merged): Promise<boolean> =>
  // What the other half itself adds; but an option turns its commands off.
  Object.values(command).some((one) => isOwnCommand(one?.template ?? ''))
  // The host may be on another machine, with another disk.
  || JSON.stringify(plugin).includes('opencode-sat')
  || (await entriesOf('', { plugin })).length > 0

/** Gives a path as a person types it from the project. */
const shortPath = (path: string, root: string): string => contains(root, path) ? relative(root, path) : path

/** Says what to do where the other half is not loaded; null where it is. */
export const unloadedFault = async (
  config: Merged,
  place: Place,
  env: Environment = process.env,
): Promise<SetupFault | null> => {
  if (await isLoaded(config)) return null
  const named = configFiles(place, env, 'tui').map(async (path) =>
    (await entriesOf(path, await readJson(path))).length > 0 ? [path] : []
  )
  const [tui = join(place.directory, '.opencode', 'tui.json')] = (await Promise.all(named)).flat().reverse()
  const why = `add it to "plugin" in ${shortPath(join(dirname(tui), 'opencode.json'), projectRoot(place))}`
  return { title: 'server half not loaded', why, note: `${FAULT}: ${why}, and restart OpenCode` }
}

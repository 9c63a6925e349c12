/** Whether the host that a terminal shows has loaded SAT's other half, which sends the rules. */
import { dirname, join, relative } from 'node:path'
import { contains, type Place, projectRoot } from '../paths/boundary.ts'
import { type Environment, homeFolder } from '../paths/user-folders.ts'
import { safe } from '../safe.ts'
import { readText } from '../text/read.ts'
import { isOwnCommand } from './commands.ts'
import { configFiles, entriesOf, readJson, type SetupFault } from './plugin-entries.ts'

/** What the terminal knows of the host's merged config. */
type Merged = {
  plugin?: ReadonlyArray<unknown> | undefined
  command?: Record<string, { template?: string } | undefined> | undefined
}

const FAULT = "SAT's server half is not loaded"

/** Whether a plugin of one file, as in `.opencode/plugin/`, hands SAT on. */
const handsOn = async (spec: unknown): Promise<boolean> => {
  const path = safe(() => new URL(String(spec)).pathname).data
  return path !== null && /\.[jt]s$/.test(path)
    && /opencode-sat/.test((await readText(path)).data?.text ?? '')
}

const isLoaded = async ({ plugin = [], command = {} }: Merged): Promise<boolean> => {
  // What the other half itself adds; but the person can turn its commands off.
  if (Object.values(command).some((one) => isOwnCommand(one?.template ?? ''))) return true
  const specs = plugin.map((entry) => [entry].flat()[0])
  // The host may be on another machine, with another disk.
  if (specs.some((spec) => String(spec).includes('opencode-sat'))) return true
  if ((await entriesOf('', { plugin: [...plugin] })).length > 0) return true
  return (await Promise.all(specs.map(handsOn))).some(Boolean)
}

/** Gives a path as a person types it: from the project, or from their home. */
const shortPath = (path: string, place: Place, env: Environment): string => {
  const [root, home] = [projectRoot(place), homeFolder(env)]
  if (contains(root, path)) return relative(root, path)
  return contains(home, path) ? join('~', relative(home, path)) : path
}

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
  const why = `add it to "plugin" in ${shortPath(join(dirname(tui), 'opencode.json'), place, env)}`
  return { title: 'server half not loaded', why, note: `${FAULT}: ${why}, and restart OpenCode` }
}

/** Finds SAT's entries in the `plugin` lists of the host's configs, and decides which one runs. */
import { dirname, isAbsolute, join, normalize, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseConfig } from '../discover.ts'
import { expandHome, foldersUpTo, type Workspace } from '../paths/boundary.ts'
import { configFolder, type Environment, homeFolder, ignoresProjectConfig } from '../paths/user-folders.ts'
import { safe } from '../safe.ts'
import { readText } from '../text/read.ts'

export type PluginEntry = {
  /** The path of the config. */
  config: string
  index: number
  /** The path that the entry names (absolute or with `~`), or `opencode-sat` for the package. */
  target: string
  options: unknown
}

const MAX_BYTES = 1_000_000

const readJson = async (path: string, env: Environment = {}): Promise<unknown> => {
  const text = (await readText(path, { maxBytes: MAX_BYTES })).data?.text ?? ''
  // The host replaces `{env:NAME}` before it parses a config.
  return parseConfig(text.replace(/\{env:([^}]+)\}/g, (_, name: string) => env[name] ?? '')).data
}

/** Lists the configs that the host merges, lowest priority first. `levels` are the folders with project configs. */
const configPaths = (levels: Array<string>, env: Environment): Array<string> => {
  const inFolder = (folder: string) => ['opencode.json', 'opencode.jsonc'].map((name) => join(folder, name))
  const globalFolder = configFolder({ ...env, OPENCODE_CONFIG_DIR: undefined })
  const { OPENCODE_CONFIG: ownFile, OPENCODE_CONFIG_DIR: ownFolder } = env
  const paths = [
    join(globalFolder, 'config.json'),
    ...inFolder(globalFolder),
    ...(ownFile ? [ownFile] : []),
    ...levels.toReversed().flatMap(inFolder),
    // An outer `.opencode` overrides an inner `.opencode`.
    ...[...levels, homeFolder(env)].flatMap((level) => inFolder(join(level, '.opencode'))),
    ...(ownFolder ? inFolder(ownFolder) : []),
  ]
  return [...new Set(paths)]
}

const PATH_OR_URL = /^(?:file:|[./]|~\/|[A-Za-z]:[/\\])/

/** Like the host, treats `/home/a`, `/home/a/` and `~/a` as different targets. */
const targetOf = async (spec: unknown, folder: string): Promise<string | null> => {
  if (typeof spec !== 'string') return null
  if (/^opencode-sat(?:@|$)/.test(spec)) return 'opencode-sat'
  if (!PATH_OR_URL.test(spec)) return null
  const pathInSpec = spec.startsWith('file:') ? safe(() => fileURLToPath(spec)).data : expandHome(spec)
  if (pathInSpec === null) return null
  // `normalize` keeps a final slash.
  const path = isAbsolute(pathInSpec) ? normalize(pathInSpec) : resolve(folder, pathInSpec)
  for (const folderOrParent of [path, dirname(path)]) {
    if (Object(await readJson(join(folderOrParent, 'package.json'))).name === 'opencode-sat') {
      return spec.startsWith('~') ? spec : path
    }
  }
  return null
}

export const pluginEntriesIn = async (path: string, json: unknown): Promise<Array<PluginEntry>> => {
  const { plugin } = Object(json) as { plugin?: unknown }
  const entries = (Array.isArray(plugin) ? plugin : []).map(async (entry, index) => {
    const [spec, options] = Array.isArray(entry) ? entry : [entry]
    const target = await targetOf(spec, dirname(path))
    return target === null ? [] : { config: path, index, target, options }
  })
  return (await Promise.all(entries)).flat()
}

export const readEntries = async ({ directory, worktree }: Workspace, env: Environment = process.env) => {
  // Without a repository, the worktree is the root of the disk, and the host looks in all parents.
  const levels = ignoresProjectConfig(env) ? [] : foldersUpTo(directory, worktree)
  const entriesByConfig = configPaths(levels, env)
    .map(async (path) => pluginEntriesIn(path, await readJson(path, env)))
  const entries = (await Promise.all(entriesByConfig)).flat()
  // Of entries with the same target, the host loads only the last. Of several copies of SAT, only the first runs.
  const isLoaded = (entry: PluginEntry) => entry === entries.findLast(({ target }) => target === entry.target)
  const active = entries.find(isLoaded)
  // The `.opencode` in the home folder is for all projects.
  const projectFolders = levels.flatMap((level) => [level, join(level, '.opencode')])
    .filter((folder) => folder !== join(homeFolder(env), '.opencode'))
  const isProjectEntry = active !== undefined && projectFolders.includes(dirname(active.config))
  return { entries, active, isProjectEntry }
}

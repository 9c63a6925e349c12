/** Finds SAT's entries in the host's configs, and the faults of its setup. */
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseConfig } from '../discover.ts'
import { expandHome, foldersUpTo, type Workspace } from '../paths/boundary.ts'
import { configFolder, type Environment, homeFolder, ignoresProjectConfig } from '../paths/user-folders.ts'
import { safe } from '../safe.ts'
import { readText } from '../text/read.ts'
import { readOptions } from './options.ts'
import type { NamedFile } from './panel-schema.ts'
import { isTooOld, OLDEST_HOST } from './version.ts'

/**
 * A fault of SAT's setup: its title and reason (`why`) for a list, the full message (`note`), and the config to change.
 */
export type SetupFault = { title: string; why: string; note: string; file?: NamedFile | undefined }

/**
 * An entry of SAT in a config of the host: the path of the config, the entry's index in `plugin`, the path or package
 * that the entry names (`target`), and its options.
 */
export type PluginEntry = { config: string; index: number; target: string; options: unknown }

const MAX_BYTES = 1_000_000

/** Reads a config of the host; undefined if there is none. */
const readJson = async (path: string): Promise<unknown> =>
  parseConfig((await readText(path, { maxBytes: MAX_BYTES })).data?.text ?? '').data

/** Lists the folders of a project in which the host looks for configs, the nearest first. */
const configLevels = ({ directory, worktree }: Workspace, env: Environment): Array<string> =>
  // Without a repository, the worktree is the root of the disk, and the host looks in all parents.
  ignoresProjectConfig(env) ? [] : foldersUpTo(directory, worktree)

/** Lists the configs that the host merges; a later one wins. */
const configFiles = (workspace: Workspace, env: Environment): Array<string> => {
  const inFolder = (folder: string) => ['opencode.json', 'opencode.jsonc'].map((file) => join(folder, file))
  const global = configFolder({ ...env, OPENCODE_CONFIG_DIR: undefined })
  const levels = configLevels(workspace, env)
  const inLevels = [...levels, homeFolder(env)].map((level) => join(level, '.opencode'))
  const { OPENCODE_CONFIG: file, OPENCODE_CONFIG_DIR: folder } = env
  const paths = [
    join(global, 'config.json'),
    ...inFolder(global),
    ...(file ? [file] : []),
    ...levels.toReversed().flatMap(inFolder),
    // The outermost of these wins.
    ...inLevels.flatMap(inFolder),
    ...(folder ? inFolder(folder) : []),
  ]
  return [...new Set(paths)]
}

/** Returns the absolute path or the package name by which an entry names SAT; null if it names another plugin. */
const targetOf = async (spec: unknown, folder: string): Promise<string | null> => {
  if (typeof spec !== 'string') return null
  if (/^opencode-sat(?:@|$)/.test(spec)) return 'opencode-sat'
  if (!/^(?:file:|[./]|~\/|[A-Za-z]:[/\\])/.test(spec)) return null
  const path = spec.startsWith('file:')
    ? safe(() => fileURLToPath(spec)).data
    : resolve(folder, expandHome(spec))
  if (path === null) return null
  for (const folderOrParent of [path, dirname(path)]) {
    if (Object(await readJson(join(folderOrParent, 'package.json'))).name === 'opencode-sat') return path
  }
  return null
}

/** Lists the entries of SAT in the JSON of a config. */
export const pluginEntriesIn = async (config: string, json: unknown): Promise<Array<PluginEntry>> => {
  const { plugin } = Object(json) as { plugin?: unknown }
  const entries = (Array.isArray(plugin) ? plugin : []).map(
    async (entry, index): Promise<Array<PluginEntry>> => {
      const [spec, options] = Array.isArray(entry) ? entry : [entry]
      const target = await targetOf(spec, dirname(config))
      return target === null ? [] : [{ config, index, target, options }]
    },
  )
  return (await Promise.all(entries)).flat()
}

/** Lists SAT's entries in all configs; also returns the one that takes effect, and whether the project sets it. */
const readEntries = async (workspace: Workspace, env: Environment) => {
  const entriesByConfig = configFiles(workspace, env).map(async (path) =>
    pluginEntriesIn(path, await readJson(path))
  )
  const entries = (await Promise.all(entriesByConfig)).flat()
  // If two entries name the same target, the host loads the later one. Of several targets, only the first runs.
  const active = entries.find(({ target }, index) =>
    !entries.slice(index + 1).some((later) => later.target === target)
  )
  const folder = active && dirname(active.config)
  const isProjectEntry =
    configLevels(workspace, env).some((level) => folder === level || folder === join(level, '.opencode'))
    && folder !== join(homeFolder(env), '.opencode')
  return { entries, active, isProjectEntry }
}

/**
 * Whether the project itself sets SAT's entry. If not, the entry is for all projects, and folders that it names may be
 * missing in this one.
 */
export const isSetByProject = async (
  workspace: Workspace,
  env: Environment = process.env,
): Promise<boolean> => (await readEntries(workspace, env)).isProjectEntry

const optionFault = (fault: string, file: NamedFile | undefined): SetupFault => {
  const [name = '', why = ''] = fault.split(/: (.*)/s)
  return { title: `option ${name}`, why, note: `Ignored an invalid option: ${fault}`, file }
}

/**
 * Lists the faults of SAT's setup: a host that is too old, several entries, of which only one takes effect, and invalid
 * options. Also returns the entry that takes effect, and whether the project sets it.
 *
 * @param loaded the entry that the host loaded; used if no config file has one, as with a config in an environment
 * variable
 */
export const checkSetup = async (
  { version, loaded, env = process.env, ...workspace }: Workspace & {
    version: string
    loaded?: PluginEntry | undefined
    env?: Environment
  },
): Promise<{ faults: Array<SetupFault>; active?: PluginEntry | undefined; isProjectEntry: boolean }> => {
  const { entries, active, isProjectEntry } = await readEntries(workspace, env)
  // Not reported: another entry with the same target and without options, such as a global one. Ignoring it loses
  // nothing.
  const ignored = entries.filter((entry) =>
    entry !== active && (entry.options !== undefined || entry.target !== active?.target)
  )
  const file = active && { path: active.config }
  const faults = readOptions((active ?? loaded)?.options).faults.map((fault) => optionFault(fault, file))
  if (file && ignored.length > 0) {
    const configs = ignored.map(({ config }) => config).join(', ')
    const note = `SAT is in several configs. ${file.path} counts. Ignored, with its options: ${configs}`
    faults.unshift({ title: `${ignored.length + 1} entries of SAT`, why: `${file.path} counts`, note, file })
  }
  if (isTooOld(version)) {
    const why = `too old, ${OLDEST_HOST} or newer is needed`
    faults.unshift({ title: `OpenCode ${version}`, why, note: `OpenCode ${version} is ${why} for SAT` })
  }
  return { faults, active, isProjectEntry }
}

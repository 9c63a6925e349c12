/** Finds SAT's entries in the `plugin` lists of the host's configs, decides which one runs, and lists faults. */
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseConfig } from '../discover.ts'
import { expandHome, foldersUpTo, type Workspace } from '../paths/boundary.ts'
import { configFolder, type Environment, homeFolder, ignoresProjectConfig } from '../paths/user-folders.ts'
import { safe } from '../safe.ts'
import { readText } from '../text/read.ts'
import type { Options } from './options.ts'
import type { NamedFile } from './panel-schema.ts'
import { readOptions } from './read-options.ts'
import { isCommandTemplate } from './slash-commands.ts'
import { isTooOld, OLDEST_HOST } from './version.ts'

/** A fault of the setup. `title` and `why` are for a list, `note` is a whole message, `file` the config to change. */
export type SetupFault = { title: string; why: string; note: string; file?: NamedFile | undefined }

/** An entry of SAT: the path of its config, its index in `plugin`, the path or package it names, and its options. */
export type PluginEntry = { config: string; index: number; target: string; options: unknown }

const MAX_BYTES = 1_000_000

const readJson = async (path: string): Promise<unknown> =>
  parseConfig((await readText(path, { maxBytes: MAX_BYTES })).data?.text ?? '').data

/** Lists the folders of a project in which the host looks for configs, the innermost first. */
const configLevels = ({ directory, worktree }: Workspace, env: Environment): Array<string> =>
  ignoresProjectConfig(env)
    ? []
    // Without a repository, the worktree is the root of the disk, and the host looks in all parents.
    : foldersUpTo(directory, worktree)

/** Lists the configs that the host merges; a later one wins. */
const configPaths = (workspace: Workspace, env: Environment): Array<string> => {
  const inFolder = (folder: string) => ['opencode.json', 'opencode.jsonc'].map((name) => join(folder, name))
  const globalFolder = configFolder({ ...env, OPENCODE_CONFIG_DIR: undefined })
  const levels = configLevels(workspace, env)
  const { OPENCODE_CONFIG: ownFile, OPENCODE_CONFIG_DIR: ownFolder } = env
  const paths = [
    join(globalFolder, 'config.json'),
    ...inFolder(globalFolder),
    ...(ownFile ? [ownFile] : []),
    ...levels.toReversed().flatMap(inFolder),
    // Of the folders `.opencode`, an outer one wins over an inner one, and the one in the home folder over all.
    ...[...levels, homeFolder(env)].flatMap((level) => inFolder(join(level, '.opencode'))),
    ...(ownFolder ? inFolder(ownFolder) : []),
  ]
  return [...new Set(paths)]
}

// Matches `file:///a`, `./a`, `../a`, `/a`, `~/a` and `C:\a`, but no package.
const PATH_OR_URL = /^(?:file:|[./]|~\/|[A-Za-z]:[/\\])/

/** Returns the absolute path or the package name by which an entry names SAT; null if it names another plugin. */
const targetOf = async (spec: unknown, folder: string): Promise<string | null> => {
  if (typeof spec !== 'string') return null
  if (/^opencode-sat(?:@|$)/.test(spec)) return 'opencode-sat'
  if (!PATH_OR_URL.test(spec)) return null
  const path = spec.startsWith('file:')
    ? safe(() => fileURLToPath(spec)).data
    : resolve(folder, expandHome(spec))
  if (path === null) return null
  for (const folderOrParent of [path, dirname(path)]) {
    if (Object(await readJson(join(folderOrParent, 'package.json'))).name === 'opencode-sat') return path
  }
  return null
}

const pluginEntriesIn = async (path: string, json: unknown): Promise<Array<PluginEntry>> => {
  const { plugin } = Object(json) as { plugin?: unknown }
  const entries = (Array.isArray(plugin) ? plugin : []).map(async (entry, index) => {
    const [spec, options] = Array.isArray(entry) ? entry : [entry]
    const target = await targetOf(spec, dirname(path))
    return target === null ? [] : { config: path, index, target, options }
  })
  return (await Promise.all(entries)).flat()
}

/** Reads SAT's entries in all configs. `active`: the entry that runs; `isProjectEntry`: it is in a project's config. */
const readEntries = async (workspace: Workspace, env: Environment) => {
  const entriesByConfig = configPaths(workspace, env)
    .map(async (path) => pluginEntriesIn(path, await readJson(path)))
  const entries = (await Promise.all(entriesByConfig)).flat()
  // Of entries with the same target, the host loads the last. Of the loaded entries, only the first runs.
  const isLoaded = (entry: PluginEntry) => entry === entries.findLast(({ target }) => target === entry.target)
  const active = entries.find(isLoaded)
  const projectFolders = configLevels(workspace, env).flatMap((level) => [level, join(level, '.opencode')])
  // The home folder may be one of the levels, but its `.opencode` is for all projects.
  const folders = new Set(projectFolders.filter((folder) => folder !== join(homeFolder(env), '.opencode')))
  return { entries, active, isProjectEntry: active !== undefined && folders.has(dirname(active.config)) }
}

/** Whether the active entry is in a project's config. If not, `rules.directories` may be for other projects. */
export const isSetByProject = async (workspace: Workspace): Promise<boolean> =>
  (await readEntries(workspace, process.env)).isProjectEntry

type MergedConfig = {
  plugin?: ReadonlyArray<unknown> | undefined
  command?: Record<string, { template?: string } | undefined> | undefined
}

const HOW_TO_LOAD = 'add it to "plugin" in .opencode/opencode.json, or in the global opencode.json'

/** Whether a merged config shows that the host has loaded SAT, although no entry leads to SAT on this disk. */
const hasTraceOfSat = ({ plugin = [], command = {} }: MergedConfig): boolean =>
  // The host may be on another machine, with another disk.
  JSON.stringify(plugin).includes('opencode-sat')
  // SAT's server half adds its commands to the config, unless an option turns them off.
  || Object.values(command).some((definition) => isCommandTemplate(definition?.template))

const optionFaults = (options: unknown, file: NamedFile | undefined): Array<SetupFault> =>
  readOptions(options).faults.map((fault) => {
    // `rules.checks: expected true or false` → `rules.checks`, `expected true or false`.
    const [name = '', why = ''] = fault.split(/: (.*)/s)
    return { title: `option ${name}`, why, note: `Ignored an invalid option: ${fault}`, file }
  })

const ignoredEntryFaults = (
  entries: Array<PluginEntry>,
  active: PluginEntry | undefined,
): Array<SetupFault> => {
  // An entry with the same target and without options, such as a global one, can be ignored without a loss.
  const ignored = entries.filter((entry) =>
    entry !== active && (entry.options !== undefined || entry.target !== active?.target)
  )
  if (!active || ignored.length === 0) return []
  const configs = ignored.map(({ config }) => config).join(', ')
  const why = `${active.config} counts`
  const note = `SAT is in several configs. ${why}. Ignored, with their options: ${configs}`
  return [{ title: `${ignored.length + 1} entries of SAT`, why, note, file: { path: active.config } }]
}

const hostFaults = (version: string): Array<SetupFault> => {
  if (!isTooOld(version)) return []
  const title = `OpenCode ${version}`
  const why = `too old, ${OLDEST_HOST} or newer is needed`
  return [{ title, why, note: `${title} is ${why} for SAT` }]
}

export type Setup = {
  faults: Array<SetupFault>
  /** The options with which the host started; null if it has not loaded SAT's server half, or is too old. */
  options: Options | null
  /** The entry in the config files that runs after a restart. */
  active?: PluginEntry | undefined
  isProjectEntry: boolean
}

/** Reads SAT's setup and finds its faults. `config` is the merged config with which the host started, once known. */
export const readSetup = async (
  { hostVersion, config, env = process.env, ...workspace }: Workspace & {
    hostVersion: string
    config?: MergedConfig | undefined
    env?: Environment
  },
): Promise<Setup> => {
  // `loadedEntry` is what the running host has loaded; `active` (below) is what it would load after a restart.
  const [loadedEntry] = await pluginEntriesIn('', config)
  if (config && !loadedEntry && !hasTraceOfSat(config)) {
    const note = `SAT's server half is not loaded: ${HOW_TO_LOAD}, and restart OpenCode`
    const faults = [{ title: 'server half not loaded', why: HOW_TO_LOAD, note }]
    return { faults, options: null, isProjectEntry: false }
  }
  const { entries, active, isProjectEntry } = await readEntries(workspace, env)
  const faults = [
    ...hostFaults(hostVersion),
    ...ignoredEntryFaults(entries, active),
    // If the config is in an environment variable, there is no `active` entry, because no file has it.
    ...optionFaults((active ?? loadedEntry)?.options, active && { path: active.config }),
  ]
  const options = isTooOld(hostVersion) ? null : readOptions(loadedEntry?.options).options
  return { faults, options, active, isProjectEntry }
}

/** Reads SAT's setup for the terminal plugin: the options that apply, and the faults of the configs and the host. */
import type { Workspace } from '../paths/boundary.ts'
import type { Environment } from '../paths/user-folders.ts'
import type { Options } from './options.ts'
import type { NamedFile } from './panel-schema.ts'
import { pluginEntriesIn, type PluginEntry, readEntries } from './plugin-entries.ts'
import { readOptions } from './read-options.ts'
import { isCommandTemplate } from './slash-commands.ts'
import { isTooOld, OLDEST_HOST } from './version.ts'

/** `title` and `why` are for a list, `note` is a whole message, and `file` is the config to change. */
export type SetupFault = { title: string; why: string; note: string; file?: NamedFile | undefined }

type MergedConfig = {
  plugin?: ReadonlyArray<unknown> | undefined
  command?: Record<string, { template?: string } | undefined> | undefined
}

const HOW_TO_LOAD = 'add it to "plugin" in .opencode/opencode.json, or in the global opencode.json'

const hasTraceOfSat = ({ plugin = [], command = {} }: MergedConfig): boolean =>
  // If the host runs on another machine, a path in `plugin` cannot be followed, so only its text is searched.
  JSON.stringify(plugin).includes('opencode-sat')
  // SAT's server half adds its commands to the config.
  || Object.values(command).some((definition) => isCommandTemplate(definition?.template))

const optionFaults = (options: unknown, file: NamedFile | undefined): Array<SetupFault> =>
  readOptions(options).faults.map((fault) => {
    const [name = '', why = ''] = fault.split(/: (.*)/s)
    return { title: `option ${name}`, why, note: `Ignored an invalid option: ${fault}`, file }
  })

const ignoredEntryFaults = (entries: Array<PluginEntry>, active?: PluginEntry): Array<SetupFault> => {
  if (!active) return []
  // If an entry with the same target has no options, ignoring the entry loses nothing.
  const isRepetition = ({ target, options }: PluginEntry) => target === active.target && options === undefined
  const ignored = entries.filter((entry) => entry !== active && !isRepetition(entry))
  if (ignored.length === 0) return []
  const nameOf = ({ config, index }: PluginEntry) =>
    entries.filter((other) => other.config === config).length > 1 ? `${config} (entry ${index + 1})` : config
  const configs = ignored.map(nameOf).join(', ')
  const why = `${nameOf(active)} is used`
  const note = `SAT has several entries. ${why}. These are ignored, with their options: ${configs}`
  return [{ title: `${ignored.length + 1} entries of SAT`, why, note, file: { path: active.config } }]
}

const hostFaults = (version: string): Array<SetupFault> => {
  const title = `OpenCode ${version}`
  const why = `too old, ${OLDEST_HOST} or newer is needed`
  return isTooOld(version) ? [{ title, why, note: `${title} is ${why} for SAT` }] : []
}

export type Setup = {
  faults: Array<SetupFault>
  /** The options at the host's start, or null if the host is too old or lacks SAT's server half. */
  options: Options | null
  /** The entry that would run after a restart, according to the config files. */
  active?: PluginEntry | undefined
  isProjectEntry: boolean
}

/** `config` is undefined until the merged config is known. */
export const readSetup = async (
  { hostVersion, config, env = process.env, ...workspace }: Workspace & {
    hostVersion: string
    config?: MergedConfig | undefined
    env?: Environment
  },
): Promise<Setup> => {
  // The running host has loaded this entry, but would load `active` after a restart.
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
    // If SAT's entry is only in an environment variable, there is no `active` entry.
    ...optionFaults((active ?? loadedEntry)?.options, active && { path: active.config }),
  ]
  const options = isTooOld(hostVersion) ? null : readOptions(loadedEntry?.options).options
  return { faults, options, active, isProjectEntry }
}

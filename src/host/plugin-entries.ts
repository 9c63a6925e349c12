import { dirname, isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseConfig } from '../discover.ts'
import { expandHome, type Place, upwards } from '../paths/boundary.ts'
import { configFolder, type Environment, homeFolder, isProjectOff } from '../paths/user-folders.ts'
import { safe } from '../safe.ts'
import { readText } from '../text/read.ts'
import { type Options, readOptions } from './options.ts'
import type { NamedFile } from './panel-schema.ts'
import { isTooOld, OLDEST_HOST } from './version.ts'

/** What is wrong with SAT's own set-up: a title and a reason for a list, the whole message, and the config. */
export type SetupFault = { title: string; why: string; note: string; file?: NamedFile | undefined }

/**
 * An entry of SAT in a config of the host: which one in the list of which config, what it names, by which name the host
 * knows it, and its options.
 */
export type Entry = { config: string; index: number; target: string; name: string; options: unknown }

const MAX_BYTES = 1_000_000

/** The environment variable that can hold a whole config. */
const VARIABLE = 'OPENCODE_CONFIG_CONTENT'

/** Reads a config of the host; undefined where there is none. */
export const readJson = async (path: string): Promise<unknown> =>
  parseConfig((await readText(path, { maxBytes: MAX_BYTES })).data?.text ?? '').data

/** Lists the folders of a project that the host looks for configs in, the nearest first. */
const levelsOf = ({ directory, worktree }: Place, env: Environment): Array<string> =>
  // Without a repository the worktree is the root of the disk, and the host looks as far up.
  isProjectOff(env) ? [] : upwards(directory, worktree)

/** Lists the configs that the host merges, those of its terminal where `name` is `tui`; a later one wins. */
export const configFiles = (place: Place, env: Environment, name = 'opencode'): Array<string> => {
  const inFolder = (folder: string) => [`${name}.json`, `${name}.jsonc`].map((file) => join(folder, file))
  const global = configFolder({ ...env, OPENCODE_CONFIG_DIR: undefined })
  const levels = levelsOf(place, env)
  const inLevels = [...levels, homeFolder(env)].map((level) => join(level, '.opencode'))
  const { OPENCODE_CONFIG: file, OPENCODE_CONFIG_DIR: folder } = env
  const paths = [
    join(global, 'config.json'),
    ...inFolder(global),
    ...(file ? [file] : []),
    ...levels.toReversed().flatMap(inFolder),
    // Of these the outermost wins.
    ...inLevels.flatMap(inFolder),
    ...(folder ? inFolder(folder) : []),
  ]
  return [...new Set(paths)]
}

/** What an entry names, if that is SAT: the folder or file as an absolute path, or the name of the package. */
const targetOf = async (spec: unknown, folder: string): Promise<string | null> => {
  if (typeof spec !== 'string') return null
  if (/^opencode-sat(?:@|$)/.test(spec)) return 'opencode-sat'
  if (!/^(?:file:|[./]|~\/|[A-Za-z]:[/\\])/.test(spec)) return null
  const path = spec.startsWith('file:')
    ? safe(() => fileURLToPath(spec)).data
    : resolve(folder, expandHome(spec))
  if (path === null) return null
  for (const at of [path, dirname(path)]) {
    if (Object(await readJson(join(at, 'package.json'))).name === 'opencode-sat') return path
  }
  return null
}

/** Lists the entries of SAT in the JSON of a config. */
export const entriesOf = async (config: string, json: unknown): Promise<Array<Entry>> => {
  const { plugin } = Object(json) as { plugin?: unknown }
  const entries = (Array.isArray(plugin) ? plugin : []).map(async (entry, index): Promise<Array<Entry>> => {
    const [spec, options] = Array.isArray(entry) ? entry : [entry]
    const target = await targetOf(spec, dirname(config))
    if (target === null) return []
    // The host takes a path in a config for a URL, and one in the variable as it is.
    const name = config === VARIABLE && isAbsolute(spec) ? `${VARIABLE} ${target}` : target
    return [{ config, index, target, name, options }]
  })
  return (await Promise.all(entries)).flat()
}

/** Gives the entry that counts: the host loads the later of two with one name, and SAT runs as the first loaded. */
const actingOf = (entries: Array<Entry>): Entry | undefined =>
  entries.find(({ name }, index) => !entries.slice(index + 1).some((later) => later.name === name))

const allEntries = async (place: Place, env: Environment): Promise<Array<Entry>> => {
  const read = configFiles(place, env).map(async (path) => entriesOf(path, await readJson(path)))
  const inVariable = entriesOf(VARIABLE, parseConfig(env[VARIABLE] ?? '').data)
  return (await Promise.all([...read, inVariable])).flat()
}

const isOfProject = ({ config }: Entry, place: Place, env: Environment): boolean =>
  levelsOf(place, env).some((level) => [level, join(level, '.opencode')].includes(dirname(config)))
  && dirname(config) !== join(homeFolder(env), '.opencode')

/** Whether the project set SAT's options: what the person set for all projects need not be there in each. */
export const isSetByProject = async (place: Place, env: Environment = process.env): Promise<boolean> => {
  const acting = actingOf(await allEntries(place, env))
  return acting !== undefined && isOfProject(acting, place, env)
}

const optionFault = (fault: string, file: NamedFile | undefined): SetupFault => {
  const [name = '', why = ''] = fault.split(/: (.*)/s)
  return { title: `option ${name}`, why, note: `Ignored a wrong option: ${fault}`, file }
}

/**
 * Checks SAT's set-up: a host that is too old, invalid options, several entries of which one counts. Gives the faults,
 * the entry that counts with its options, and whether it is one of the project.
 */
export const checkSetup = async (
  { version, env = process.env, ...place }: Place & { version: string; env?: Environment },
): Promise<{ faults: Array<SetupFault>; options: Options; acting?: Entry | undefined; isOwn: boolean }> => {
  const entries = await allEntries(place, env)
  const acting = actingOf(entries)
  // A plain entry of the same folder, such as a global one, says nothing that gets lost.
  const others = entries.filter((entry) =>
    entry !== acting && (entry.options !== undefined || entry.target !== acting?.target)
  )
  const { options, faults: wrong } = readOptions(acting?.options)
  const file = acting && { path: acting.config }
  const faults = wrong.map((fault) => optionFault(fault, file))
  if (file && others.length > 0) {
    const ignored = others.map(({ config }) => config).join(', ')
    const note = `SAT stands in several configs. ${file.path} counts. Ignored, with its options: ${ignored}`
    faults.unshift({ title: `${others.length + 1} entries of SAT`, why: `${file.path} counts`, note, file })
  }
  if (isTooOld(version)) {
    const why = `too old, ${OLDEST_HOST} or newer is needed`
    faults.unshift({ title: `OpenCode ${version}`, why, note: `OpenCode ${version} is ${why} for SAT` })
  }
  return { options, faults, acting, isOwn: acting !== undefined && isOfProject(acting, place, env) }
}

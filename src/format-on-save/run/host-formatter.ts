import { extname } from 'node:path'
import type { MergedConfig } from '../../host/config.ts'
import type { FormatOnSaveOption } from '../../host/options.ts'
import { type CommandOf, entriesOf, type FormatCommand } from './choose-command.ts'

/** How many of the files with an extension the patterns match, wherever in the project they are. */
type Cover = 'all' | 'some' | 'none'

/** Patterns such as `*.js` and `**\/*.{js,ts}`, which require only an extension. */
const EXTENSIONS_ONLY = /^(?:\*\*\/)?\*(?:\.[\w.+-]+|\.\{[\w.,+-]+\})$/

/** Gives the endings that a pattern requires, both of `a/*.{js,ts}`; null where it requires none. */
const endingsOf = (glob: string): Array<string> | null => {
  const braces = /\.\{([\w.,+-]+)\}$/.exec(glob)?.[1]
  if (braces !== undefined) return braces.split(',').map((one) => `.${one}`)
  const ending = /\.[\w.+-]+$/.exec(glob)?.[0]
  return ending === undefined ? null : [ending]
}

const coverOf = (glob: string, extension: string): Cover => {
  if (['*', '**', '**/*'].includes(glob)) return 'all'
  const endings = endingsOf(glob)
  if (endings === null) return 'some'
  if (EXTENSIONS_ONLY.test(glob) && endings.includes(extension)) return 'all'
  return endings.some((ending) => ending.endsWith(extension)) ? 'some' : 'none'
}

/** How many of the files with an extension (`.js`) the patterns of the option match. */
const coverOfExtension = (option: FormatOnSaveOption, extension: string): Cover => {
  const covers = entriesOf(option).map(({ glob }) => coverOf(glob, extension))
  return covers.includes('all') ? 'all' : covers.includes('some') ? 'some' : 'none'
}

/** What the host's setting `formatter` means for SAT. */
export type HostFormatter = {
  /** Whether the host itself formats any file inside its tools. */
  formats: boolean
  /** The person's commands in the host's setting that SAT runs for a file, in their order. */
  commandsOf: (path: string) => Array<FormatCommand>
  /** Whether the host runs a command for a file that does not name it, and so may change others. */
  changesOthers: (path: string) => boolean
}

const namesFile = (command: Array<string>): boolean => command.some((word) => word.includes('$FILE'))

const extensionsOf = (name: string, { extensions }: { extensions?: Array<string> }): Array<string> =>
  extensions ?? BUILT_IN[name]?.split(' ') ?? []

/** Reads for which files the host runs a command of its setting that does not name them. */
const othersOf = ({ formatter }: MergedConfig): HostFormatter['changesOthers'] => {
  const all = Object.entries(typeof formatter === 'object' ? formatter : {}).flatMap(([name, entry]) =>
    entry.command && !entry.disabled && !namesFile(entry.command) ? extensionsOf(name, entry) : []
  )
  return (path) => all.includes(extname(path))
}

const WEB = '.html .htm .css .scss .sass .less .vue .svelte .json .jsonc .yaml .yml'
  + ' .toml .xml .md .mdx .graphql .gql'
const SCRIPT = '.js .jsx .mjs .cjs .ts .tsx .mts .cts'

/** The formatters that the host brings itself, and the extensions of each (OpenCode 1.18). */
const BUILT_IN: Record<string, string> = {
  air: '.R',
  biome: `${SCRIPT} ${WEB}`,
  'clang-format': '.c .cc .cpp .cxx .c++ .h .hh .hpp .hxx .h++ .ino .C .H',
  cljfmt: '.clj .cljs .cljc .edn',
  dart: '.dart',
  dfmt: '.d',
  gleam: '.gleam',
  gofmt: '.go',
  htmlbeautifier: '.erb .html.erb',
  ktlint: '.kt .kts',
  latexindent: '.tex',
  mix: '.ex .exs .eex .heex .leex .neex .sface',
  nixfmt: '.nix',
  ocamlformat: '.ml .mli',
  ormolu: '.hs',
  oxfmt: SCRIPT,
  pint: '.php',
  prettier: `${SCRIPT} ${WEB}`,
  rubocop: '.rb .rake .gemspec .ru',
  ruff: '.py .pyi',
  rustfmt: '.rs',
  shfmt: '.sh .bash',
  standardrb: '.rb .rake .gemspec .ru',
  terraform: '.tf .tfvars',
  uv: '.py .pyi',
  zig: '.zig .zon',
}

// The host turns both off where one of them is disabled.
const NOT_TAKEN = ['ruff', 'uv']

/**
 * Turns a command of the host's setting into one that SAT runs: as in the host, its exit code does not count and nothing
 * is restored.
 */
const toCommand = (command: Array<string>, environment: Record<string, string>): FormatCommand => ({
  words: command.join(' '),
  script: command,
  environment,
  wholeProject: !namesFile(command),
  ok: 'any',
  hint: '',
  when: 'save',
})

/**
 * Reads the setting `formatter` of the merged config, which is on, and changes it so that no file is formatted twice.
 *
 * An extension all of whose files SAT formats is taken from the host's formatters; one that SAT has no command for
 * stays with them. Where SAT has commands for some files of an extension, it also runs the person's commands of the
 * host's setting for the others, since the host cannot tell those files apart. A formatter that the host brings
 * itself stays with the host even then: only the host knows when it applies.
 */
export const readHostFormatter = (config: MergedConfig, option: FormatOnSaveOption): HostFormatter => {
  if (entriesOf(option).length === 0) {
    return { formats: true, commandsOf: () => [], changesOthers: othersOf(config) }
  }
  const given = typeof config.formatter === 'object' ? config.formatter : {}
  const taken: Array<{ extensions: Array<string>; command: FormatCommand }> = []
  const left: typeof given = {}
  for (const name of new Set([...Object.keys(BUILT_IN), ...Object.keys(given)])) {
    const entry = given[name] ?? {}
    const { disabled, command, environment = {} } = entry
    const extensions = extensionsOf(name, entry)
    const isTaken = command !== undefined && !disabled && !NOT_TAKEN.includes(name)
    const shared = extensions.filter((extension) => isTaken && coverOfExtension(option, extension) === 'some')
    if (isTaken && shared.length > 0) {
      taken.push({ extensions: shared, command: toCommand(command, environment) })
    }
    const kept = extensions.filter((extension) =>
      !shared.includes(extension) && coverOfExtension(option, extension) !== 'all'
    )
    if (disabled || kept.length === extensions.length) {
      if (name in given) left[name] = entry
    } else left[name] = isTaken && kept.length === 0 ? { disabled: true } : { ...entry, extensions: kept }
  }
  config.formatter = left
  return {
    formats: true,
    changesOthers: othersOf(config),
    commandsOf: (path) =>
      taken.filter(({ extensions }) => extensions.includes(extname(path))).map(({ command }) => command),
  }
}

/** The commands that SAT runs for a file: its own, else what it took over from the host. */
export const commandsFor = (own: CommandOf, host: HostFormatter) => (path: string): Array<FormatCommand> => {
  const command = own(path)
  return command ? [command] : host.commandsOf(path)
}

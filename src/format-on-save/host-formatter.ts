import type { Config } from '@opencode-ai/plugin'
import { extname } from 'node:path'
import { type CommandOf, coversExtension, type FormatCommand } from './command.ts'

/** What the host's setting `formatter` means for SAT. */
export type HostFormatter = {
  /** Whether the host itself formats any file inside its tools. */
  formats: boolean
  /** The person's commands of the host's setting that SAT runs in its place, in their order. */
  commandsOf: (path: string) => Array<FormatCommand>
}

const WEB = [
  ...[
    '.html',
    '.htm',
    '.css',
    '.scss',
    '.sass',
    '.less',
    '.vue',
    '.svelte',
    '.json',
    '.jsonc',
    '.yaml',
    '.yml',
  ],
  ...['.toml', '.xml', '.md', '.mdx', '.graphql', '.gql'],
]
const SCRIPT = ['.js', '.jsx', '.mjs', '.cjs', '.ts', '.tsx', '.mts', '.cts']

/** The formatters that the host brings itself, and the extensions of each (OpenCode 1.18). */
const BUILT_IN: Record<string, Array<string>> = {
  air: ['.R'],
  biome: [...SCRIPT, ...WEB],
  'clang-format': [
    '.c',
    '.cc',
    '.cpp',
    '.cxx',
    '.c++',
    '.h',
    '.hh',
    '.hpp',
    '.hxx',
    '.h++',
    '.ino',
    '.C',
    '.H',
  ],
  cljfmt: ['.clj', '.cljs', '.cljc', '.edn'],
  dart: ['.dart'],
  dfmt: ['.d'],
  gleam: ['.gleam'],
  gofmt: ['.go'],
  htmlbeautifier: ['.erb', '.html.erb'],
  ktlint: ['.kt', '.kts'],
  latexindent: ['.tex'],
  mix: ['.ex', '.exs', '.eex', '.heex', '.leex', '.neex', '.sface'],
  nixfmt: ['.nix'],
  ocamlformat: ['.ml', '.mli'],
  ormolu: ['.hs'],
  oxfmt: SCRIPT,
  pint: ['.php'],
  prettier: [...SCRIPT, ...WEB],
  rubocop: ['.rb', '.rake', '.gemspec', '.ru'],
  ruff: ['.py', '.pyi'],
  rustfmt: ['.rs'],
  shfmt: ['.sh', '.bash'],
  standardrb: ['.rb', '.rake', '.gemspec', '.ru'],
  terraform: ['.tf', '.tfvars'],
  uv: ['.py', '.pyi'],
  zig: ['.zig', '.zon'],
}

// The host turns both off where one of them is disabled.
const NOT_TAKEN = ['ruff', 'uv']

/**
 * Reads the setting `formatter` of the merged config, which is on (host.md, the host's own formatter).
 *
 * Where SAT has commands of its own, a file that both cover would be formatted twice. The person's commands are then
 * taken out of the config, from which the host reads them later, and SAT runs them for the files that it has no
 * command for. A formatter that the host brings itself stays with it, since only it knows when that applies, but
 * loses the extensions all of whose files SAT formats.
 */
export const readHostFormatter = (config: Config, patterns: Record<string, string>): HostFormatter => {
  if (Object.keys(patterns).length === 0) return { formats: true, commandsOf: () => [] }
  const given = typeof config.formatter === 'object' ? config.formatter : {}
  const taken: Array<{ extensions: Array<string>; command: FormatCommand }> = []
  const left: typeof given = {}
  for (const name of new Set([...Object.keys(BUILT_IN), ...Object.keys(given)])) {
    const entry = given[name] ?? {}
    const { disabled, command, environment = {}, extensions = BUILT_IN[name] ?? [] } = entry
    const kept = extensions.filter((extension) => !coversExtension(patterns, extension))
    if (disabled || extensions.length === 0) left[name] = entry
    else if (command && !NOT_TAKEN.includes(name)) {
      left[name] = { disabled: true }
      const words = command.join(' ')
      taken.push({ extensions, command: { words, script: command, environment, wholeProject: false } })
    } else if (kept.length < extensions.length) left[name] = { ...entry, extensions: kept }
    else if (name in given) left[name] = entry
  }
  config.formatter = left
  return {
    formats: true,
    commandsOf: (path) =>
      taken.filter(({ extensions }) => extensions.includes(extname(path))).map(({ command }) => command),
  }
}

/** The commands that SAT runs for a file: its own, else what it took over from the host. */
export const commandsFor = (own: CommandOf, host: HostFormatter) => (path: string): Array<FormatCommand> => {
  const command = own(path)
  return command ? [command] : host.commandsOf(path)
}

/** Divides the files between the host's formatters and SAT's commands, so that few files are formatted twice. */
import type { Minimatch } from 'minimatch'
import { extname } from 'node:path'
import type { MergedConfig } from '../../host/config.ts'
import type { FormatOnSaveOption } from '../../host/options.ts'
import { entriesOf, type FormatCommand } from './format-command.ts'
import { hostFailures, MAX_OK_CODE } from './host-failures.ts'

/** SAT's view of the host's formatters, which run within the tool that writes a file. */
export type HostFormatter = ReturnType<typeof readHostFormatter>

type Setting = Exclude<NonNullable<MergedConfig['formatter']>, false>

const WEB = '.html .htm .css .scss .sass .less .vue .svelte .json .jsonc .yaml .yml'
  + ' .toml .xml .md .mdx .graphql .gql'
const SCRIPT = '.js .jsx .mjs .cjs .ts .tsx .mts .cts'

/** The extensions of the host's built-in formatters (OpenCode 1.18). */
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

// A glob that matches these names plus an extension matches all files with that extension.
const ANY_NAMES = ['~any~', '~any~/~any~']

const matchesAll = (pattern: Minimatch, extension: string): boolean =>
  ANY_NAMES.every((name) => pattern.match(name + extension))

/** For `.ts`, `src/*` may match, but `*.js` cannot. */
const mayMatch = ({ globSet }: Minimatch, extension: string): boolean =>
  globSet.some((glob) => glob.endsWith(extension) || !/\.[\w+-]+$/.test(glob))

const toCommand = (command: Array<string>, environment: Record<string, string>): FormatCommand => ({
  text: command.join(' '),
  script: command,
  environment,
  wholeProject: !command.some((word) => word.includes('$FILE')),
  ok: [0, MAX_OK_CODE],
  isGuess: false,
  when: 'save',
})

/**
 * In the host's setting `formatter`, which must be on, removes the extensions that SAT's commands (`option`) format.
 * The host knows only extensions, not globs, so a formatter keeps or loses all `.ts` files:
 *
 * | SAT's globs match | a built-in formatter | a person's command |
 * | --- | --- | --- |
 * | all `.ts` files: `*.ts` | loses `.ts` | loses `.ts` |
 * | some `.ts` files: `src/*.ts` | keeps `.ts` | loses `.ts`, and SAT runs it on the other `.ts` files |
 *
 * SAT cannot run a built-in formatter, because only the host knows whether and how the project uses it.
 */
export const readHostFormatter = (config: MergedConfig, option: FormatOnSaveOption) => {
  const patterns = entriesOf(option).map(({ pattern }) => pattern)
  const setting: Setting = typeof config.formatter === 'object' ? { ...config.formatter } : {}
  /** The host runs a person's command for the `kept` extensions, and SAT runs it for the `lost` extensions. */
  const commands: Array<{ command: FormatCommand; lost: Array<string>; kept: Array<string> }> = []
  const { withRecording, failureOf } = hostFailures()
  for (const name of new Set([...Object.keys(BUILT_IN), ...Object.keys(setting)])) {
    const entry = setting[name] ?? {}
    const { disabled, command, environment = {} } = entry
    if (disabled) continue
    const extensions = entry.extensions ?? BUILT_IN[name]?.split(' ') ?? []
    const isLost = command ? mayMatch : matchesAll
    const lost = extensions.filter((extension) => patterns.some((pattern) => isLost(pattern, extension)))
    const kept = extensions.filter((extension) => !lost.includes(extension))
    if (lost.length > 0) setting[name] = { ...entry, extensions: kept }
    if (!command) continue
    commands.push({ command: toCommand(command, environment), lost, kept })
    setting[name] = { ...setting[name], command: withRecording(command) }
  }
  // If SAT has no commands, the setting `true` stays as it is.
  if (typeof config.formatter === 'object' || patterns.length > 0) config.formatter = setting
  return {
    commandsOf: (path: string): Array<FormatCommand> =>
      commands.filter(({ lost }) => lost.includes(extname(path))).map(({ command }) => command),
    /** Returns how much may change when the host runs the person's commands for a file. */
    reachOf: (path: string): 'none' | 'file' | 'project' => {
      const commandsOfHost = commands.filter(({ kept }) => kept.includes(extname(path)))
      if (commandsOfHost.length === 0) return 'none'
      return commandsOfHost.some(({ command }) => command.wholeProject) ? 'project' : 'file'
    },
    failureOf,
  }
}

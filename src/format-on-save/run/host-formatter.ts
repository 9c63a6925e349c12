/** Divides the files between the host's formatters and SAT's commands, so that no file is formatted twice. */
import type { Minimatch } from 'minimatch'
import { extname } from 'node:path'
import type { MergedConfig } from '../../host/config.ts'
import type { FormatOnSaveOption } from '../../host/options.ts'
import { entriesOf, patternOf } from './choose-command.ts'
import type { FormatCommand } from './format-command.ts'
import { HostFailures } from './host-failures.ts'

/** What SAT knows of the host's formatters, which run within the tool that writes a file. */
export type HostFormatter = ReturnType<typeof readHostFormatter>

type Setting = Exclude<NonNullable<MergedConfig['formatter']>, false>

const WEB = '.html .htm .css .scss .sass .less .vue .svelte .json .jsonc .yaml .yml'
  + ' .toml .xml .md .mdx .graphql .gql'
const SCRIPT = '.js .jsx .mjs .cjs .ts .tsx .mts .cts'

/** The host's built-in formatters, and the extensions of each (OpenCode 1.18). */
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

/** Names that no file has: a glob that matches both, with an extension added, matches all files with the extension. */
const ANY_NAMES = ['~any~', '~any~/~any~']

const matchesAll = (pattern: Minimatch, extension: string): boolean =>
  ANY_NAMES.every((name) => pattern.match(name + extension))

/** Whether a glob may match some files with an extension: `src/*` may match `.ts` files, `*.js` cannot. */
const mayMatch = ({ globSet }: Minimatch, extension: string): boolean =>
  globSet.some((glob) => glob.endsWith(extension) || !/\.[\w+-]+$/.test(glob))

const toCommand = (command: Array<string>, environment: Record<string, string>): FormatCommand => ({
  text: command.join(' '),
  script: command,
  environment,
  wholeProject: !command.some((word) => word.includes('$FILE')),
  ok: 'any',
  isGuess: false,
  when: 'save',
})

/**
 * Reads the host's setting `formatter`, which must be on. Changes it to format no file twice, and to record failures.
 *
 * The host selects files by extension only. If SAT's commands (`option`) match all files with an extension, the host
 * loses the extension. If they match some, only the person's commands in the setting lose it, and SAT runs these for
 * the other files. The host's built-in formatters keep it, because only the host knows when they apply.
 */
export const readHostFormatter = (config: MergedConfig, option: FormatOnSaveOption) => {
  const patterns = entriesOf(option).map(({ glob }) => patternOf(glob))
  const setting: Setting = typeof config.formatter === 'object' ? { ...config.formatter } : {}
  /** The person's commands, each with the extensions for which SAT or the host runs it. */
  const commands: Array<{ command: FormatCommand; bySat: Array<string>; byHost: Array<string> }> = []
  const failures = new HostFailures()
  for (const name of new Set([...Object.keys(BUILT_IN), ...Object.keys(setting)])) {
    const entry = setting[name] ?? {}
    const { disabled, command, environment = {} } = entry
    if (disabled) continue
    const extensions = entry.extensions ?? BUILT_IN[name]?.split(' ') ?? []
    const isLost = command ? mayMatch : matchesAll
    const bySat = extensions.filter((extension) => patterns.some((pattern) => isLost(pattern, extension)))
    const byHost = extensions.filter((extension) => !bySat.includes(extension))
    if (bySat.length > 0) setting[name] = { ...entry, extensions: byHost }
    if (!command) continue
    commands.push({ command: toCommand(command, environment), bySat, byHost })
    setting[name] = { ...setting[name], command: failures.withRecording(command) }
  }
  if (typeof config.formatter === 'object' || patterns.length > 0) config.formatter = setting
  return {
    /** Lists the commands that SAT runs for a file, in the host's order. */
    commandsOf: (path: string): Array<FormatCommand> =>
      commands.filter(({ bySat }) => bySat.includes(extname(path))).map(({ command }) => command),
    /** Returns what the person's commands may change when the host runs them for a file; `none` if it runs none. */
    reachOf: (path: string): 'none' | 'file' | 'project' => {
      const commandsOfHost = commands.filter(({ byHost }) => byHost.includes(extname(path)))
      if (commandsOfHost.length === 0) return 'none'
      return commandsOfHost.some(({ command }) => command.wholeProject) ? 'project' : 'file'
    },
    /** Returns, once, how one of the person's commands that the host ran failed on a file; null if none failed. */
    failureOf: (path: string, hasWritten: boolean) => failures.take(path, hasWritten),
  }
}

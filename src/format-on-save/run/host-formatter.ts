import type { Minimatch } from 'minimatch'
import { extname } from 'node:path'
import type { MergedConfig } from '../../host/config.ts'
import type { FormatOnSaveOption } from '../../host/options.ts'
import { entriesOf, patternOf } from './choose-command.ts'

/** What the host's setting `formatter` means for SAT. */
export type HostFormatter = {
  /** Whether the host itself formats any file inside its tools. */
  formats: boolean
  /** Whether the host runs a command of the person's for a file, which may change others, too. */
  changesOthers: (path: string) => boolean
}

type Setting = Exclude<NonNullable<MergedConfig['formatter']>, false>

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

const extensionsOf = (name: string, { extensions }: Setting[string]): Array<string> =>
  extensions ?? BUILT_IN[name]?.split(' ') ?? []

/** Names that no pattern is made for: one that matches them matches every file of their extension. */
const ANY_NAMES = ['~any~', '~any~/~any~']

const matchesAll = (pattern: Minimatch, extension: string): boolean =>
  ANY_NAMES.every((name) => pattern.match(name + extension))

/**
 * Reads the setting `formatter` of the merged config, which is on, and takes from the host's formatters each extension
 * all of whose files SAT formats. Of any other the host formats the files first, inside its tools.
 */
export const readHostFormatter = (config: MergedConfig, option: FormatOnSaveOption): HostFormatter => {
  const patterns = entriesOf(option).map(({ glob }) => patternOf(glob))
  const isOwn = (extension: string) => patterns.some((pattern) => matchesAll(pattern, extension))
  const setting: Setting = typeof config.formatter === 'object' ? { ...config.formatter } : {}
  const others: Array<string> = []
  for (const name of new Set([...Object.keys(BUILT_IN), ...Object.keys(setting)])) {
    const entry = setting[name] ?? {}
    if (entry.disabled) continue
    const extensions = extensionsOf(name, entry)
    const left = extensions.filter((extension) => !isOwn(extension))
    if (left.length < extensions.length) setting[name] = { ...entry, extensions: left }
    if (entry.command) others.push(...left)
  }
  if (typeof config.formatter === 'object' || patterns.length > 0) config.formatter = setting
  return { formats: true, changesOthers: (path) => others.includes(extname(path)) }
}

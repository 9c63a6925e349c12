/** Describes formatters from npm: the command for a project, and a function that formats a text in this process. */
import { createFromBuffer, type Formatter } from '@dprint/formatter'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { safeAsync } from '../../../src/safe.ts'
import { DPRINT, DPRINT_PLUGIN, DPRINT_SETTINGS } from '../../harness/dprint.ts'
import { CHECKOUT } from '../../harness/host.ts'

export type FuzzFormatter = {
  name: string
  extensions: Array<string>
  /** The project's files that it reads. */
  files: Record<string, string>
  /** The command of the option `format_on_save`. */
  command: string
  /** Formats the text of a file in a folder that has `files`; returns null if it does not parse. */
  format(text: string, path: string): Promise<string | null>
}

/** The program that formats: SAT by its option, the host next to SAT, or the host alone. */
export type Setting = 'option' | 'host' | 'without SAT'

/** Returns the config of a project that formats the extensions of a formatter with it. */
export const configOf = (
  setting: Setting,
  { command, extensions }: Pick<FuzzFormatter, 'command' | 'extensions'>,
): Record<string, unknown> => {
  const glob = `*{${extensions.join(',')}}`
  if (setting === 'option') return { plugin: [[CHECKOUT, { format_on_save: { [glob]: command } }]] }
  const formatter = { command: ['sh', '-c', command.replaceAll('{path}', '"$1"'), 'sh', '$FILE'], extensions }
  return { plugin: setting === 'host' ? [CHECKOUT] : [], formatter: { own: formatter } }
}

const require = createRequire(import.meta.url)
const inPackage = (name: string, path: string): string =>
  join(dirname(require.resolve(`${name}/package.json`)), path)

const PRETTIER = inPackage('prettier', 'bin/prettier.cjs')
// The program itself: the command of the package `@biomejs/biome` starts Node first, which takes three times as long.
const BIOME_BUILD = readdirSync(inPackage('@biomejs/biome', '..')).find((name) => name.startsWith('cli-'))
const BIOME = inPackage(`@biomejs/${BIOME_BUILD}`, 'biome')
const ESLINT = inPackage('eslint', 'bin/eslint.js')

const nullIfFailed = async (work: () => Promise<string>): Promise<string | null> =>
  (await safeAsync(work)).data

const prettier = (name: string, extensions: Array<string>, options: object): FuzzFormatter => ({
  name: `prettier, ${name}`,
  extensions,
  files: { '.prettierrc': JSON.stringify(options) },
  command: `node '${PRETTIER}' --log-level silent --write {path}`,
  format: (text, path) =>
    nullIfFailed(async () => (await import('prettier')).format(text, { ...options, filepath: path })),
})

/** Runs a program on a text; returns its output, or null if it fails. */
const filter = async (command: Array<string>, folder: string, text: string): Promise<string | null> => {
  const child = Bun.spawn(command, { cwd: folder, stdin: Buffer.from(text), stderr: 'ignore' })
  const output = await new Response(child.stdout).text()
  return await child.exited === 0 ? output : null
}

const biome = (name: string, extensions: Array<string>, formatter: object): FuzzFormatter => ({
  name: `biome, ${name}`,
  extensions,
  files: {
    'biome.json': JSON.stringify({
      formatter,
      linter: { enabled: false },
      assist: { enabled: true, actions: { source: { organizeImports: 'on' } } },
    }),
  },
  command: `'${BIOME}' check --write --no-errors-on-unmatched {path}`,
  format: (text, path) =>
    filter([BIOME, 'check', '--write', `--stdin-file-path=${path}`], dirname(path), text),
})

/** Returns a function that formats with the plugin of the `dprint` command in this process. */
export const loadDprint = (typescript: Record<string, unknown>, more: object) => {
  let loaded: Formatter | undefined
  return (fileText: string, filePath: string): string => {
    if (!loaded) {
      loaded = createFromBuffer(readFileSync(DPRINT_PLUGIN))
      loaded.setConfig(more, typescript)
    }
    return loaded.formatText({ filePath, fileText })
  }
}

const dprint = (name: string, typescript: Record<string, unknown>, more: object): FuzzFormatter => {
  const inProcess = loadDprint(typescript, more)
  return {
    name: `dprint, ${name}`,
    extensions: ['.ts', '.js'],
    files: { 'dprint.json': JSON.stringify({ ...more, typescript, plugins: [DPRINT_PLUGIN] }) },
    command: DPRINT,
    format: (text, path) => nullIfFailed(async () => inProcess(text, path)),
  }
}

const PLAIN_RULES = `simple-import-sort/imports no-var prefer-const no-else-return curly @stylistic/semi
  @stylistic/eol-last @stylistic/no-trailing-spaces @stylistic/space-infix-ops @stylistic/spaced-comment
  @stylistic/keyword-spacing @stylistic/comma-spacing @stylistic/space-before-blocks`.split(/\s+/)

const ESLINT_RULES = {
  ...Object.fromEntries(PLAIN_RULES.map((rule) => [rule, 'error'])),
  '@stylistic/quotes': ['error', 'single'],
  '@stylistic/indent': ['error', 2],
  '@stylistic/no-multiple-empty-lines': ['error', { max: 1, maxBOF: 0, maxEOF: 0 }],
  '@stylistic/padded-blocks': ['error', 'never'],
  '@stylistic/padding-line-between-statements': [
    'error',
    { blankLine: 'always', prev: '*', next: ['return', 'function', 'class'] },
    { blankLine: 'always', prev: ['const', 'let', 'import'], next: ['expression', 'if', 'for'] },
  ],
  '@stylistic/comma-dangle': ['error', 'always-multiline'],
  '@stylistic/object-curly-spacing': ['error', 'always'],
}

const eslint: FuzzFormatter = {
  name: 'eslint, stylistic and sorted imports',
  extensions: ['.js', '.mjs'],
  files: {
    'eslint.config.mjs': [
      `import stylistic from '${pathToFileURL(require.resolve('@stylistic/eslint-plugin'))}'`,
      `import sort from '${pathToFileURL(require.resolve('eslint-plugin-simple-import-sort'))}'`,
      `const rules = ${JSON.stringify(ESLINT_RULES)}`,
      `const plugins = { '@stylistic': stylistic, 'simple-import-sort': sort }`,
      `export default [{ linterOptions: { reportUnusedDisableDirectives: 'off' }, rules, plugins }]`,
    ].join('\n'),
  },
  // It ends with 1 if it reports a problem that it cannot fix, which is no failure of the formatting.
  command: `node '${ESLINT}' --fix --quiet {path} || test $? = 1`,
  format: (text, path) =>
    nullIfFailed(async () => {
      const { ESLint } = await import('eslint')
      const instance = new ESLint({ cwd: dirname(path), fix: true })
      const [result] = await instance.lintText(text, { filePath: path })
      if (!result || result.messages.some(({ fatal }) => fatal)) throw new Error('it does not parse')
      return result.output ?? text
    }),
}

const WEB = ['.ts', '.js', '.mjs', '.css', '.json', '.md']
const CODE = ['.ts', '.js', '.mjs']

export const FORMATTERS: ReadonlyArray<FuzzFormatter> = [
  prettier('as it comes', WEB, {}),
  prettier('no semicolons, single quotes, narrow', CODE, {
    semi: false,
    singleQuote: true,
    printWidth: 60,
    trailingComma: 'none',
    arrowParens: 'avoid',
  }),
  prettier('prose wrapped, tabs', ['.md', '.ts'], { proseWrap: 'always', useTabs: true, printWidth: 72 }),
  prettier('CRLF', ['.ts', '.js', '.json', '.css'], { endOfLine: 'crlf' }),
  biome('as it comes', ['.ts', '.js', '.json', '.css'], {}),
  biome('spaces, wide', ['.ts', '.js'], { indentStyle: 'space', indentWidth: 4, lineWidth: 120 }),
  dprint('sorted imports', DPRINT_SETTINGS.typescript, DPRINT_SETTINGS.global),
  dprint('braces on the next line', { semiColons: 'asi', bracePosition: 'nextLine', useBraces: 'always' }, {
    lineWidth: 100,
    indentWidth: 4,
  }),
  eslint,
]

import { createFromBuffer, type Formatter as Dprint } from '@dprint/formatter'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { safe, safeAsync } from '../../../src/safe.ts'
import { DPRINT, DPRINT_PLUGIN, DPRINT_SETTINGS } from '../../harness/dprint.ts'
import type { Formatter } from '../settings.ts'

export type FuzzFormatter = Formatter & {
  name: string
  files: Record<string, string>
  /** Returns null if the text does not parse. */
  format(text: string, path: string): Promise<string | null>
}

const require = createRequire(import.meta.url)

const inPackage = (name: string, path: string): string =>
  join(dirname(require.resolve(`${name}/package.json`)), path)

const PRETTIER = inPackage('prettier', 'bin/prettier.cjs')
// The command of `@biomejs/biome` starts Node first, so it takes three times as long as Biome's program.
const BIOME_PACKAGE = readdirSync(inPackage('@biomejs/biome', '..')).find((name) => name.startsWith('cli-'))
const BIOME = inPackage(`@biomejs/${BIOME_PACKAGE}`, 'biome')
const ESLINT = inPackage('eslint', 'bin/eslint.js')

const prettier = (name: string, extensions: Array<string>, options: object): FuzzFormatter => ({
  name: `prettier, ${name}`,
  extensions,
  files: { '.prettierrc': JSON.stringify(options) },
  command: `node '${PRETTIER}' --log-level silent --write {path}`,
  format: async (text, filepath) =>
    (await safeAsync(async () => (await import('prettier')).format(text, { ...options, filepath }))).data,
})

const SORT_IMPORTS = { enabled: true, actions: { source: { organizeImports: 'on' } } }

const biome = (name: string, extensions: Array<string>, formatter: object): FuzzFormatter => ({
  name: `biome, ${name}`,
  extensions,
  files: { 'biome.json': JSON.stringify({ formatter, linter: { enabled: false }, assist: SORT_IMPORTS }) },
  command: `'${BIOME}' check --write --no-errors-on-unmatched {path}`,
  format: async (text, path) => {
    const command = [BIOME, 'check', '--write', `--stdin-file-path=${path}`]
    const child = Bun.spawn(command, { cwd: dirname(path), stdin: Buffer.from(text), stderr: 'ignore' })
    const formatted = await new Response(child.stdout).text()
    return await child.exited === 0 ? formatted : null
  },
})

export const createDprint = (typescript: Record<string, unknown>, global: object) => {
  let loaded: Dprint | undefined
  return (fileText: string, filePath: string): string => {
    if (!loaded) (loaded = createFromBuffer(readFileSync(DPRINT_PLUGIN))).setConfig(global, typescript)
    return loaded.formatText({ filePath, fileText })
  }
}

const dprint = (name: string, typescript: Record<string, unknown>, global: object): FuzzFormatter => {
  const inProcess = createDprint(typescript, global)
  return {
    name: `dprint, ${name}`,
    extensions: ['.ts', '.js'],
    files: { 'dprint.json': JSON.stringify({ ...global, typescript, plugins: [DPRINT_PLUGIN] }) },
    command: DPRINT,
    format: async (text, path) => safe(() => inProcess(text, path)).data,
  }
}

const urlOf = (name: string): string => String(pathToFileURL(require.resolve(name)))

const ESLINT_CONFIG = `import stylistic from '${urlOf('@stylistic/eslint-plugin')}'
import sort from '${urlOf('eslint-plugin-simple-import-sort')}'
const names = \`simple-import-sort/imports no-var prefer-const no-else-return curly @stylistic/semi
  @stylistic/eol-last @stylistic/no-trailing-spaces @stylistic/space-infix-ops @stylistic/spaced-comment
  @stylistic/keyword-spacing @stylistic/comma-spacing @stylistic/space-before-blocks\`
export default [{
  linterOptions: { reportUnusedDisableDirectives: 'off' },
  plugins: { '@stylistic': stylistic, 'simple-import-sort': sort },
  rules: {
    ...Object.fromEntries(names.split(/\\s+/).map((name) => [name, 'error'])),
    '@stylistic/quotes': ['error', 'single'],
    '@stylistic/indent': ['error', 2],
    '@stylistic/no-multiple-empty-lines': ['error', { max: 1, maxBOF: 0, maxEOF: 0 }],
    '@stylistic/padded-blocks': ['error', 'never'],
    '@stylistic/padding-line-between-statements': ['error',
      { blankLine: 'always', prev: '*', next: ['return', 'function', 'class'] },
      { blankLine: 'always', prev: ['const', 'let', 'import'], next: ['expression', 'if', 'for'] }],
    '@stylistic/comma-dangle': ['error', 'always-multiline'],
    '@stylistic/object-curly-spacing': ['error', 'always'],
  },
}]
`

const eslint: FuzzFormatter = {
  name: 'eslint, stylistic and sorted imports',
  extensions: ['.js', '.mjs'],
  files: { 'eslint.config.mjs': ESLINT_CONFIG },
  // With the exit code 1, the file is formatted, but has problems that ESLint cannot fix.
  command: `node '${ESLINT}' --fix --quiet {path} || test $? = 1`,
  format: async (text, filePath) => {
    const { ESLint } = await import('eslint')
    const linter = new ESLint({ cwd: dirname(filePath), fix: true })
    const { data } = await safeAsync(() => linter.lintText(text, { filePath }))
    const result = data?.[0]
    if (!result || result.messages.some(({ fatal }) => fatal)) return null
    return result.output ?? text
  },
}

const WEB_EXTENSIONS = ['.ts', '.js', '.mjs', '.css', '.json', '.md']
const CODE_EXTENSIONS = ['.ts', '.js', '.mjs']
const NARROW = { semi: false, singleQuote: true, printWidth: 60, trailingComma: 'none', arrowParens: 'avoid' }
const BRACES = { semiColons: 'asi', bracePosition: 'nextLine', useBraces: 'always' }

export const FORMATTERS: ReadonlyArray<FuzzFormatter> = [
  prettier('defaults', WEB_EXTENSIONS, {}),
  prettier('no semicolons, single quotes, narrow', CODE_EXTENSIONS, NARROW),
  prettier('prose wrapped, tabs', ['.md', '.ts'], { proseWrap: 'always', useTabs: true, printWidth: 72 }),
  prettier('CRLF', ['.ts', '.js', '.json', '.css'], { endOfLine: 'crlf' }),
  biome('defaults', ['.ts', '.js', '.json', '.css'], {}),
  biome('spaces, wide', ['.ts', '.js'], { indentStyle: 'space', indentWidth: 4, lineWidth: 120 }),
  dprint('sorted imports', DPRINT_SETTINGS.typescript, DPRINT_SETTINGS.global),
  dprint('braces on the next line', BRACES, { lineWidth: 100, indentWidth: 4 }),
  eslint,
]

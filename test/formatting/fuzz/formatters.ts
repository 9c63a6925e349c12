/** The formatters that npm brings, as a project has them: a command for the host, and in process for the search. */
import { createFromBuffer } from '@dprint/formatter'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { DPRINT, DPRINT_PLUGIN } from '../../harness/dprint.ts'

export type FuzzFormatter = {
  name: string
  extensions: Array<string>
  /** The project's files that it reads. */
  files: Record<string, string>
  /** The command of the option `format_on_save`. */
  command: string
  /** Formats a text of a file in a folder that has `files`; null where it does not parse. */
  format(text: string, path: string): Promise<string | null>
}

const require = createRequire(import.meta.url)
const inPackage = (name: string, path: string): string =>
  join(dirname(require.resolve(`${name}/package.json`)), path)
const NODE = 'node'

const PRETTIER = inPackage('prettier', 'bin/prettier.cjs')
const BIOME = inPackage('@biomejs/biome', 'bin/biome')
const ESLINT = inPackage('eslint', 'bin/eslint.js')

type Prettier = { format(text: string, options: object): Promise<string> }
type Eslint = {
  ESLint: new(options: object) => {
    lintText(
      text: string,
      options: object,
    ): Promise<Array<{ output?: string; messages: Array<{ fatal?: boolean }> }>>
  }
}

const orNull = async (work: () => Promise<string>): Promise<string | null> => {
  try {
    return await work()
  } catch {
    return null
  }
}

const prettier = (name: string, extensions: Array<string>, options: object): FuzzFormatter => ({
  name: `prettier, ${name}`,
  extensions,
  files: { '.prettierrc': JSON.stringify(options) },
  command: `${NODE} '${PRETTIER}' --log-level silent --write {path}`,
  format: (text, path) =>
    orNull(async () => (require('prettier') as Prettier).format(text, { ...options, filepath: path })),
})

/** Runs a program with a text as its input; its output, or null where it fails. */
const filter = (
  program: string,
  given: Array<string>,
  folder: string,
  text: string,
): Promise<string | null> =>
  new Promise((resolve) => {
    const child = spawn(program, given, { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] })
    const chunks: Array<Buffer> = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.once('error', () => resolve(null))
    child.once('close', (code) => resolve(code === 0 ? Buffer.concat(chunks).toString() : null))
    child.stdin.end(text)
  })

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
  command: `${NODE} '${BIOME}' check --write --no-errors-on-unmatched {path}`,
  format: (text, path) =>
    filter(NODE, [BIOME, 'check', '--write', `--stdin-file-path=${path}`], dirname(path), text),
})

const loadDprint = (
  typescript: Record<string, unknown>,
  more: object,
): (text: string, path: string) => string => {
  let loaded: ReturnType<typeof createFromBuffer> | undefined
  return (fileText, filePath) => {
    if (!loaded) {
      const { getPath } = require('@dprint/typescript') as { getPath(): string }
      loaded = createFromBuffer(readFileSync(getPath()))
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
    files: {
      'dprint.json': JSON.stringify({
        ...more,
        typescript,
        plugins: [DPRINT_PLUGIN],
      }),
    },
    command: DPRINT,
    format: (text, path) => orNull(async () => inProcess(text, path)),
  }
}

const eslintRules = {
  'simple-import-sort/imports': 'error',
  'no-var': 'error',
  'prefer-const': 'error',
  'no-else-return': 'error',
  curly: 'error',
  '@stylistic/semi': 'error',
  '@stylistic/quotes': ['error', 'single'],
  '@stylistic/indent': ['error', 2],
  '@stylistic/eol-last': 'error',
  '@stylistic/no-trailing-spaces': 'error',
  '@stylistic/no-multiple-empty-lines': ['error', { max: 1, maxBOF: 0, maxEOF: 0 }],
  '@stylistic/padded-blocks': ['error', 'never'],
  '@stylistic/padding-line-between-statements': [
    'error',
    { blankLine: 'always', prev: '*', next: ['return', 'function', 'class'] },
    { blankLine: 'always', prev: ['const', 'let', 'import'], next: ['expression', 'if', 'for'] },
  ],
  '@stylistic/comma-dangle': ['error', 'always-multiline'],
  '@stylistic/object-curly-spacing': ['error', 'always'],
  '@stylistic/space-infix-ops': 'error',
  '@stylistic/spaced-comment': 'error',
  '@stylistic/keyword-spacing': 'error',
  '@stylistic/comma-spacing': 'error',
  '@stylistic/space-before-blocks': 'error',
}

const ESLINT_CONFIG = {
  linterOptions: { reportUnusedDisableDirectives: 'off' },
  rules: eslintRules,
}

const eslint: FuzzFormatter = {
  name: 'eslint, stylistic and sorted imports',
  extensions: ['.js', '.mjs'],
  files: {
    'eslint.config.mjs': [
      `import stylistic from '${pathToFileURL(require.resolve('@stylistic/eslint-plugin'))}'`,
      `import sort from '${pathToFileURL(require.resolve('eslint-plugin-simple-import-sort'))}'`,
      `export default [{ ...${
        JSON.stringify(ESLINT_CONFIG)
      }, plugins: { '@stylistic': stylistic, 'simple-import-sort': sort } }]`,
    ].join('\n'),
  },
  // What it cannot mend is left to the person: that is no failure of the formatting.
  command: `${NODE} '${ESLINT}' --fix --quiet {path} || test $? = 1`,
  format: (text, path) =>
    orNull(async () => {
      const { ESLint } = require('eslint') as Eslint
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
  dprint(
    'sorted imports',
    { quoteStyle: 'preferSingle', 'module.sortImportDeclarations': 'caseInsensitive' },
    {
      lineWidth: 80,
      indentWidth: 2,
    },
  ),
  dprint('braces on the next line', { semiColons: 'asi', bracePosition: 'nextLine', useBraces: 'always' }, {
    lineWidth: 100,
    indentWidth: 4,
  }),
  eslint,
]

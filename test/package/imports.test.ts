/** Checks the code itself: folders import each other in one direction only, and no line breaks a project rule. */
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { isForbidden } from '../../src/checks/patterns.ts'
import { rulesReader } from '../../src/delivery/rules-on-disk.ts'
import { readTree } from '../../src/markdown/project-tree.ts'
import { linesOf } from '../../src/text/line-ending.ts'
import { CHECKOUT } from '../harness/host.ts'

const read = (file: string): string => readFileSync(join(CHECKOUT, file), 'utf8')

// A row of the table in CONTRIBUTING.md: an area in the first column may import itself, the areas in the last column,
// and what those may import. An area is a folder with its subfolders; the files `src/*.ts` are the area `src`, the
// entry files are the area `.`, and `src/safe.ts` is an area of its own.
const ROW = /^\| (`[^|]+`) \| [^|]+ \| ([^|]+)\|$/gm

/** Lists the areas that a cell of the table names. */
const areasIn = (cell = ''): Array<string> =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) =>
    name === 'src/*.ts' ? 'src' : name.includes('/') ? name : '.'
  )

const ALLOWED = new Map([
  ['src/safe.ts', []],
  ...[...read('CONTRIBUTING.md').matchAll(ROW)].flatMap(([, folders, imports]) =>
    areasIn(folders).map((area) => [area, areasIn(imports)] as const)
  ),
])

/** Lists the areas that an area may import. */
const allowedFor = (area: string): Array<string> => [area, ...(ALLOWED.get(area) ?? []).flatMap(allowedFor)]

const areaOf = (file: string): string =>
  file === 'src/safe.ts' ? file : file.split('/').slice(0, -1).slice(0, 2).join('/') || '.'

const FILES = [
  'sat.ts',
  'tui.tsx',
  ...readdirSync(join(CHECKOUT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts') && !file.startsWith('node_modules'))
    .map((file) => `src/${file.split(sep).join('/')}`),
]

// These schemas define parsed rules and tasks. Areas in lower rows of the table may import their types, which do not
// exist at run time; nothing else is imported upward.
const SCHEMAS = ['src/rule-schema.ts', 'src/prompt-schema.ts']

// Matches `import { a } from './a.ts'`, `export type { A } from './a.ts'`, `import './a.ts'` and `import('./a.ts')`.
const IMPORT = /(?:^(?:im|ex)port (type )?[^'(=;]*?from |^import |import\()'([^']+)'/gm

const importsOf = (file: string) =>
  [...read(file).matchAll(IMPORT)].map(([words, type, to = '']) => ({
    file,
    isDynamic: words.startsWith('import('),
    to: to.startsWith('.') ? relative(CHECKOUT, join(CHECKOUT, dirname(file), to)) : to,
    isType: type !== undefined,
  }))

const IMPORTS = FILES.flatMap(importsOf)
const FILE_IMPORTS = IMPORTS.filter(({ to, isType }) =>
  /\.tsx?$/.test(to) && !(isType && SCHEMAS.includes(to))
)

test('each area is in the table in CONTRIBUTING.md, and imports only what the table allows', () => {
  expect(new Set(FILES.map(areaOf))).toEqual(new Set(ALLOWED.keys()))
  expect(FILE_IMPORTS.length).toBeGreaterThan(100)
  const upward = FILE_IMPORTS.filter(({ file, to }) => !allowedFor(areaOf(file)).includes(areaOf(to)))
  expect(upward).toEqual([])
})

test('in each folder of src, the first line of one file describes the folder', () => {
  const folders = [...ALLOWED.keys()].flatMap((area) => /^src\/([\w-]+)$/.exec(area)?.[1] ?? [])
  const heads = FILES.flatMap((file) =>
    /^\/\*\*(?:\n \*)? The folder `([\w-]+)\/`: /.exec(read(file))?.[1] ?? []
  )
  expect(heads.toSorted()).toEqual(folders.toSorted())
})

/** Lists the files and libraries that a file loads, directly or indirectly. */
const loadedBy = (file: string, imports: typeof IMPORTS, loaded = new Set<string>()): Set<string> => {
  for (const { to } of imports.filter((imported) => imported.file === file)) {
    if (!loaded.has(to)) loadedBy(to, imports, loaded.add(to))
  }
  return loaded
}

test('only leven, strip-json-comments and zod are loaded at the start; other libraries at their first use', () => {
  const loaded = loadedBy('sat.ts', IMPORTS.filter(({ isType, isDynamic }) => !isType && !isDynamic))
  const libraries = [...loaded].filter((name) => !/^(?:src\/|sat\.ts|node:)/.test(name))
  expect(libraries.toSorted()).toEqual(['leven', 'strip-json-comments', 'zod'])
})

test("only sat.ts, host, tools, tui and the entries of delivery and format-on-save import the host's package", () => {
  const entries = ['sat.ts', 'src/delivery/hooks.ts', 'src/format-on-save/index.ts']
  const forbidden = IMPORTS.filter(({ file, to }) =>
    to.startsWith('@opencode-ai/') && !/^(?:src\/(?:host|tools|tui)\/|tui\.tsx)/.test(file)
    && !entries.includes(file)
  )
  expect(forbidden).toEqual([])
})

test('there are no import cycles, not even of types only', () => {
  expect(FILES.filter((file) => loadedBy(file, IMPORTS).has(file))).toEqual([])
})

const OPENS_FILES =
  /^import \{[^}]*\b(?:readFile(?:Sync)?|open(?:Sync)?|createReadStream)\b[^}]*\} from 'node:fs(?:\/promises)?'/m

test('only the reader with a size limit and the writers of files and locks import functions that open files', () => {
  expect(FILES.filter((file) => OPENS_FILES.test(read(file))).toSorted()).toEqual([
    'src/text/read.ts',
    'src/writing/atomic-replace.ts',
    'src/writing/lock-file.ts',
  ])
})

const WORKSPACE = { directory: CHECKOUT, worktree: CHECKOUT }
const readRules = rulesReader(WORKSPACE, [], async () => [])
const { rules, leftOut } = await readRules('fresh')
// The rules of the person who runs the tests are in other folders.
const rulesWithChecks = rules.flatMap(({ checks, ...rule }) =>
  checks && rule.path.startsWith(CHECKOUT) ? [{ ...rule, checks }] : []
)

test("the project's own rules have no faults, and their examples hold", () => {
  expect(leftOut).toEqual([])
  expect(rulesWithChecks.length).toBeGreaterThan(5)
})

test.each(rulesWithChecks.map((rule) => [rule.name, rule] as const))(
  'no line of the project breaks the rule %s',
  async (_, { applies, checks }) => {
    const files = [...(await readTree(CHECKOUT))!.files].filter((file) =>
      applies?.(file) && !file.startsWith('.opencode/rules/')
    )
    const broken = files.flatMap((file) =>
      linesOf(read(file)).filter((line) => isForbidden(checks, line))
        .map((line) => `${file}: ${line.slice(0, 200)}`)
    )
    expect(files).not.toEqual([])
    expect(broken).toEqual([])
  },
)

/** Checks the code itself: imports run one way, from the entries to `safe.ts`, and no line breaks a project rule. */
import { expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { isForbidden } from '../../src/checks/patterns.ts'
import { rulesReader } from '../../src/delivery/rules-on-disk.ts'
import { readTree } from '../../src/markdown/project-tree.ts'
import { linesOf } from '../../src/text/line-ending.ts'
import { CHECKOUT } from '../harness/host.ts'

const read = (file: string): string => readFileSync(join(CHECKOUT, file), 'utf8')

// The table in CONTRIBUTING.md: a folder may import itself, the folders in its row, and what those import. An area is
// such a folder, or `.` for the entry files.
const ROW = /^\| (`[^|]+`) \| [^|]+ \| ([^|]+)\|$/gm

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

const mayImport = (area: string): Array<string> => [area, ...(ALLOWED.get(area) ?? []).flatMap(mayImport)]

const areaOf = (file: string): string =>
  file === 'src/safe.ts' ? file : file.split('/').slice(0, -1).slice(0, 2).join('/') || '.'

const FILES = [
  'sat.ts',
  'tui.tsx',
  ...readdirSync(join(CHECKOUT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts') && !file.startsWith('node_modules'))
    .map((file) => `src/${file.split(sep).join('/')}`),
]

// The plan's schemas define parsed rules and tasks. Folders below may import their types, which do not exist at run
// time; nothing else is imported upward.
const SCHEMAS = ['src/rule-schema.ts', 'src/prompt-schema.ts']

const IMPORT = /(?:^(?:im|ex)port (type )?[^'(=;]*?from |^import |import\()'([^']+)'/gm

const importsOf = (file: string) =>
  [...read(file).matchAll(IMPORT)].map(([words, type, to = '']) => ({
    file,
    isLater: words.startsWith('import('),
    to: to.startsWith('.') ? relative(CHECKOUT, join(CHECKOUT, dirname(file), to)) : to,
    isType: type !== undefined,
  }))

const IMPORTS = FILES.flatMap(importsOf)
const FILE_IMPORTS = IMPORTS.filter(({ to, isType }) =>
  /\.tsx?$/.test(to) && !(isType && SCHEMAS.includes(to))
)

test('a folder imports only what the table in CONTRIBUTING.md names', () => {
  expect(new Set(FILES.map(areaOf))).toEqual(new Set(ALLOWED.keys()))
  expect(FILE_IMPORTS.length).toBeGreaterThan(100)
  const upward = FILE_IMPORTS.filter(({ file, to }) => !mayImport(areaOf(file)).includes(areaOf(to)))
  expect(upward).toEqual([])
})

test('in each folder of src, the first line of one file describes the folder', () => {
  const folders = [...ALLOWED.keys()].flatMap((area) => /^src\/([\w-]+)$/.exec(area)?.[1] ?? [])
  const heads = FILES.flatMap((file) =>
    /^\/\*\*(?:\n \*)? The folder `([\w-]+)\/`: /.exec(read(file))?.[1] ?? []
  )
  expect(heads.toSorted()).toEqual(folders.toSorted())
})

/** Lists the files that a file loads, directly or indirectly. */
const loadedBy = (file: string, imports: typeof IMPORTS, loaded = new Set<string>()): Set<string> => {
  for (const { to } of imports.filter((imported) => imported.file === file)) {
    if (!loaded.has(to)) loadedBy(to, imports, loaded.add(to))
  }
  return loaded
}

test('at the start only these libraries are loaded, others at their first use', () => {
  const loaded = loadedBy('sat.ts', IMPORTS.filter(({ isType, isLater }) => !isType && !isLater))
  const libraries = [...loaded].filter((name) => !/^(?:src\/|sat\.ts|node:)/.test(name))
  expect(libraries.toSorted()).toEqual(['leven', 'strip-json-comments', 'zod'])
})

test("only host, tools, tui and the entries of delivery and format-on-save import the host's package", () => {
  const entries = ['sat.ts', 'src/delivery/hooks.ts', 'src/format-on-save/index.ts']
  const forbidden = IMPORTS.filter(({ file, to }) =>
    to.startsWith('@opencode-ai/') && !/^(?:src\/(?:host|tools|tui)\/|tui\.tsx)/.test(file)
    && !entries.includes(file)
  )
  expect(forbidden).toEqual([])
})

test('no file imports itself indirectly, not even a type', () => {
  expect(FILES.filter((file) => loadedBy(file, IMPORTS).has(file))).toEqual([])
})

const OPENS =
  /^import \{[^}]*\b(?:readFile(?:Sync)?|open(?:Sync)?|createReadStream)\b[^}]*\} from 'node:fs(?:\/promises)?'/m

test('only the reader with a size limit, and the writers of files and locks, open files', () => {
  expect(FILES.filter((file) => OPENS.test(read(file))).toSorted()).toEqual([
    'src/text/read.ts',
    'src/writing/atomic-replace.ts',
    'src/writing/lock-file.ts',
  ])
})

const WORKSPACE = { directory: CHECKOUT, worktree: CHECKOUT }
const { rules, leftOut } = await rulesReader(WORKSPACE, [], async () => [])('fresh')
const checked = rules.flatMap(({ checks, ...rule }) =>
  checks && rule.path.startsWith(CHECKOUT) ? [{ ...rule, checks }] : []
)

test("the project's own rules have no faults, and their examples hold", () => {
  expect(leftOut).toEqual([])
  expect(checked.length).toBeGreaterThan(5)
})

test.each(checked.map((rule) => [rule.name, rule] as const))(
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

/** Checks imports against the table in CONTRIBUTING.md, and all lines of the project against `.opencode/rules`. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { isForbidden } from '../../src/checks/patterns.ts'
import { hasChecks } from '../../src/delivery/rule-files.ts'
import { rulesReader } from '../../src/delivery/rules-on-disk.ts'
import { readTree } from '../../src/markdown/project-tree.ts'
import { linesOf } from '../../src/text/line-ending.ts'
import { CHECKOUT } from '../harness/host.ts'

const read = (file: string): string => readFileSync(join(CHECKOUT, file), 'utf8')

const FILES = ['sat.ts', 'tui.tsx', ...new Bun.Glob('src/**/*.{ts,tsx}').scanSync(CHECKOUT)]
  .filter((file) => !file.endsWith('.test.ts'))

/** `src/tui/a/b.ts` → `src/tui`, `src/a.ts` → `src`, `sat.ts` → `.`. */
const areaOf = (file: string): string =>
  file === 'src/safe.ts' ? file : dirname(file).split('/').slice(0, 2).join('/')

// Matches "| `src/tools`, `src/tui` | (contents) | `src/host` |".
const ROW = /^\| (?<areas>`[^|]+`) \| [^|]+ \| (?<imports>[^|]+)\|$/gm

const areasIn = (cell = ''): Array<string> =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name.includes('.') ? areaOf(name) : name)

const TABLE = new Map([
  ...[...read('CONTRIBUTING.md').matchAll(ROW)].flatMap(({ groups }) =>
    areasIn(groups?.['areas']).map((area) => [area, areasIn(groups?.['imports'])] as const)
  ),
  ['src/safe.ts', []] as const,
])

const allowedFor = (area: string): Array<string> => [area, ...(TABLE.get(area) ?? []).flatMap(allowedFor)]

// Matches `import { a } from './a.ts'`, `export type { A } from './a.ts'`, `import './a.ts'` and `import('./a.ts')`.
const IMPORT = /(?:^(?:im|ex)port (?<type>type )?[^'(=;]*?from |^import |import\()'(?<source>[^']+)'/gm

const importsOf = (file: string) =>
  [...read(file).matchAll(IMPORT)].map(({ 0: words, groups: { type, source = '' } = {} }) => ({
    file,
    loads: source.startsWith('.') ? relative(CHECKOUT, join(CHECKOUT, dirname(file), source)) : source,
    isType: type !== undefined,
    isDynamic: words.startsWith('import('),
  }))

const IMPORTS = FILES.flatMap(importsOf)

// Every area may import the types of these files.
const SCHEMAS = ['src/rule-schema.ts', 'src/prompt-schema.ts']

test('each area is in the table in CONTRIBUTING.md, and imports only areas that the table allows', () => {
  expect(new Set(FILES.map(areaOf))).toEqual(new Set(TABLE.keys()))
  const importsOfFiles = IMPORTS.filter(({ loads }) => /\.tsx?$/.test(loads))
  const checked = importsOfFiles.filter(({ loads, isType }) => !(isType && SCHEMAS.includes(loads)))
  const forbidden = checked.filter(({ file, loads }) => !allowedFor(areaOf(file)).includes(areaOf(loads)))
  expect(checked.length).toBeGreaterThan(100)
  expect(forbidden).toEqual([])
})

const loadedBy = (file: string, imports: typeof IMPORTS, loaded = new Set<string>()): Set<string> => {
  for (const { loads } of imports.filter((each) => each.file === file)) {
    if (!loaded.has(loads)) loadedBy(loads, imports, loaded.add(loads))
  }
  return loaded
}

test('there are no import cycles, not even of types', () => {
  expect(FILES.filter((file) => loadedBy(file, IMPORTS).has(file))).toEqual([])
})

test('the only packages loaded at the start are leven, strip-json-comments and zod', () => {
  const atStart = loadedBy('sat.ts', IMPORTS.filter(({ isType, isDynamic }) => !isType && !isDynamic))
  const packages = [...atStart].filter((name) => !/^(?:src\/|sat\.ts|node:)/.test(name))
  expect(packages.toSorted()).toEqual(['leven', 'strip-json-comments', 'zod'])
})

const MAY_IMPORT_HOST = /^src\/(?:host|tools|tui)\//
const ENTRIES = ['sat.ts', 'tui.tsx', 'src/delivery/hooks.ts', 'src/format-on-save/index.ts']

test("only entry files, `src/host`, `src/tools` and `src/tui` import the host's packages", () => {
  const importers = IMPORTS.filter(({ loads }) => loads.startsWith('@opencode-ai/')).map(({ file }) => file)
  expect(importers.filter((file) => !MAY_IMPORT_HOST.test(file) && !ENTRIES.includes(file))).toEqual([])
})

const OPENS_FILES =
  /^import \{[^}]*\b(?:readFile(?:Sync)?|open(?:Sync)?|createReadStream)\b[^}]*\} from 'node:fs(?:\/promises)?'/m

test('only three files import functions that open files', () => {
  expect(FILES.filter((file) => OPENS_FILES.test(read(file))).toSorted()).toEqual([
    'src/text/read.ts',
    'src/writing/atomic-replace.ts',
    'src/writing/lock-file.ts',
  ])
})

const FOLDER_DESCRIPTION = /^\/\*\*(?:\n \*)? The folder `([\w-]+)\/`: /

test('in each folder of src, exactly one file begins with a description of the folder', () => {
  const folders = [...TABLE.keys()].flatMap((area) => /^src\/([\w-]+)$/.exec(area)?.[1] ?? [])
  const described = FILES.flatMap((file) => FOLDER_DESCRIPTION.exec(read(file))?.[1] ?? [])
  expect(described.toSorted()).toEqual(folders.toSorted())
})

const WORKSPACE = { directory: CHECKOUT, worktree: CHECKOUT }
const { rules, leftOut } = await rulesReader(WORKSPACE, [], async () => [])('fresh')
// Omits the developer's global rules, which are outside the checkout.
const rulesWithChecks = rules.filter(hasChecks).filter(({ path }) => path.startsWith(CHECKOUT))

test("the project's own rules have no faults, such as a wrong example", () => {
  expect(leftOut).toEqual([])
  expect(rulesWithChecks.length).toBeGreaterThan(5)
})

test.each(rulesWithChecks)('no line of the project breaks the rule $name', async ({ applies, checks }) => {
  // Rule files quote the lines that they forbid.
  const files = [...(await readTree(CHECKOUT))!.files].filter((file) =>
    applies?.(file) && !file.startsWith('.opencode/rules/')
  )
  const lines = files.flatMap((file) => linesOf(read(file)).map((line) => ({ file, line })))
  const broken = lines.filter(({ line }) => isForbidden(checks, line))
  expect(files).not.toEqual([])
  expect(broken.map(({ file, line }) => `${file}: ${line.slice(0, 200)}`)).toEqual([])
})

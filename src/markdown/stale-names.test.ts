import { expect, test } from 'bun:test'
import { cpSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeProject, MISSING_ON_PURPOSE, SILENT, STALE } from '../../test/corpora/stale-name-cases.ts'
import { expectNoHang } from '../../test/harness/processor-time.ts'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { foldersAndStems, hasPathEndingIn } from './project-tree.ts'
import { staleNames } from './stale-names.ts'

const [root, withoutGit] = [scratchFolder(), scratchFolder()]
makeProject(root)
cpSync(root, withoutGit, { recursive: true, filter: (path) => !path.includes('/.git') })

/** Checks a text in a project that has `src/app.ts`, but no `src/main.ts`. */
const staleIn = async (content: string, file = 'AGENTS.md', folder = root): Promise<Array<string>> => {
  const stale = await staleNames([{ path: join(folder, file), content }], { root: folder, directory: folder })
  return stale.map(({ line, name, reason }) => `${line} ${name}: ${reason}`)
}

// One call for all texts saves hundreds of git runs.
const TEXTS = [...STALE.map(([text]) => text), ...SILENT, ...MISSING_ON_PURPOSE]
const pathOf = (text: string): string => join(root, `${TEXTS.indexOf(text)}.md`)
const files = TEXTS.map((content) => ({ path: pathOf(content), content }))
const allStale = staleNames(files, { root, directory: root })

const reasonsFor = async (text: string): Promise<Array<string>> =>
  (await allStale).filter(({ path }) => path === pathOf(text)).map(({ reason }) => reason)

test.each(STALE)('a name is noted as stale: %j', async (text, reason) => {
  expect(await reasonsFor(text)).toEqual([expect.stringContaining(reason)])
})
test.each(SILENT)('no name is noted: %j', async (text) => expect(await reasonsFor(text)).toEqual([]))
test.each(MISSING_ON_PURPOSE)('a name that is missing on purpose is noted, too: %j', async (text) => {
  expect(await reasonsFor(text)).toHaveLength(1)
})

test('a path or script that a text names twice is noted once, at its first occurrence', async () => {
  const names = '`src/x1.ts`\n\n`src/x1.ts`, `npm run gone`\n\n```sh\nnpm run gone -- x\n```\n'
  const stale = await staleIn(`---\na: b\n---\n\n${names}`)
  expect(stale.map((note) => note.split(':')[0])).toEqual(['5 src/x1.ts', '7 npm run gone'])
})

test('a name of more than 200 characters is not noted', async () => {
  const nameOf = (length: number) => `src/${'x'.repeat(length - 'src/.ts'.length)}.ts`
  const stale = await staleIn(`\`${nameOf(200)}\`, \`${nameOf(201)}\``)
  expect(stale).toEqual([expect.stringContaining(nameOf(200))])
})

test('a path may be relative to the folder of the file that names it, here packages/web', async () => {
  const existing = '`src/page.tsx`, [x](src/page.tsx), [z](../../docs/guide.md)'
  const stale = await staleIn(`${existing}, \`src/gone.tsx\`, [gone](page.tsx)`, 'packages/web/AGENTS.md')
  expect(stale).toEqual([
    expect.stringContaining('src/gone.tsx'),
    expect.stringContaining('page.tsx: the link'),
  ])
})

test('a path is not noted if the path, or the file that names it, is outside the project', async () => {
  expect(await staleIn('[a](../../../a.md), `../../../b.ts`', 'packages/web/AGENTS.md')).toEqual([])
  expect(await staleIn('`src/main.ts`', '../AGENTS.md')).toEqual([])
})

test.each([
  ['an import', 'include other.mk\nall:\n'],
  ['a pattern', 'B = x\ntest-%: $(B)\n'],
  ['a variable', '$(B): all\n'],
  ['a long line', `${'a '.repeat(400_000)}: b\n`],
])('a target is not noted if the Makefile may define it with %s', async (_, text) => {
  writeFileSync(join(root, 'services/Makefile'), text)
  await expectNoHang('a Makefile', async () => {
    expect(await staleIn('`make deploy`', 'services/AGENTS.md')).toEqual([])
  })
  rmSync(join(root, 'services/Makefile'))
})

// `git check-ignore` fails for all paths if one of the paths is a symbolic link with a `/` at its end.
test('a Markdown link to a symbolic link does not suppress other notes', async () => {
  symlinkSync('AGENTS.md', join(root, 'CLAUDE.md'))
  const stale = await staleIn('[Claude](CLAUDE.md), `src/main.ts`')
  expect(stale).toEqual([expect.stringContaining('1 src/main.ts')])
  rmSync(join(root, 'CLAUDE.md'))
})

test('without git, names are looked up among the files on the disk', async () => {
  const text = '`src/app.ts`, `src/main.ts`, `src/helpers`, `npm run lint`'
  expect(await staleIn(text, 'AGENTS.md', withoutGit)).toEqual([
    '1 src/main.ts: not found, though `src/` is there',
    '1 npm run lint: package.json has no script "lint"',
  ])
})

test('scripts are not noted if package.json (a device) and Makefile (a pipe) cannot be read', async () => {
  for (const name of ['package.json', 'Makefile']) rmSync(join(withoutGit, name))
  symlinkSync('/dev/zero', join(withoutGit, 'package.json'))
  Bun.spawnSync(['mkfifo', join(withoutGit, 'Makefile')])
  expect(await staleIn('`npm run dev`, `make migrate`, `npm run lint`', 'AGENTS.md', withoutGit)).toEqual([])
})

test('10,000 names are looked up in 90,000 files without a hang', async () => {
  const pathAt = (at: number) => `some/module-number-${at % 900}/source/x${at}.component.ts`
  const paths = new Set(Array.from({ length: 90_000 }, (_, at) => pathAt(at)))
  await expectNoHang('looking up 10,000 names in 90,000 files', () => {
    const tree = foldersAndStems(paths)
    for (let at = 0; at < 10_000; at++) expect(hasPathEndingIn(tree, `some/gone-${at}.ts`)).toBe(false)
    expect(hasPathEndingIn(tree, 'source/x7.component.js')).toBe(true)
    expect(hasPathEndingIn(tree, 'module-number-7/source/')).toBe(true)
  })
})

import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder, writeFileAt } from '../test/harness/scratch.ts'
import { homeFolder } from './paths/user-folders.ts'
import { expandFiles, resolveFiles } from './resolve.ts'

const scratch = scratchFolder()
const folder = join(scratch, 'project')
const FILES = ['a.md', 'b.md', '.c.md', 'a, b.md', '@d.md', 'rules/x.md', 'rules/deep/y.md']
// The letter `é` is one character or, in names on macOS, an `e` and an accent.
const ACCENTED_FILES = ['cafe\u0301/e\u0301.md', 'caf\u00e9/x.md']
for (const path of [...FILES, ...ACCENTED_FILES]) writeFileAt(join(folder, path), path)

const CASES: Array<[files: string | Array<string>, paths: Array<string>]> = [
  [' a.md ,, b.md , ./a.md', ['a.md', 'b.md']],
  // In a string, quotes and `@` are dropped, except the `@` of `@d.md`, because a file has this name.
  ["`a.md`, @b.md, 'rules/*.md', @d.md", ['a.md', 'b.md', 'rules/x.md', '@d.md']],
  // In a list, each entry is a path as it stands.
  [['a, b.md', '@a.md', '', ' b.md '], ['a, b.md', '@a.md', ' b.md ']],
  ['*.md', ['.c.md', '@d.md', 'a, b.md', 'a.md', 'b.md']],
  ['rules/**', ['rules/deep/y.md', 'rules/x.md']],
  ['{a,{b,none}}.md, rules/{x,z}.md', ['a.md', 'b.md', 'rules/x.md']],
  ['{a.md, b.md', ['{a.md', 'b.md']],
  ['caf\u00e9/*.md', ['cafe\u0301/e\u0301.md', 'caf\u00e9/x.md']],
  ['*/\u00e9.md', ['cafe\u0301/e\u0301.md']],
  ['caf\u00e9/\u00e9.md', ['cafe\u0301/e\u0301.md']],
]

test.each(CASES)('%j names the files %j', async (files, paths) => {
  const { data } = await expandFiles(folder, files)
  expect(data!.map(({ path }) => path)).toEqual(paths.map((path) => join(folder, path)))
})

test.each<[files: string | Array<string>]>([[' , '], [[' ']]])('%j names no file', async (files) => {
  expect((await resolveFiles(folder, files)).error).toBe('No valid file paths provided')
})

test('absolute paths and paths with ~/ do not depend on the directory of the session', async () => {
  const { data } = await expandFiles('/nowhere', ['~/sat-no-such.md', join(folder, 'a.md')])
  expect(data).toEqual([{ path: join(homeFolder(), 'sat-no-such.md') }, { path: join(folder, 'a.md') }])
})

test('a glob needs permission to list the folder that precedes its first wildcard', async () => {
  const askedFor: Array<string> = []
  const refuse = async (base: string) => {
    askedFor.push(base)
    return 'not there'
  }
  const files = ['../*.md', 'deep/*/*.md', '~/*.md', 'x.md']
  const { data } = await expandFiles(join(folder, 'rules'), files, refuse)
  expect(askedFor).toEqual([folder, join(folder, 'rules/deep'), homeFolder()])
  expect(data).toEqual([
    { path: join(folder, '*.md'), error: 'not there' },
    { path: join(folder, 'rules/deep/*/*.md'), error: 'not there' },
    { path: join(homeFolder(), '*.md'), error: 'not there' },
    { path: join(folder, 'rules/x.md') },
  ])
})

test("if listing a linked folder is refused, an error replaces a glob's matches in that folder", async () => {
  const outside = join(scratch, 'outside')
  writeFileAt(join(outside, 'secret.md'), 'secret')
  symlinkSync(outside, join(folder, 'rules/linked'))
  const mayList = async (base: string) => (base.endsWith('linked') ? 'not there' : null)
  const { data } = await expandFiles(folder, 'rules/**/*.md', mayList)
  expect(data).toEqual([
    { path: join(folder, 'rules/deep/y.md') },
    { path: join(folder, 'rules/x.md') },
    { path: join(folder, 'rules/**/*.md'), error: 'not there' },
  ])
  rmSync(join(folder, 'rules/linked'))
})

test('a file and a link to it are read as one file', async () => {
  symlinkSync('a.md', join(folder, 'link.md'))
  const { data } = await resolveFiles(folder, 'link.md, b.md, a.md')
  expect(data!.map(({ content }) => content)).toEqual(['a.md', 'b.md'])
  rmSync(join(folder, 'link.md'))
})

test('a glob skips node_modules and the folders that git ignores, unless it names them', async () => {
  const root = join(scratch, 'ignored')
  const files = 'a.md local.md node_modules/p/README.md out/deep/b.md packages/x/out/c.md out.md/d.md'
    .split(' ')
  for (const path of files) writeFileAt(join(root, path), path)
  const found = async (glob: string) =>
    (await expandFiles(root, glob)).data?.map(({ path }) => path.slice(root.length + 1))
  // Outside a repository, only `node_modules` is skipped.
  expect(await found('**/*.md')).toEqual(files.filter((path) => !path.startsWith('node_modules')).toSorted())
  spawnSync('git', ['init', '-q'], { cwd: root })
  writeFileAt(join(root, '.gitignore'), 'node_modules\nout/\nlocal.md\n')
  // A file that git ignores may be the person's own instructions, so only folders are skipped.
  expect(await found('**/*.md')).toEqual(['a.md', 'local.md', 'out.md/d.md'])
  expect(await found('*/**/*.md')).toEqual(['out.md/d.md'])
  expect(await found('out/**/*.md')).toEqual(['out/deep/b.md'])
  expect(await found('node_modules/*/README.md')).toEqual(['node_modules/p/README.md'])
})

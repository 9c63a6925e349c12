import { expect, test } from 'bun:test'
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder, writeFileAt } from '../test/harness/scratch.ts'
import { discover } from './discover.ts'

const scratch = scratchFolder()

const createProject = (files: Record<string, string>): string => {
  const folder = mkdtempSync(join(scratch, 'project-'))
  for (const [path, text] of Object.entries(files)) writeFileAt(join(folder, path), text)
  return folder
}

const contentsOf = async (folder: string) => (await discover(folder)).data?.map(({ content }) => content)

// `test/rewriting/discover-files.test.ts` tests more errors.
test.each([
  ['{', 'Invalid JSON in <config>'],
  ['null', 'No "instructions" array found in <config>'],
  ['{"instructions": "a.md"}', 'No "instructions" array found in <config>'],
  ['{"instructions": ["a.md", "b/*.md"]}', 'No instruction files found matching patterns: a.md, b/*.md'],
  ['{"instructions": []}', 'No instruction files found matching patterns: none are given'],
])('without a host, opencode.json with %s is an error, unless AGENTS.md exists', async (config, error) => {
  const folder = createProject({ 'opencode.json': config })
  expect((await discover(folder)).error).toStartWith(error.replace('<config>', join(folder, 'opencode.json')))
  const agentsFile = join(folder, 'AGENTS.md')
  writeFileAt(agentsFile, 'be nice')
  expect((await discover(folder)).data).toMatchObject([{ path: agentsFile, content: 'be nice' }])
})

test('without a host, each file in opencode.json is read once, and a number or URL is ignored', async () => {
  const config = '{ // rules\n"instructions": ["b.md", 7, "*.md", "./a.md", "http://127.0.0.1:9/x.md",], }'
  const folder = createProject({ 'opencode.json': config, 'a.md': 'a', 'b.md': 'b' })
  symlinkSync('a.md', join(folder, 'link.md'))
  expect(await contentsOf(folder)).toEqual(['b', 'a'])
})

test('without a host, folders are searched up to the repository, the nearest first', async () => {
  const files = {
    'AGENTS.md': 'beyond',
    'repo/.git/HEAD': '',
    'repo/AGENTS.md': 'top',
    'repo/in/AGENTS.md': 'in',
  }
  expect(await contentsOf(join(createProject(files), 'repo/in'))).toEqual(['in', 'top'])
})

test('if a link leads to an unreadable file, the file is listed once', async () => {
  const folder = createProject({})
  writeFileSync(join(folder, 'AGENTS.md'), Uint8Array.of(0xff))
  symlinkSync('AGENTS.md', join(folder, 'link.md'))
  const { data } = await discover(folder, { worktree: folder, instructions: ['link.md'] })
  expect(data!.map(({ path }) => path)).toEqual([join(folder, 'AGENTS.md')])
})

test('without a host, an opencode.json that is a link to a device is an error', async () => {
  const folder = createProject({})
  symlinkSync('/dev/zero', join(folder, 'opencode.json'))
  expect((await discover(folder)).error).toStartWith(`Could not read ${folder}/opencode.json: it is a device`)
})

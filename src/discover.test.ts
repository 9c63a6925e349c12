import { expect, test } from 'bun:test'
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder, writeFileAt } from '../test/harness/scratch.ts'
import { discover, readFilePaths } from './discover.ts'

const scratch = scratchFolder()

const inFolder = async (files: Record<string, string>, tell: (folder: string) => Promise<void>) => {
  const folder = mkdtempSync(join(scratch, 'project-'))
  for (const [path, text] of Object.entries(files)) writeFileAt(join(folder, path), text)
  await tell(folder)
}

const ERRORS: Array<[name: string, config: string | null, error: string]> = [
  ['no config', null, 'Could not read <config>: no such file'],
  ['no JSON', '{', 'Invalid JSON in <config>'],
  ['nothing in it', '{}', 'No "instructions" array found in <config>'],
  ['no object', 'null', 'No "instructions" array found in <config>'],
  ['a word', '{"instructions": "a.md"}', 'No "instructions" array found in <config>'],
  [
    'no match',
    '{"instructions": ["a.md", "b/*.md"]}',
    'No instruction files found matching patterns: a.md, b/*.md',
  ],
  ['no entry', '{"instructions": []}', 'No instruction files found matching patterns: none are given'],
]

for (const [name, config, error] of ERRORS) {
  const files: Record<string, string> = config === null ? {} : { 'opencode.json': config }
  test(`without a host: ${name}`, () =>
    inFolder(files, async (folder) => {
      const { data, error: reason } = await discover(folder)
      expect(data).toBeNull()
      expect(reason).toStartWith(error.replace('<config>', join(folder, 'opencode.json')))
    }))

  test(`without a host, but with AGENTS.md: ${name} is no error`, () =>
    inFolder({ ...files, 'AGENTS.md': 'be nice' }, async (folder) => {
      const { data } = await discover(folder)
      expect(data).toMatchObject([{ path: join(folder, 'AGENTS.md'), content: 'be nice' }])
    }))
}

test('without a host: comments and trailing commas are fine, files come entry by entry, each once', () =>
  inFolder({
    'opencode.json': '{ // rules\n"instructions": ["b.md", "*.md", "./a.md", "http://127.0.0.1:9/x.md",], }',
    'a.md': 'a',
    'b.md': 'b',
  }, async (folder) => {
    symlinkSync('a.md', join(folder, 'z.md'))
    const { data } = await discover(folder)
    expect(data!.map(({ content }) => content)).toEqual(['b', 'a'])
  }))

test('without a host: the repository is the limit upwards', () =>
  inFolder({
    'AGENTS.md': 'beyond',
    'repo/.git/HEAD': '',
    'repo/AGENTS.md': 'top',
    'repo/in/AGENTS.md': 'in',
  }, async (folder) => {
    const { data } = await discover(join(folder, 'repo/in'))
    expect(data!.map(({ content }) => content)).toEqual(['in', 'top'])
  }))

test('what the host says goes before opencode.json', () =>
  inFolder({ 'opencode.json': '{"instructions": ["a.md"]}', 'a.md': 'a', 'b.md': 'b' }, async (folder) => {
    const { data } = await discover(folder, { worktree: folder, instructions: ['b.md'] })
    expect(data!.map(({ content }) => content)).toEqual(['b'])
  }))

test('files are read by path, each with its text or its error, in the order given', () =>
  inFolder({ 'a.md': 'a' }, async (folder) => {
    const read = await readFilePaths(folder, ['missing.md', 'a.md', join(folder, 'a.md'), '.'])
    expect(read.map(({ path, content, error }) => [path, content, error])).toEqual([
      [join(folder, 'missing.md'), '', 'no such file'],
      [join(folder, 'a.md'), 'a', undefined],
      [join(folder, 'a.md'), 'a', undefined],
      [folder, '', 'it is a folder, not a file'],
    ])
  }))

test('a file that cannot be read is one file by two names, too', () =>
  inFolder({ 'AGENTS.md': '' }, async (folder) => {
    writeFileSync(join(folder, 'AGENTS.md'), Uint8Array.of(0xff))
    symlinkSync('AGENTS.md', join(folder, 'link.md'))
    const { data } = await discover(folder, { worktree: folder, instructions: ['link.md'] })
    expect(data!.map(({ path }) => path)).toEqual([join(folder, 'AGENTS.md')])
  }))

test('without a host: an opencode.json that never ends is no config', () =>
  inFolder({}, async (folder) => {
    symlinkSync('/dev/zero', join(folder, 'opencode.json'))
    expect((await discover(folder)).error).toStartWith(
      `Could not read ${folder}/opencode.json: it is a device`,
    )
  }))

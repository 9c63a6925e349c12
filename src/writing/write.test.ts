import { beforeEach, expect, test } from 'bun:test'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { ok } from '../safe.ts'
import { fingerprintOf, MAX_BYTES } from '../text/read.ts'
import { ShownFiles } from './shown-files.ts'
import { changeText, unguardedWriteContext, type WriteContext, writeFile } from './write.ts'

const scratch = scratchFolder()
let [folder, path, state] = ['', '', '']

beforeEach(() => {
  folder = fs.mkdtempSync(join(scratch, 'write-'))
  path = join(folder, 'rules.md')
  state = join(folder, 'state')
  fs.writeFileSync(path, 'old\n')
})

const textNow = (): string => fs.readFileSync(path, 'utf8')

/** Creates the context of a session that was shown the file's present text. */
const contextNow = (): WriteContext => {
  const shown = new ShownFiles()
  shown.record(path, fingerprintOf(fs.readFileSync(path)))
  return { ...unguardedWriteContext(path), discovered: shown, shownAtStart: shown, state }
}

const rewrite = (writeContext: WriteContext, text = 'new\n') =>
  writeFile(writeContext, { kind: 'rewrite', path, toBytes: changeText(() => ok(text)) })

const add = (writeContext: WriteContext, text: string) =>
  writeFile(writeContext, { kind: 'addition', path, toBytes: changeText((old) => ok(old + text)) })

test('a link that took the place of a shown file counts as not shown', async () => {
  const writeContext = contextNow()
  fs.writeFileSync(join(folder, 'other.md'), 'not shown\n')
  fs.rmSync(path)
  fs.symlinkSync('other.md', path)
  for (const write of [rewrite, add]) {
    expect((await write(writeContext, 'new\n')).error).toContain('discover-rules has not shown it')
  }
  expect(textNow()).toBe('not shown\n')
})

const typeMeanwhile = () => fs.writeFileSync(path, 'typed meanwhile\n')

test('a file that changes while SAT waits for permission is not rewritten', async () => {
  const writeContext = contextNow()
  writeContext.permissions.askToEdit = async () => (typeMeanwhile(), ok(null))
  expect((await rewrite(writeContext)).error).toContain('while SAT waited for permission')
  expect(textNow()).toBe('typed meanwhile\n')
})

test('if a file changes between the last read and the write, SAT adds nothing', async () => {
  let calls = 0
  // `writeFile` reads the file before and after it asks for permission, and calls `toBytes` after each read.
  const toBytes = async () => {
    calls++
    if (calls === 2) typeMeanwhile()
    return ok(Buffer.from('new\n'))
  }
  const { error } = await writeFile(contextNow(), { kind: 'addition', path, toBytes })
  expect([calls, error]).toEqual([2, expect.stringContaining('it changed while')])
  expect(textNow()).toBe('typed meanwhile\n')
})

test('a missing file is restored with the mode 600, and an existing file keeps its mode', async () => {
  const restore = (text: string) =>
    writeFile(writeContext, { kind: 'restore', path, toBytes: async () => ok(Buffer.from(text)) })
  const modeNow = () => fs.statSync(path).mode & 0o777
  const writeContext = contextNow()
  fs.chmodSync(path, 0o644)
  await restore('one\n')
  expect([textNow(), modeNow()]).toEqual(['one\n', 0o644])
  fs.rmSync(path)
  await restore('two\n')
  expect([textNow(), modeNow()]).toEqual(['two\n', 0o600])
})

test.each<[why: string, prepare: () => unknown, refusal: RegExp, newText?: string]>([
  ['a second hard link', () => fs.linkSync(path, `${path}.md`), /^refused: .*2 hard links/],
  ['its read-only mark', () => fs.chmodSync(path, 0o444), /^refused: it is marked read-only$/],
  [
    'a file in place of the state folder',
    () => fs.writeFileSync(state, ''),
    /^writeError: .*no lock file.*\/state:/,
  ],
  ['a text beyond 10 MB', () => {}, /^refused: it would have 10000001 bytes/, 'x'.repeat(MAX_BYTES + 1)],
])('a file is left alone because of %s', async (_, prepare, refusal, newText = 'new') => {
  prepare()
  const { status, error } = await rewrite(contextNow(), newText)
  expect(`${status}: ${error}`).toMatch(refusal)
  expect(textNow()).toBe('old\n')
})

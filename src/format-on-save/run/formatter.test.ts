import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KeyedLock } from '../../files/lock.ts'
import type { FileChange } from './changed-files.ts'
import { readCommands } from './choose-command.ts'
import { Formatter } from './formatter.ts'

const directory = mkdtempSync(join(tmpdir(), 'sat-formatter-'))
process.env['XDG_STATE_HOME'] = join(directory, 'state')
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const start = (command: string, limit = 10_000, ok?: Array<number>) => {
  const logged: Array<Record<string, unknown>> = []
  const others: Array<FileChange> = []
  const toasts: Array<string> = []
  const files = new KeyedLock()
  const formatter = new Formatter({
    directory,
    toast: (key) => void toasts.push(key),
    log: (_level, _message, extra) => void logged.push(extra ?? {}),
    files,
    formatters: new KeyedLock(),
    limit,
  })
  const commandOf = readCommands({ '**': ok ? { command, ok } : command }, { directory, worktree: '/' })
  const format = (name: string, raw: string) => {
    const path = join(directory, name)
    writeFileSync(path, raw)
    return formatter.format({
      path,
      commands: [commandOf(path)!],
      known: () => ['x', 'other', 'same', 'gone'].map((one) => join(directory, one)),
      onOthers: (changes) => others.push(...changes),
    })
  }
  const read = (name: string) => readFileSync(join(directory, name), 'utf8')
  return { files, format, read, logged, others, toasts }
}

const OVERLAP = 'test -e lock && echo overlap >> runs; : > lock; echo run >> runs; sleep 0.1; rm lock'

test('formatters of one file do not overlap, and one run serves the calls that wait for it', async () => {
  const { format, read } = start(`${OVERLAP}; sed -i 's/=/ = /' {path}`)
  const outcomes = await Promise.all([
    format('x', 'a=1\nb=2\n'),
    format('x', 'a=1\nb=2\n'),
    format('x', 'a=1\nb=2\n'),
  ])
  expect(read('runs')).toBe('run\n')
  const outcome = { before: 'a=1\nb=2\n', after: 'a = 1\nb = 2\n' }
  expect(outcomes).toEqual([outcome, outcome, outcome])
})

test('whole-project commands run alone', async () => {
  rmSync(join(directory, 'runs'), { force: true })
  const { format, read } = start(OVERLAP)
  await Promise.all([format('x', 'a'), format('y', 'b')])
  await Promise.all([format('x', 'a'), format('z', 'c')])
  expect(read('runs')).toBe('run\nrun\n')
})

test.each([
  ['fails', 'echo no > {path}; exit 1', 'status 1'],
  ['hangs', 'echo no > {path}; sleep 20', 'timed out after 0.3 s'],
  ['empties', ': > {path}', expect.stringContaining('emptied')],
  ['leaves blanks', 'printf " \\n" > {path}', expect.stringContaining('emptied')],
  ['removes', 'rm {path}', expect.stringContaining('removed')],
  ['leaves no text', "printf '\\377' > {path}", expect.stringContaining('no text')],
])('a formatter that %s leaves the file as it was and is logged once', async (_, command, status) => {
  const { format, read, logged } = start(command, 300)
  expect(await format('x', '\uFEFFmine\r\n')).toBeNull()
  expect(read('x')).toBe('\uFEFFmine\r\n')
  expect(logged).toHaveLength(1)
  expect(logged[0]).toMatchObject({ command, file: join(directory, 'x'), status, output: '' })
})

test('a formatter that fails leaves the mode as it was; what cannot be put back is logged, not thrown', async () => {
  const { format, read, logged } = start('echo no > {path}; chmod 400 {path}; exit 1')
  expect(await format('x', 'mine\n')).toBeNull()
  expect(read('x')).toBe('mine\n')
  expect(statSync(join(directory, 'x')).mode & 0o200).toBe(0o200)
  expect(logged).toHaveLength(1)

  const folder = start('rm {path}; mkdir {path}')
  expect(await folder.format('y', 'mine\n')).toBeNull()
  expect(folder.logged).toEqual([
    expect.objectContaining({ lost: [`${join(directory, 'y')}: it is a folder, not a file`] }),
  ])
})

const PERSON = 'what a person saved meanwhile\n'

const saveInPlace = (path: string) => writeFileSync(path, PERSON)
const saveByRename = (path: string) => {
  writeFileSync(`${path}.new`, PERSON)
  renameSync(`${path}.new`, path)
}

// Each formatter stands still for 300 ms, in the middle of which the person saves.
test.each<[string, string, string]>([
  ['fails and wrote nothing', 'sleep 0.3; exit 1', PERSON],
  ['prints and fails', 'echo out; sleep 0.3; echo err >&2; exit 1', PERSON],
  ['wrote before', 'echo spoilt > {path}; sleep 0.3; exit 1', PERSON],
  ['wrote twice before', 'echo spoilt > {path}; echo more >> {path}; sleep 0.3; exit 1', PERSON],
  [
    'renamed before',
    'echo spoilt > {path}.tmp; mv {path}.tmp {path}; sleep 0.3; exit 1',
    PERSON,
  ],
  ['empties it after', 'sleep 0.3; : > {path}; exit 1', PERSON],
  ['empties it after and says that all is well', 'sleep 0.3; : > {path}', PERSON],
  ['removes it after', 'sleep 0.3; rm {path}', PERSON],
  ['hangs', 'sleep 20', PERSON],
  ['hangs and had emptied it', ': > {path}; sleep 20', PERSON],
])('a person who saves while a formatter runs that %s keeps the text', async (_, command, expected) => {
  await Promise.all([saveInPlace, saveByRename].map(async (save) => {
    const { format, read, logged } = start(command, 400)
    const formatting = format(save.name, "a text of the agent that is longer than the person's\n")
    await Bun.sleep(150)
    save(join(directory, save.name))
    await formatting
    expect(read(save.name)).toBe(expected)
    expect(logged).toHaveLength(1)
  }))
})

test('a person who saved before the formatter wrote is told of, and nothing is taken back', async () => {
  const { format, read, logged } = start('sleep 0.3; echo spoilt > {path}; exit 1')
  const formatting = format('x', 'mine\n')
  await Bun.sleep(150)
  saveInPlace(join(directory, 'x'))
  expect(await formatting).toMatchObject({ before: 'mine\n', after: 'spoilt\n' })
  expect(read('x')).toBe('spoilt\n')
  expect(logged).toEqual([expect.objectContaining({ changed: [join(directory, 'x')] })])
})

test.each([
  ['appends', 'echo a >> {path}; sleep 0.1; echo b >> {path}; exit 1'],
  ['writes twice', 'echo a > {path}; sleep 0.1; echo bb > {path}; exit 1'],
  ['renames', 'echo a > {path}.tmp; mv {path}.tmp {path}; exit 1'],
  ['writes and hangs', 'echo a > {path}; trap "" TERM; sleep 20'],
])('what a formatter alone did that %s is taken back, and kept', async (_, command) => {
  const { format, read, logged } = start(command, 300)
  expect(await format('x', 'mine\n')).toBeNull()
  expect(read('x')).toBe('mine\n')
  const [{ backups } = {}] = logged
  expect(readFileSync(String(backups), 'utf8')).not.toBe('mine\n')
})

test('what a formatter that failed left behind writes no more', async () => {
  const { format, read } = start('(sleep 0.4; echo late > {path}) & exit 1')
  expect(await format('x', 'mine\n')).toBeNull()
  await Bun.sleep(600)
  expect(read('x')).toBe('mine\n')
})

test('an exit that the command names is none that failed', async () => {
  const { format, read, logged } = start('echo fixed > {path}; exit 1', 10_000, [0, 1])
  expect(await format('x', 'mine\n')).toMatchObject({ after: 'fixed\n' })
  expect(read('x')).toBe('fixed\n')
  expect(logged).toEqual([])
})

test('what a whole-project command changed of other files that are known is told, also where it failed', async () => {
  for (const name of ['other', 'same']) writeFileSync(join(directory, name), `${name}=1\n`)
  const { format, others } = start("sed -i 's/=/ = /' x other; exit 1")
  await format('x', 'x=1\n')
  expect(others).toEqual([{ path: join(directory, 'other'), before: 'other=1\n', after: 'other = 1\n' }])
})

test('a command that is not there, fails or hangs is told on the screen', async () => {
  for (const command of ['no-such-formatter {path}', 'exit 1', 'sleep 9; true']) {
    const { format, toasts } = start(command, 500)
    await format('x', 'mine\n')
    expect(toasts).toEqual([command])
  }
})

import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { KeyedLock } from '../../writing/lock.ts'
import type { FileChange } from './changed-files.ts'
import { readCommands } from './choose-command.ts'
import { FormatQueue } from './format-queue.ts'

const scratch = mkdtempSync(join(tmpdir(), 'sat-formatter-'))
process.env['XDG_STATE_HOME'] = join(scratch, 'state')
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

// The formatters wait more than they work, so the tests run side by side, each in a folder of its own. A formatter that
// is to run into its limit has time enough to begin on a busy machine.
const HANGS_MS = 3_000
setDefaultTimeout(30_000)

const start = (command: string, limit = 20_000, ok?: Array<number>) => {
  const directory = mkdtempSync(join(scratch, 'project-'))
  const logged: Array<Record<string, unknown>> = []
  const others: Array<FileChange> = []
  const toasts: Array<string> = []
  const files = new KeyedLock()
  const formatter = new FormatQueue({
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
  const path = (name: string) => join(directory, name)
  return { files, format, read, path, logged, others, toasts }
}

const isThere = async (path: string): Promise<void> => {
  while (!existsSync(path)) await Bun.sleep(10)
}

const OVERLAP = 'test -e lock && echo overlap >> runs; : > lock; echo run >> runs; sleep 0.1; rm lock'

test.concurrent('formatters of one file do not overlap, and one run serves the calls that wait for it', async () => {
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

test.concurrent('whole-project commands run alone', async () => {
  const { format, read } = start(OVERLAP)
  await Promise.all([format('x', 'a'), format('y', 'b')])
  await Promise.all([format('x', 'a'), format('z', 'c')])
  expect(read('runs')).toBe('run\nrun\n')
})

test.concurrent.each([
  ['fails', 'echo no > {path}; exit 1', 'status 1'],
  ['hangs', 'echo no > {path}; sleep 60', `timed out after ${HANGS_MS / 1_000} s`],
  ['empties', ': > {path}', expect.stringContaining('emptied')],
  ['leaves blanks', 'printf " \\n" > {path}', expect.stringContaining('emptied')],
  ['removes', 'rm {path}', expect.stringContaining('removed')],
  ['leaves no text', "printf '\\377' > {path}", expect.stringContaining('no text')],
])('a formatter that %s leaves the file as it was and is logged once', async (_, command, status) => {
  const { format, read, path, logged } = start(command, command.includes('sleep 60') ? HANGS_MS : undefined)
  expect(await format('x', '\uFEFFmine\r\n')).toBeNull()
  expect(read('x')).toBe('\uFEFFmine\r\n')
  expect(logged).toHaveLength(1)
  expect(logged[0]).toMatchObject({ command, file: path('x'), status, output: '' })
})

test.concurrent('a formatter that fails leaves the mode as it was; what cannot be put back is logged, not thrown', async () => {
  const { format, read, path, logged } = start('echo no > {path}; chmod 400 {path}; exit 1')
  expect(await format('x', 'mine\n')).toBeNull()
  expect(read('x')).toBe('mine\n')
  expect(statSync(path('x')).mode & 0o200).toBe(0o200)
  expect(logged).toHaveLength(1)

  const folder = start('rm {path}; mkdir {path}')
  expect(await folder.format('y', 'mine\n')).toBeNull()
  expect(folder.logged).toEqual([
    expect.objectContaining({ lost: [`${folder.path('y')}: it is a folder, not a file`] }),
  ])
})

const PERSON = 'what a person saved meanwhile\n'

// Where the person saves: the formatter says that it has come to it, and goes on when that is done.
const SAVES = ': > $FILE.reached; until test -e $FILE.saved; do sleep 0.1; done'

const saveInPlace = (path: string) => writeFileSync(path, PERSON)
const saveByRename = (path: string) => {
  writeFileSync(`${path}.new`, PERSON)
  renameSync(`${path}.new`, path)
}

/** Waits as long as many looks at a file take, one each 25 ms, however busy the machine is. */
const waitForLooks = async (): Promise<void> => {
  for (let looks = 0; looks < 20; looks++) {
    await Bun.sleep(25)
    await stat(scratch)
  }
}

/** Has the person save when the formatter has come to it, and both be seen apart. */
const saveMeanwhile = async (path: string, save: (path: string) => void): Promise<void> => {
  await isThere(`${path}.reached`)
  await waitForLooks()
  save(path)
  await waitForLooks()
  writeFileSync(`${path}.saved`, '')
}

// In the middle of each formatter's work the person saves.
test.concurrent.each<[string, string, string]>([
  ['fails and wrote nothing', `${SAVES}; exit 1`, PERSON],
  ['prints and fails', `echo out; ${SAVES}; echo err >&2; exit 1`, PERSON],
  ['wrote before', `echo spoilt > {path}; ${SAVES}; exit 1`, PERSON],
  ['wrote twice before', `echo spoilt > {path}; echo more >> {path}; ${SAVES}; exit 1`, PERSON],
  [
    'renamed before',
    `echo spoilt > {path}.tmp; mv {path}.tmp {path}; ${SAVES}; exit 1`,
    PERSON,
  ],
  ['empties it after', `${SAVES}; : > {path}; exit 1`, PERSON],
  ['empties it after and says that all is well', `${SAVES}; : > {path}`, PERSON],
  ['removes it after', `${SAVES}; rm {path}`, PERSON],
  ['hangs', `${SAVES}; sleep 60`, PERSON],
  ['hangs and had emptied it', `: > {path}; ${SAVES}; sleep 60`, PERSON],
])('a person who saves while a formatter runs that %s keeps the text', async (_, command, expected) => {
  await Promise.all([saveInPlace, saveByRename].map(async (save) => {
    const { format, read, path, logged } = start(command, command.includes('sleep 60') ? HANGS_MS : undefined)
    const formatting = format('x', "a text of the agent that is longer than the person's\n")
    await saveMeanwhile(path('x'), save)
    await formatting
    expect(read('x')).toBe(expected)
    expect(logged).toHaveLength(1)
  }))
})

test.concurrent.each([
  ['fails', '; exit 1'],
  ['ends well', ''],
])('what a person saved and a formatter wrote over is kept, whether it %s', async (_, end) => {
  const { format, read, path, logged } = start(`${SAVES}; echo spoilt > {path}${end}`)
  const formatting = format('x', 'mine\n')
  await saveMeanwhile(path('x'), saveInPlace)
  expect(await formatting).toMatchObject({ before: 'mine\n', after: 'spoilt\n' })
  expect(read('x')).toBe('spoilt\n')
  expect(logged).toEqual([
    expect.objectContaining({ file: path('x'), ...(end === '' ? {} : { changed: [path('x')] }) }),
  ])
  expect(readFileSync(String(logged[0]!['backups']), 'utf8')).toBe(PERSON)
})

test.concurrent('what a formatter alone did in several steps is no save of a person', async () => {
  const { format, logged } = start(
    'echo a > {path}; sleep 0.1; echo bb > {path}; sleep 0.1; echo c >> {path}',
  )
  expect(await format('x', 'mine\n')).toMatchObject({ after: 'bb\nc\n' })
  expect(logged).toEqual([])
})

test.concurrent.each([
  ['appends', 'echo a >> {path}; sleep 0.1; echo b >> {path}; exit 1'],
  ['writes twice', 'echo a > {path}; sleep 0.1; echo bb > {path}; exit 1'],
  ['renames', 'echo a > {path}.tmp; mv {path}.tmp {path}; exit 1'],
  ['writes and hangs', 'echo a > {path}; trap "" TERM; sleep 60'],
])('what a formatter alone did that %s is taken back, and kept', async (_, command) => {
  const { format, read, logged } = start(command, command.includes('sleep 60') ? HANGS_MS : undefined)
  expect(await format('x', 'mine\n')).toBeNull()
  expect(read('x')).toBe('mine\n')
  const [{ backups } = {}] = logged
  expect(readFileSync(String(backups), 'utf8')).not.toBe('mine\n')
})

test.concurrent('what a formatter that failed left behind writes no more', async () => {
  const { format, read } = start('(sleep 0.4; echo late > {path}) & exit 1')
  expect(await format('x', 'mine\n')).toBeNull()
  await Bun.sleep(600)
  expect(read('x')).toBe('mine\n')
})

test.concurrent('an exit that the command names is none that failed', async () => {
  const { format, read, logged } = start('echo fixed > {path}; exit 1', 10_000, [0, 1])
  expect(await format('x', 'mine\n')).toMatchObject({ after: 'fixed\n' })
  expect(read('x')).toBe('fixed\n')
  expect(logged).toEqual([])
})

test.concurrent('what a whole-project command changed of other files that are known is told, also where it failed', async () => {
  const { format, path, others } = start("sed -i 's/=/ = /' x other; exit 1")
  for (const name of ['other', 'same']) writeFileSync(path(name), `${name}=1\n`)
  await format('x', 'x=1\n')
  expect(others).toEqual([{ path: path('other'), before: 'other=1\n', after: 'other = 1\n' }])
})

test.concurrent('a command that is not there, fails or hangs is told on the screen', async () => {
  await Promise.all(['no-such-formatter {path}', 'exit 1', 'sleep 60; true'].map(async (command) => {
    const { format, toasts } = start(command, HANGS_MS)
    await format('x', 'mine\n')
    expect(toasts).toEqual([command])
  }))
})

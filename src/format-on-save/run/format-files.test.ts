import { expect, setDefaultTimeout, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { canMount, withDisk } from '../../../test/harness/mounts.ts'
import { scratchWithState, writeFileAt } from '../../../test/harness/scratch.ts'
import type { FormatOnSaveOption } from '../../host/options.ts'
import { safe } from '../../safe.ts'
import { PresentFiles } from '../../steps/saved-file.ts'
import { listBackups } from '../../writing/backup.ts'
import { FormatFiles } from './format-files.ts'

const scratch = scratchWithState()

// Long enough for a formatter to start on a busy machine.
const HANGS_MS = 1_500
setDefaultTimeout(30_000)

const AGENT_TEXT = 'a text of the agent\n'
const PERSON_TEXT = 'what a person saved meanwhile\n'

const start = (command: string, option: FormatOnSaveOption = { '**': command }) => {
  const directory = mkdtempSync(join(scratch, 'project-'))
  const logged: Array<Record<string, unknown>> = []
  const toasts: Array<string> = []
  const formatter = new FormatFiles({
    workspace: { directory, worktree: directory },
    option,
    hostFormatter: undefined,
    presentFiles: new PresentFiles(),
    log: (_level, message, extra) => void logged.push({ message, ...extra }),
    toast: (key) => void toasts.push(key),
    limit: command.includes('sleep 60') ? HANGS_MS : 20_000,
  })
  const path = (name: string) => join(directory, name)
  const format = async (texts: Record<string, string>, others: Array<string> = []) => {
    for (const [name, text] of Object.entries(texts)) writeFileSync(path(name), text)
    return formatter.format('session', Object.keys(texts).map(path), others.map(path))
  }
  return { formatter, format, path, read: (name: string) => readFileSync(path(name), 'utf8'), logged, toasts }
}

const waitForFile = async (path: string): Promise<void> => {
  while (!existsSync(path)) await Bun.sleep(10)
}

test.concurrent('a link stays a link, and its target is formatted', async () => {
  const { format, path, read } = start(`sed -i 's/=/ = /' {path}`)
  symlinkSync('real', path('link'))
  await format({ link: 'a=1\n' })
  expect(read('real')).toBe('a = 1\n')
  expect(lstatSync(path('link')).isSymbolicLink()).toBe(true)
})

const LOG_OVERLAP = 'test -e lock && echo overlap >> runs; : > lock; echo run >> runs; sleep 0.1; rm lock'

test.concurrent('formatters of one file do not overlap', async () => {
  const { format, read } = start(`${LOG_OVERLAP}; sed -i 's/ *= */ = /' {path}`)
  await Promise.all([format({ x: 'a=1\n' }), format({ x: 'a=1\n' })])
  expect(read('runs')).toBe('run\nrun\n')
  expect(read('x')).toBe('a = 1\n')
})

test.concurrent('a whole-project command runs once for all files, and other changed files are listed', async () => {
  const { format, path, read } = start(`${LOG_OVERLAP}; sed -i 's/=/ = /' x y other`)
  writeFileSync(path('other'), 'o=1\n')
  writeFileSync(path('same'), 'same\n')
  const [{ changedOthers }] = await Promise.all([
    format({ x: 'a=1\n', y: 'b=1\n' }, ['other', 'same', 'gone']),
    format({ z: 'c=1\n' }),
  ])
  expect(read('runs')).toBe('run\nrun\n')
  expect(changedOthers).toEqual([path('other')])
})

test.concurrent('a whole-project command runs once for each list of accepted exit codes (`ok`)', async () => {
  const command = 'echo run >> runs; exit 1'
  const option = { '*.b': command, '*.{a,c}': { command, ok: [0, 1] }, '*.d': { command, ok: [0, 1] } }
  const { format, path, read } = start(command, option)
  const { failures } = await format({ 'x.a': 'a', 'x.b': 'b', 'x.c': 'c', 'x.d': 'd' })
  expect(failures.map((failure) => failure.path)).toEqual([path('x.b')])
  expect(read('runs')).toBe('run\nrun\n')
})

const FAILED = 'failed (status 1)'
const KILLED = 'was ended by SIGKILL'
const TIMED_OUT = `timed out after ${HANGS_MS / 1_000} s`

const REMOVED =
  'removed the file, or replaced it with a link, a file that is not text, or a file of more than 10 MB'

test.concurrent.each<[what: string, command: string, status: string, after: string, backup: string | null]>([
  ['fails and writes nothing', 'exit 1', FAILED, AGENT_TEXT, null],
  ['fails and leaves another text', 'echo other > {path}; exit 1', FAILED, 'other\n', AGENT_TEXT],
  ['fails and truncates the file', 'printf "a text" > {path}; exit 1', FAILED, AGENT_TEXT, 'a text'],
  ['hangs', 'echo no > {path}; sleep 60', TIMED_OUT, AGENT_TEXT, 'no\n'],
  ['is killed', 'echo no > {path}; kill -9 $$', KILLED, AGENT_TEXT, 'no\n'],
  ['is killed, but not its shell', "echo no > {path}; sh -c 'kill -9 $$' && :", KILLED, AGENT_TEXT, 'no\n'],
  ['fails with a high status', 'echo other > {path}; exit 255', 'failed (status 255)', 'other\n', AGENT_TEXT],
  ['leaves only whitespace', 'printf " \\n" > {path}', 'emptied the file', AGENT_TEXT, null],
  ['removes the file', 'rm {path}', REMOVED, AGENT_TEXT, null],
  ['leaves bytes that are not text', "printf '\\377' > {path}", REMOVED, AGENT_TEXT, null],
  ['does not exist', 'no-such-formatter {path}', 'was not found', AGENT_TEXT, null],
])(
  "if a formatter %s, the agent's text is in the file or backed up",
  async (_, command, status, textAfter, backupText) => {
    const { format, read, path, logged, toasts } = start(command)
    const { failures } = await format({ x: AGENT_TEXT })
    expect(read('x')).toBe(textAfter)
    expect(failures).toMatchObject([{ path: path('x'), command, status }])
    expect(logged).toEqual([expect.objectContaining({ command, file: path('x'), status })])
    expect(toasts).toEqual([command])
    const { backup } = logged[0]!
    expect(backup ? readFileSync(String(backup), 'utf8') : null).toBe(backupText)
  },
)

test.concurrent.each<[what: string, end: string, textAfter: string, backup: string, state: string]>([
  ['fails', '; exit 1', PERSON_TEXT, AGENT_TEXT, 'somebody else may have changed'],
  // SAT cannot tell who wrote the new text, so it restores the agent's text and backs up the new one.
  ['hangs', '; sleep 60', AGENT_TEXT, PERSON_TEXT, 'the file has the text from before the formatter ran'],
])(
  "if a formatter %s after a person saved the file, the agent's and the person's texts are kept",
  async (_, end, textAfter, backup, state) => {
    const waitForSave = ': > $FILE.reached; until test -e $FILE.saved; do sleep 0.05; done'
    const { format, read, path, logged } = start(`${waitForSave}${end}`)
    const formatting = format({ x: AGENT_TEXT })
    await waitForFile(path('x.reached'))
    writeFileSync(path('x'), PERSON_TEXT)
    writeFileSync(path('x.saved'), '')
    await formatting
    expect(read('x')).toBe(textAfter)
    expect(logged[0]!['message']).toContain(state)
    expect(readFileSync(String(logged[0]!['backup']), 'utf8')).toBe(backup)
  },
)

test.concurrent('the mode of a file is restored after each run of its formatter', async () => {
  const { formatter, format, path } = start('chmod 4777 {path}')
  writeFileSync(path('x'), '')
  chmodSync(path('x'), 0o755)
  await format({ x: AGENT_TEXT })
  await formatter.format('session', [path('x')], [])
  expect(statSync(path('x')).mode & 0o7777).toBe(0o755)
})

test.concurrent('a file that is restored in place keeps its hard links and is writable again', async () => {
  const { format, read, path } = start('printf a > {path}; chmod 400 {path}; kill -9 $$')
  writeFileSync(path('x'), '')
  linkSync(path('x'), path('linked'))
  await format({ x: '\uFEFFa b\r\n' })
  expect([read('x'), read('linked')]).toEqual(['\uFEFFa b\r\n', '\uFEFFa b\r\n'])
  expect(statSync(path('x')).mode & 0o200).toBe(0o200)
})

test.concurrent('a folder that replaced the file keeps its mode, and the log mentions the folder', async () => {
  const { format, logged, path } = start('rm {path}; mkdir {path}')
  await format({ x: AGENT_TEXT })
  expect(logged).toMatchObject([{ lost: 'it is a folder, not a file' }])
  expect(statSync(path('x')).mode & 0o100).toBe(0o100)
})

const REPLACEMENTS: Array<[what: string, command: string]> = [
  ['a link to another text', 'ln -sf $O/text {path}'],
  ['a link to the same text', 'cp {path} $O/same; ln -sf $O/same {path}'],
  ['a link that leads nowhere', 'ln -sf $O/nothing {path}'],
  ['a link to an endless device', 'ln -sf /dev/zero {path}'],
  ['a hard link', 'ln -f $O/text {path}'],
  ['a pipe', 'rm {path}; mkfifo {path}'],
  ['a new, empty file', 'cp {path} y; : > y; mv y {path}'],
]

test.concurrent.each(
  ['exit 0', 'kill -9 $$'].flatMap((end) => REPLACEMENTS.map(([what, command]) => [what, end, command])),
)(
  'a file replaced with %s gets its text and mode back, and no other file changes (`%s`)',
  async (_, end, command) => {
    const outside = mkdtempSync(join(scratch, 'outside-'))
    const text = join(outside, 'text')
    writeFileSync(text, PERSON_TEXT, { mode: 0o640 })
    const { format, path, read } = start(`O=${outside}; ${command}; ${end}`)
    writeFileSync(path('x'), '', { mode: 0o600 })
    const { failures } = await format({ x: AGENT_TEXT })
    expect(failures).toHaveLength(1)
    expect([lstatSync(path('x')).mode.toString(8), read('x')]).toEqual(['100600', AGENT_TEXT])
    expect([statSync(text).mode & 0o777, readFileSync(text, 'utf8')]).toEqual([0o640, PERSON_TEXT])
    expect(existsSync(join(outside, 'nothing'))).toBe(false)
  },
)

test.concurrent("if a link replaced the file's folder, the text is backed up, not written", async () => {
  const outside = mkdtempSync(join(scratch, 'outside-'))
  writeFileSync(join(outside, 'x'), '')
  const { format, path, logged } = start(`mv src old; ln -s ${outside} src; kill -9 $$`)
  mkdirSync(path('src'))
  await format({ 'src/x': AGENT_TEXT })
  expect(logged).toMatchObject([{ lost: 'its folder was replaced with a link' }])
  expect(readFileSync(String(logged[0]!['backup']), 'utf8')).toBe(AGENT_TEXT)
  expect(readFileSync(join(outside, 'x'), 'utf8')).toBe('')
})

test.concurrent('the log entry of a failure advises adding {path}, unless the command has worked before', async () => {
  const { formatter, format, logged, path } = start('sh format.sh')
  for (const script of ['exit 1', 'exit 1', '', 'exit 1']) {
    writeFileSync(path('format.sh'), script)
    await format({ x: 'a' })
  }
  expect([...formatter.recovered]).toEqual(['sh format.sh'])
  const hasAdvice = logged.map(({ message }) => String(message).includes('put {path} there'))
  expect(hasAdvice).toEqual([true, true, false])
})

test.concurrent('a process that a failed formatter leaves running cannot write to the file', async () => {
  const { format, read } = start('(sleep 0.4; echo late > {path}) & exit 1')
  await format({ x: AGENT_TEXT })
  await Bun.sleep(600)
  expect(read('x')).toBe(AGENT_TEXT)
})

test.concurrent("programs are found in `node_modules/.bin` of the file's folder or a folder above it", async () => {
  const { format, path, read } = start('own')
  writeFileAt(path('package/node_modules/.bin/own'), '#!/bin/sh\necho own > "$1"\n')
  chmodSync(path('package/node_modules/.bin/own'), 0o755)
  expect((await format({ 'x.js': AGENT_TEXT })).failures).toMatchObject([{ kind: 'missing' }])
  await format({ 'package/x.js': AGENT_TEXT })
  expect(read('package/x.js')).toBe('own\n')
})

test.concurrent.each(['x.js', 'link.js'])(
  'a formatter of %s waits for a running call on x.js',
  async (name) => {
    const { formatter, format, path, read } = start(`cat {path} | sed 's/=/ = /' > copy; cat copy > {path}`)
    symlinkSync('x.js', path('link.js'))
    const end = await formatter.startCall([path('x.js')])
    const formatting = format({ [name]: 'a=1\n' })
    await Bun.sleep(300)
    writeFileSync(path('x.js'), 'b=1\n')
    end()
    await formatting
    expect(read('x.js')).toBe('b = 1\n')
  },
)

test.concurrent('a file that the person undoes while its formatter runs stays undone', async () => {
  const { formatter, format, path, read } = start(': > reached; sleep 15; echo formatted > {path}')
  const formatting = format({ x: AGENT_TEXT, gone: AGENT_TEXT })
  await waitForFile(path('reached'))
  writeFileSync(path('x'), 'as before the call\n')
  rmSync(path('gone'))
  await formatter.undo('session')
  await formatting
  expect(read('x')).toBe('as before the call\n')
  expect(existsSync(path('gone'))).toBe(false)
  // If the undo did not stop the formatter (15 s), this test would exceed its limit.
}, 10_000)

const WAIT_TO_END = 'echo run >> runs; : > reached; until test -e end; do sleep 0.05; done'

test.concurrent('an undo ends the waiting formatters of its own session only', async () => {
  const command = `cp {path} kept; : > {path}; ${WAIT_TO_END}; mv kept {path}`
  const { formatter, format, path, read } = start(command)
  const formatting = format({ x: AGENT_TEXT })
  await waitForFile(path('reached'))
  const waiting = formatter.format('undone', [path('x')], [])
  await formatter.undo('undone')
  writeFileSync(path('end'), '')
  await Promise.all([formatting, waiting])
  expect([read('runs'), read('x')]).toEqual(['run\n', AGENT_TEXT])
})

test.concurrent('a text saved between an undo and the end of the formatter is backed up', async () => {
  const { formatter, format, path, read } = start(`trap '' TERM; ${WAIT_TO_END}`)
  const formatting = format({ x: AGENT_TEXT, gone: AGENT_TEXT })
  await waitForFile(path('reached'))
  writeFileSync(path('x'), 'as before the call\n')
  rmSync(path('gone'))
  const undoing = formatter.undo('session')
  await Bun.sleep(300)
  for (const name of ['x', 'gone']) writeFileSync(path(name), PERSON_TEXT)
  writeFileSync(path('end'), '')
  await Promise.all([formatting, undoing])
  expect(read('x')).toBe('as before the call\n')
  expect(existsSync(path('gone'))).toBe(false)
  for (const name of ['x', 'gone']) {
    const [backup] = await listBackups(join(scratch, 'state/opencode-sat/formatting'), path(name))
    expect(readFileSync(backup!, 'utf8')).toBe(PERSON_TEXT)
  }
})

const fillDisk = (file: string) =>
  safe(() => {
    for (;;) writeFileSync(file, Buffer.alloc(1_000), { flag: 'a' })
  })

// Serial: the other tests keep backups in the folder that this test fills.
test.skipIf(!canMount).serial(
  'a truncated file is restored even if its disk and the disk for backups are full',
  async () => {
    const command = 'head -c 20 {path} > cut; cat cut > {path}; cat /dev/zero > full; exit 1'
    const { format, path, read } = start(command)
    const long = `text=${'long '.repeat(230)}\n`
    const state = join(scratch, 'state', 'opencode-sat')
    mkdirSync(state, { recursive: true })
    await withDisk('16k', state, () =>
      withDisk('64k', path('.'), async () => {
        fillDisk(join(state, 'full'))
        const { failures } = await format({ x: long })
        expect(failures).toMatchObject([{ path: path('x'), status: 'failed (status 1)' }])
        expect([read('x'), read('cut')]).toEqual([long, long.slice(0, 20)])
        expect(existsSync(path('full'))).toBe(true)
      }))
  },
)

import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCommands } from './command.ts'
import { Formatter } from './formatter.ts'
import { Turns } from './turns.ts'

const directory = mkdtempSync(join(tmpdir(), 'sat-formatter-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const start = (command: string, limit = 10_000) => {
  const logged: Array<Record<string, unknown>> = []
  const files = new Turns()
  const formatter = new Formatter({
    directory,
    log: (_level, _message, extra) => void logged.push(extra ?? {}),
    files,
    formatters: new Turns(),
    limit,
  })
  const commandOf = readCommands({ '**': command }, directory)
  /** A file with `raw`, of which a call wrote `mine`. */
  const format = (name: string, raw: string, mine: string) => {
    const path = join(directory, name)
    writeFileSync(path, raw)
    const range = { start: raw.indexOf(mine), end: raw.indexOf(mine) + mine.length }
    return formatter.format({ path, commands: [commandOf(path)!], raw, ranges: [range] })
  }
  const read = (name: string) => readFileSync(join(directory, name), 'utf8')
  return { files, format, read, logged }
}

const OVERLAP = 'test -e lock && echo overlap >> runs; : > lock; echo run >> runs; sleep 0.1; rm lock'

test('formatters of one file do not overlap, and one run serves the calls that wait for it', async () => {
  const { format, read } = start(`${OVERLAP}; sed -i 's/=/ = /' {path}`)
  const outcomes = await Promise.all([
    format('x', 'a=1\nb=2\n', 'a=1'),
    format('x', 'a=1\nb=2\n', 'b=2'),
    format('x', 'a=1\nb=2\n', '2'),
  ])
  expect(read('runs')).toBe('run\n')
  expect(outcomes.map((outcome) => outcome?.pairs[0]?.to)).toEqual([
    { start: 0, end: 5 },
    { start: 6, end: 11 },
    { start: 10, end: 11 },
  ])
})

test('whole-project commands run alone', async () => {
  rmSync(join(directory, 'runs'), { force: true })
  const { format, read } = start(OVERLAP)
  await Promise.all([format('x', 'a', 'a'), format('y', 'b', 'b')])
  await Promise.all([format('x', 'a', 'a'), format('z', 'c', 'c')])
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
  expect(await format('x', '\uFEFFmine\r\n', 'mine')).toBeNull()
  expect(read('x')).toBe('\uFEFFmine\r\n')
  expect(logged).toEqual([{ command, file: join(directory, 'x'), status, output: '' }])
})

test('a formatter that fails leaves the mode as it was; what cannot be put back is logged, not thrown', async () => {
  const { format, read, logged } = start('echo no > {path}; chmod 400 {path}; exit 1')
  expect(await format('x', 'mine\n', 'mine')).toBeNull()
  expect(read('x')).toBe('mine\n')
  expect(statSync(join(directory, 'x')).mode & 0o200).toBe(0o200)
  expect(logged).toHaveLength(1)

  const folder = start('rm {path}; mkdir {path}')
  expect(await folder.format('y', 'mine\n', 'mine')).toBeNull()
  expect(folder.logged).toEqual([
    expect.objectContaining({ lost: [`${join(directory, 'y')}: it is a folder, not a file`] }),
  ])
})

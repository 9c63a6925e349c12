/** A system without `/proc` and `cp`, on which other programs hold files for a moment; `windows.test.ts` runs it. */
import { expect, mock, test } from 'bun:test'
import * as files from 'node:fs'
import * as disk from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// As they are before they are replaced.
const { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = { ...files }

const held = { rename: 0, rm: 0, writeFile: 0 }
const real = { ...disk }
const hold = (name: keyof typeof held, code: string) => {
  held[name] -= 1
  if (held[name] >= 0) throw Object.assign(new Error(code), { code })
}
const holding = (name: 'rm' | 'writeFile', code: string) => async (...given: Array<unknown>) => {
  hold(name, code)
  return (real[name] as (...given: Array<unknown>) => unknown)(...given)
}
const missing = () => {
  throw Object.assign(new Error('ENOENT'), { code: 'ENOENT' })
}
mock.module('node:fs/promises', () => ({
  ...real,
  rm: holding('rm', 'EBUSY'),
  writeFile: holding('writeFile', 'EPERM'),
}))
mock.module('node:fs', () => ({
  ...files,
  readFileSync: (path: string, encoding: 'utf8') =>
    path.startsWith('/proc/') ? missing() : readFileSync(path, encoding),
  rmSync: (path: string, options: object) => {
    hold('rm', 'EBUSY')
    rmSync(path, options)
  },
  renameSync: (from: string, to: string) => {
    hold('rename', 'EPERM')
    renameSync(from, to)
  },
}))
Object.defineProperty(process, 'platform', { value: 'win32' })
const { replaceFile } = await import('../../../src/writing/atomic-replace.ts')
const { acquireLockFile } = await import('../../../src/writing/lock-file.ts')

const folder = mkdtempSync(join(tmpdir(), 'sat-held-'))
const path = join(folder, 'rules.md')
const scratch = join(folder, 'scratch')

test('a file that is held is replaced a moment later, as a whole, and nothing is left', async () => {
  writeFileSync(path, 'old\n')
  const { ino } = statSync(path)
  Object.assign(held, { rename: 2, rm: 2 })
  expect(await replaceFile(path, Buffer.from('new\n'), { scratch, mayReplace: async () => true })).toBe(true)
  expect([readFileSync(path, 'utf8'), readdirSync(scratch), statSync(path).ino === ino]).toEqual([
    'new\n',
    [],
    false,
  ])
})

test('what a person saves meanwhile stays', async () => {
  Object.assign(held, { rename: 2, rm: 0 })
  const mayReplace = async () => held.rename === 2
  expect(await replaceFile(path, Buffer.from('newer\n'), { scratch, mayReplace })).toBe(false)
  expect(readFileSync(path, 'utf8')).toBe('new\n')
})

test('a lock is taken and released', async () => {
  Object.assign(held, { rename: 0, rm: 1, writeFile: 2 })
  const lock = await acquireLockFile(join(folder, 'lock'), new AbortController().signal)
  expect(await lock.isHeld()).toBe(true)
  await lock.release()
  expect(readdirSync(folder).sort()).toEqual(['rules.md', 'scratch'])
})

test('the lock of a process that has ended is taken over at once, that of one that runs is waited for', async () => {
  const lock = join(folder, 'lock')
  const holderOf = (pid: number) => [pid, '', 'uuid'].join('\n')
  // No process has this id.
  writeFileSync(lock, holderOf(2 ** 22 + 1))
  await (await acquireLockFile(lock, AbortSignal.timeout(1_000))).release()
  writeFileSync(lock, holderOf(process.ppid))
  expect(await acquireLockFile(lock, AbortSignal.timeout(50)).catch(() => 'waited')).toBe('waited')
})

test('without a program for attributes a file is written in place, after its backup', async () => {
  process.env['PATH'] = folder
  const { ino, mode } = statSync(path)
  const done: Array<string> = []
  const backUpFirst = async () => void done.push(readFileSync(path, 'utf8'))
  const options = { scratch, mayReplace: async () => true, backUpFirst }
  expect(await replaceFile(path, Buffer.from('newest\n'), options)).toBe(true)
  expect([done, readFileSync(path, 'utf8'), statSync(path).ino, statSync(path).mode]).toEqual([
    ['new\n'],
    'newest\n',
    ino,
    mode,
  ])
  rmSync(folder, { recursive: true })
})

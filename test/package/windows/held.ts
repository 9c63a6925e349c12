/** Tests writing as on Windows: other programs hold files, and `/proc` and `cp` are missing; see `windows.test.ts`. */
import { expect, mock, test } from 'bun:test'
import * as files from 'node:fs'
import * as disk from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Copies of the real functions, because `mock.module` also replaces those of `files` and `disk`.
const { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = { ...files }
const { rm, writeFile } = { ...disk }

/** How many of the next calls of each function fail, as if another program held the file. */
const held = { rename: 0, rm: 0, writeFile: 0 }
/** What Windows reports if they fail. */
const CODES = { rename: 'EPERM', rm: 'EBUSY', writeFile: 'EPERM' }
const fail = (code: string): never => {
  throw Object.assign(new Error(code), { code })
}

/** Creates a function that fails as often as `held` says; then it calls the real one. */
const failing =
  (name: keyof typeof held, call: (...params: Array<never>) => unknown) => (...params: Array<never>) => {
    held[name] -= 1
    return held[name] >= 0 ? fail(CODES[name]) : call(...params)
  }
mock.module('node:fs/promises', () => ({
  ...disk,
  rm: async (...params: Array<never>) => failing('rm', rm)(...params),
  writeFile: async (...params: Array<never>) => failing('writeFile', writeFile)(...params),
}))
mock.module('node:fs', () => ({
  ...files,
  readFileSync: (path: string, encoding: 'utf8') =>
    path.startsWith('/proc/') ? fail('ENOENT') : readFileSync(path, encoding),
  rmSync: failing('rm', rmSync),
  renameSync: failing('rename', renameSync),
}))
Object.defineProperty(process, 'platform', { value: 'win32' })
const { replaceFile } = await import('../../../src/writing/atomic-replace.ts')
const { acquireLockFile } = await import('../../../src/writing/lock-file.ts')

const folder = mkdtempSync(join(tmpdir(), 'sat-held-'))
const path = join(folder, 'rules.md')
const scratch = join(folder, 'scratch')
const currentText = () => readFileSync(path, 'utf8')

test('a held file is replaced a moment later, and no temporary file is left', async () => {
  writeFileSync(path, 'old\n')
  const { ino } = statSync(path)
  Object.assign(held, { rename: 2, rm: 2 })
  expect(await replaceFile(path, Buffer.from('new\n'), { scratch, mayReplace: async () => true })).toBe(true)
  expect([currentText(), readdirSync(scratch), statSync(path).ino === ino]).toEqual(['new\n', [], false])
})

test('a file that a person saves while another program holds it is not replaced', async () => {
  Object.assign(held, { rename: 2, rm: 0 })
  // The person saves the file after the first rename has failed.
  const mayReplace = async () => held.rename === 2
  expect(await replaceFile(path, Buffer.from('newer\n'), { scratch, mayReplace })).toBe(false)
  expect(currentText()).toBe('new\n')
})

test('a lock is acquired and released although its file is held for a moment', async () => {
  Object.assign(held, { rename: 0, rm: 1, writeFile: 2 })
  const lock = await acquireLockFile(join(folder, 'lock'), new AbortController().signal)
  expect(await lock.isHeld()).toBe(true)
  await lock.release()
  expect(readdirSync(folder).sort()).toEqual(['rules.md', 'scratch'])
})

test('the lock of an ended process is taken over at once, the lock of a running one is not', async () => {
  const lock = join(folder, 'lock')
  // Without `/proc`, the start time of the process is unknown.
  const lockOf = (pid: number) => [pid, '', 'uuid'].join('\n')
  // The id is higher than that of any process.
  writeFileSync(lock, lockOf(2 ** 22 + 1))
  await (await acquireLockFile(lock, AbortSignal.timeout(1_000))).release()
  writeFileSync(lock, lockOf(process.ppid))
  expect(await acquireLockFile(lock, AbortSignal.timeout(50)).catch(() => 'waited')).toBe('waited')
})

test('without `cp`, which copies attributes, a file is written in place after its backup', async () => {
  process.env['PATH'] = folder
  const { ino, mode } = statSync(path)
  const backedUp: Array<string> = []
  const backUpFirst = async () => void backedUp.push(currentText())
  const options = { scratch, mayReplace: async () => true, backUpFirst }
  expect(await replaceFile(path, Buffer.from('newest\n'), options)).toBe(true)
  expect([backedUp, currentText()]).toEqual([['new\n'], 'newest\n'])
  expect(statSync(path)).toMatchObject({ ino, mode })
  rmSync(folder, { recursive: true })
})

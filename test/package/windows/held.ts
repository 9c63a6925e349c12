/** Unit tests of writing on a simulated Windows: it lacks `/proc` and `cp`, and cannot replace a file in use. */
import { expect, mock, test } from 'bun:test'
import * as files from 'node:fs'
import * as disk from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Copied, because `mock.module` replaces the functions in `files` and `disk`.
const { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = { ...files }
const { rm, writeFile } = { ...disk }

const failuresLeft = { rename: 0, rm: 0, writeFile: 0 }
const CODES = { rename: 'EPERM', rm: 'EBUSY', writeFile: 'EPERM' }
const fail = (code: string): never => {
  throw Object.assign(new Error(code), { code })
}

type Call = (...params: Array<never>) => unknown
const failing = (name: keyof typeof failuresLeft, realCall: Call): Call => (...params) => {
  if (failuresLeft[name] === 0) return realCall(...params)
  failuresLeft[name] -= 1
  return fail(CODES[name])
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
// Imported last, to get the replaced functions and platform.
const { replaceFile } = await import('../../../src/writing/atomic-replace.ts')
const { acquireLockFile } = await import('../../../src/writing/lock-file.ts')

const folder = mkdtempSync(join(tmpdir(), 'sat-held-'))
const path = join(folder, 'rules.md')
const scratch = join(folder, 'scratch')
const currentText = () => readFileSync(path, 'utf8')

test('a file in use is replaced once it is free, and no temporary file is left', async () => {
  writeFileSync(path, 'old\n')
  const { ino: oldId } = statSync(path)
  Object.assign(failuresLeft, { rename: 2, rm: 2 })
  expect(await replaceFile(path, Buffer.from('new\n'), { scratch, mayReplace: async () => true })).toBe(true)
  expect([currentText(), readdirSync(scratch)]).toEqual(['new\n', []])
  expect(statSync(path).ino).not.toBe(oldId)
})

test('a file in use is not replaced if a person saves it meanwhile', async () => {
  Object.assign(failuresLeft, { rename: 2, rm: 0 })
  // SAT asks `mayReplace` before each rename.
  const isFirstRename = async () => failuresLeft.rename === 2
  expect(await replaceFile(path, Buffer.from('newer\n'), { scratch, mayReplace: isFirstRename })).toBe(false)
  expect(currentText()).toBe('new\n')
})

test('a lock is acquired and released, although another program uses its file for a moment', async () => {
  Object.assign(failuresLeft, { rename: 0, rm: 1, writeFile: 2 })
  const lock = await acquireLockFile(join(folder, 'lock'), new AbortController().signal)
  expect(await lock.isHeld()).toBe(true)
  await lock.release()
  expect(readdirSync(folder).sort()).toEqual(['rules.md', 'scratch'])
})

test('an ended process loses its lock at once, but a running process keeps its lock', async () => {
  const lock = join(folder, 'lock')
  // The second line of a lock file, the start time of the process, is empty without `/proc`.
  const lockOf = (pid: number) => [pid, '', 'uuid'].join('\n')
  const idOfNoProcess = 2 ** 22 + 1
  writeFileSync(lock, lockOf(idOfNoProcess))
  await (await acquireLockFile(lock, AbortSignal.timeout(1_000))).release()
  writeFileSync(lock, lockOf(process.ppid))
  expect(await acquireLockFile(lock, AbortSignal.timeout(50)).catch(() => 'waited')).toBe('waited')
})

test('without `cp`, which copies attributes, a file is backed up, then written in place', async () => {
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

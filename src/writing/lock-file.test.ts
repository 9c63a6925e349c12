import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { canMount, withDisk } from '../../test/harness/mounts.ts'
import { takeLockFile } from './lock-file.ts'

let folder = ''
let path = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sat-lock-'))
  path = join(folder, 'locks', 'one')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const never = new AbortController().signal

/** A process id that nobody has any more. */
const deadPid = (): number => Bun.spawnSync(['true']).pid

/** Leaves the lock of another holder: of a process that has ended, or that started at another time. */
const leaveLock = async (of: { pid?: number; start?: number }, at = path): Promise<string> => {
  const lock = await takeLockFile(at, never)
  const [pid, start, ...rest] = readFileSync(at, 'utf8').split('\n')
  await lock.release()
  const left = [of.pid ?? pid, of.start ?? start, ...rest].join('\n')
  writeFileSync(at, left)
  return left
}

const timeOf = async (work: () => Promise<unknown>): Promise<number> => {
  const before = performance.now()
  await work()
  return performance.now() - before
}

test('one holder at a time; nothing is left at the end', async () => {
  let inside = 0
  let most = 0
  const work = async () => {
    const lock = await takeLockFile(path, never)
    most = Math.max(most, ++inside)
    await Bun.sleep(1)
    inside--
    await lock.release()
  }
  await Promise.all(Array.from({ length: 12 }, work))
  expect(most).toBe(1)
  expect(readdirSync(join(folder, 'locks'))).toEqual([])
})

test('the lock of a process that was killed goes to one waiter after the other, never to two', async () => {
  await leaveLock({ pid: deadPid() })
  let inside = 0
  let most = 0
  const work = async () => {
    const lock = await takeLockFile(path, never)
    most = Math.max(most, ++inside)
    expect(await lock.isHeld()).toBe(true)
    await Bun.sleep(2)
    inside--
    await lock.release()
  }
  expect(await timeOf(() => Promise.all(Array.from({ length: 8 }, work)))).toBeLessThan(1_000)
  expect(most).toBe(1)
  expect(readdirSync(join(folder, 'locks'))).toEqual([])
})

test('a process that was killed while it took a lock over does not hold it up either', async () => {
  const left = await leaveLock({ pid: deadPid() })
  const digits = new Bun.CryptoHasher('sha256').update(left).digest('hex').slice(0, 8)
  await leaveLock({ pid: deadPid() }, `${path}-${digits}`)
  expect(await timeOf(async () => (await takeLockFile(path, never)).release())).toBeLessThan(1_000)
  expect(readdirSync(join(folder, 'locks'))).toEqual([])
})

test.if(existsSync('/proc/self/stat'))(
  'a process that has the id of the one that ended holds nothing',
  async () => {
    await leaveLock({ start: 1 })
    expect(await timeOf(async () => (await takeLockFile(path, never)).release())).toBeLessThan(1_000)
  },
)

test('an empty lock, of a process that was killed as it made it, is taken over within a second', async () => {
  await leaveLock({})
  writeFileSync(path, '')
  expect(await timeOf(async () => (await takeLockFile(path, never)).release())).toBeLessThan(1_000)
})

test.if(canMount)('a full disk leaves no lock, and no wait', () => {
  const locks = join(folder, 'locks')
  mkdirSync(locks)
  return withDisk('64k', locks, async () => {
    expect(() => writeFileSync(join(locks, 'room'), 'x'.repeat(100_000))).toThrow()
    expect(await takeLockFile(path, never).catch(({ code }) => code)).toBe('ENOSPC')
    expect(readdirSync(locks)).toEqual(['room'])
    rmSync(join(locks, 'room'))
    expect(await timeOf(async () => (await takeLockFile(path, never)).release())).toBeLessThan(100)
  })
})

test('a stopped call does not go on waiting for a lock that lives', async () => {
  const lock = await takeLockFile(path, never)
  const stop = new AbortController()
  const waiting = takeLockFile(path, stop.signal)
  stop.abort()
  expect(waiting).rejects.toThrow()
  await waiting.catch(() => {})
  await lock.release()
})

test('two processes that add in tight loops lose nothing that was answered as added', async () => {
  const file = join(folder, 'rules.md')
  writeFileSync(file, '# Rules\n')
  const script = join(import.meta.dirname, '../../test/harness/fixtures/append-rules.ts')
  const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state') }
  const processes = ['one', 'two'].map((name) =>
    Bun.spawn([process.execPath, script, file, name, '60'], { env, stdout: 'pipe' })
  )
  const said = (await Promise.all(processes.map(({ stdout }) => new Response(stdout).text()))).join('')
  const added = said.trim().split('\n')
  expect(added).toHaveLength(120)
  expect(added.filter((line) => line.startsWith('failed'))).toEqual([])
  const lines = readFileSync(file, 'utf8').split('\n').filter((line) => line.startsWith('- '))
  expect(lines.toSorted()).toEqual(added.toSorted())
}, 120_000)

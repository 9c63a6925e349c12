import { beforeEach, expect, test } from 'bun:test'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { canMount, withDisk } from '../../test/harness/mounts.ts'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { acquireLockFile } from './lock-file.ts'

const scratch = scratchFolder()
let [folder, path] = ['', '']

beforeEach(() => {
  folder = fs.mkdtempSync(join(scratch, 'lock-'))
  path = join(folder, 'locks', 'one')
})

const neverAborted = new AbortController().signal

/** How a lock file differs from one of this process: in the process id, in the start time, or in its whole text. */
type Holder = { pid?: number; start?: number; text?: string }

/** Writes the lock file of another holder, and does not remove it; returns its text. */
const leaveLock = async (other: Holder, at = path): Promise<string> => {
  const lock = await acquireLockFile(at, neverAborted)
  const [pid, start, id] = fs.readFileSync(at, 'utf8').split('\n')
  await lock.release()
  const left = other.text ?? [other.pid ?? pid, other.start ?? start, id].join('\n')
  fs.writeFileSync(at, left)
  return left
}

/** Expects work to end within `ms`. For a lock whose process may still be running, it would wait ten seconds. */
const expectNoWait = async (work: () => Promise<unknown>, ms = 5_000): Promise<void> => {
  const before = performance.now()
  await work()
  expect(performance.now() - before).toBeLessThan(ms)
}

/** Acquires the lock several times at once; expects one holder at a time, and no file at the end. */
const expectTurns = async (holders: number): Promise<void> => {
  let [inside, most] = [0, 0]
  const hold = async () => {
    const lock = await acquireLockFile(path, neverAborted)
    most = Math.max(most, ++inside)
    expect(await lock.isHeld()).toBe(true)
    await Bun.sleep(1)
    inside--
    await lock.release()
  }
  await Promise.all(Array.from({ length: holders }, hold))
  expect(most).toBe(1)
  expect(fs.readdirSync(join(folder, 'locks'))).toEqual([])
}

test('twelve waiters hold the lock one at a time; no file is left', () => expectTurns(12))

test.each<[string, holder: Holder]>([
  ['of a killed process', { pid: Bun.spawnSync(['true']).pid }],
  ['of a process that was killed before it wrote its id', { text: '' }],
  // Systems without `/proc` have no start times.
  ...fs.existsSync('/proc/self/stat')
    ? [['of an ended process whose id another one has now', { start: 1 }] as [string, Holder]]
    : [],
])('the lock %s goes to one waiter at a time', async (_, holder) => {
  await leaveLock(holder)
  await expectNoWait(() => expectTurns(8))
})

test('neither a release nor a waiter removes the lock of another holder, even if it is empty', async () => {
  const lock = await acquireLockFile(path, neverAborted)
  for (const left of [await leaveLock({}, `${path}-left`), '']) {
    fs.writeFileSync(path, left)
    expect(await lock.isHeld()).toBe(false)
    await lock.release()
    await expect(acquireLockFile(path, AbortSignal.timeout(50))).rejects.toThrow()
    expect(fs.readFileSync(path, 'utf8')).toBe(left)
  }
})

test.if(canMount)('on a full disk, no lock is left, and nobody waits once there is room', () => {
  const locks = join(folder, 'locks')
  fs.mkdirSync(locks)
  return withDisk('64k', locks, async () => {
    expect(() => fs.writeFileSync(join(locks, 'room'), 'x'.repeat(100_000))).toThrow()
    expect(await acquireLockFile(path, neverAborted).catch(({ code }) => code)).toBe('ENOSPC')
    expect(fs.readdirSync(locks)).toEqual(['room'])
    fs.rmSync(join(locks, 'room'))
    await expectNoWait(() => expectTurns(1), 450)
  })
})

test('if two processes add rules at the same time, no rule is lost', async () => {
  const file = join(folder, 'rules.md')
  fs.writeFileSync(file, '# Rules\n')
  const script = join(import.meta.dirname, '../../test/harness/fixtures/append-rules.ts')
  const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state') }
  const added = (await Promise.all(['one', 'two'].map((name) => {
    const { stdout } = Bun.spawn([process.execPath, script, file, name, '10'], { env, stdout: 'pipe' })
    return new Response(stdout).text()
  }))).flatMap((output) => output.trim().split('\n'))
  expect(added).toHaveLength(20)
  expect(added.filter((line) => line.startsWith('failed'))).toEqual([])
  const lines = fs.readFileSync(file, 'utf8').split('\n').filter((line) => /\d$/.test(line))
  expect(lines.toSorted()).toEqual(added.toSorted())
}, 120_000)

/** Tests that a lock file has one holder at a time, and what happens to a lock whose process was killed. */
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

/** What a lock file contains: `text` or else an id and a start time, by default those of this process. */
type LockContent = { pid?: number; start?: number; text?: string }

/** Leaves a lock file that nobody will release; returns its text. */
const leaveLock = async (content: LockContent, at = path): Promise<string> => {
  const lock = await acquireLockFile(at, neverAborted)
  const [pid, start, id] = fs.readFileSync(at, 'utf8').split('\n')
  await lock.release()
  const left = content.text ?? [content.pid ?? pid, content.start ?? start, id].join('\n')
  fs.writeFileSync(at, left)
  return left
}

/** Expects that `work` ends within `ms`, by default far below the 10 s after which every lock is taken over. */
const expectWithin = async (work: () => Promise<unknown>, ms = 5_000): Promise<void> => {
  const before = performance.now()
  await work()
  expect(performance.now() - before).toBeLessThan(ms)
}

const expectTurns = async (holders: number): Promise<void> => {
  let [holdersNow, mostHolders] = [0, 0]
  const hold = async () => {
    const lock = await acquireLockFile(path, neverAborted)
    mostHolders = Math.max(mostHolders, ++holdersNow)
    expect(await lock.isHeld()).toBe(true)
    await Bun.sleep(1)
    holdersNow--
    await lock.release()
  }
  await Promise.all(Array.from({ length: holders }, hold))
  expect(mostHolders).toBe(1)
  expect(fs.readdirSync(join(folder, 'locks'))).toEqual([])
}

test('twelve waiters hold the lock one at a time; no lock file is left', () => expectTurns(12))

test.each<[whose: string, LockContent]>([
  ['of an ended process', { pid: Bun.spawnSync(['true']).pid }],
  ['of a process that was killed before it wrote its id', { text: '' }],
  // Systems without `/proc` have no start times.
  ...fs.existsSync('/proc/self/stat')
    ? [['of an ended process whose id another one has now', { start: 1 }] as [string, LockContent]]
    : [],
])('the lock %s goes to one waiter at a time', async (_, content) => {
  await leaveLock(content)
  await expectWithin(() => expectTurns(8))
})

test("neither a release nor a short wait removes another holder's lock", async () => {
  const lock = await acquireLockFile(path, neverAborted)
  // The text of another holder, or none, if another process has created the file but not written it yet.
  for (const text of [await leaveLock({}, `${path}-of-another`), '']) {
    fs.writeFileSync(path, text)
    expect(await lock.isHeld()).toBe(false)
    await lock.release()
    await expect(acquireLockFile(path, AbortSignal.timeout(50))).rejects.toThrow()
    expect(fs.readFileSync(path, 'utf8')).toBe(text)
  }
})

test.if(canMount)('a lock that a full disk cannot take leaves no file, so nobody waits for it', () => {
  const locks = join(folder, 'locks')
  fs.mkdirSync(locks)
  return withDisk('64k', locks, async () => {
    expect(() => fs.writeFileSync(join(locks, 'filler'), 'x'.repeat(100_000))).toThrow()
    expect(await acquireLockFile(path, neverAborted).catch(({ code }) => code)).toBe('ENOSPC')
    expect(fs.readdirSync(locks)).toEqual(['filler'])
    fs.rmSync(join(locks, 'filler'))
    // After 500 ms, a waiter would take over an empty lock.
    await expectWithin(() => expectTurns(1), 450)
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
  const lines = fs.readFileSync(file, 'utf8').split('\n').filter((line) => /\d$/.test(line))
  expect(lines.toSorted()).toEqual(added.toSorted())
}, 120_000)

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

/** The id is new for each call. */
const linesOfLock = async (): Promise<[pid: string, start: string, id: string]> => {
  const lock = await acquireLockFile(path, neverAborted)
  const [pid = '', start = '', id = ''] = fs.readFileSync(path, 'utf8').split('\n')
  await lock.release()
  return [pid, start, id]
}

/** By default, `ms` is far below 10 s, because after 10 s a waiter takes over any lock. */
const expectWithin = async (work: () => Promise<unknown>, ms = 5_000): Promise<void> => {
  const before = performance.now()
  await work()
  expect(performance.now() - before).toBeLessThan(ms)
}

const expectOneAtATime = async (waiters: number): Promise<void> => {
  let [holdersNow, mostHolders] = [0, 0]
  const hold = async () => {
    const lock = await acquireLockFile(path, neverAborted)
    mostHolders = Math.max(mostHolders, ++holdersNow)
    expect(await lock.isHeld()).toBe(true)
    await Bun.sleep(1)
    holdersNow--
    await lock.release()
  }
  await Promise.all(Array.from({ length: waiters }, hold))
  expect(mostHolders).toBe(1)
  expect(fs.readdirSync(join(folder, 'locks'))).toEqual([])
}

test('twelve waiters hold the lock one at a time and leave no lock file', () => expectOneAtATime(12))

const expectAbandoned = async (...lines: Array<string>): Promise<void> => {
  fs.mkdirSync(join(folder, 'locks'), { recursive: true })
  fs.writeFileSync(path, lines.join('\n'))
  await expectWithin(() => expectOneAtATime(8))
}

test('a lock is abandoned if its process has ended', async () => {
  const [, start, id] = await linesOfLock()
  await expectAbandoned(String(Bun.spawnSync(['true']).pid), start, id)
})

// Without `/proc`, the start times of processes are unknown.
test.if(fs.existsSync('/proc/self/stat'))(
  'a lock is abandoned if its process has ended and a later process has the same id',
  async () => {
    const [pid, , id] = await linesOfLock()
    await expectAbandoned(pid, '1', id)
  },
)

test('a lock is abandoned if its process was killed before it wrote to the file', () => expectAbandoned(''))

test("neither a release nor a short wait removes another holder's lock", async () => {
  const textOfAnother = (await linesOfLock()).join('\n')
  const lock = await acquireLockFile(path, neverAborted)
  // A new lock file is empty until its process has written into it.
  for (const text of [textOfAnother, '']) {
    fs.writeFileSync(path, text)
    expect(await lock.isHeld()).toBe(false)
    await lock.release()
    await expect(acquireLockFile(path, AbortSignal.timeout(50))).rejects.toThrow()
    expect(fs.readFileSync(path, 'utf8')).toBe(text)
  }
})

test.if(canMount)('if the disk is too full for a lock file, no empty lock file is left', () => {
  const locks = join(folder, 'locks')
  fs.mkdirSync(locks)
  return withDisk('64k', locks, async () => {
    expect(() => fs.writeFileSync(join(locks, 'filler'), 'x'.repeat(100_000))).toThrow()
    expect(await acquireLockFile(path, neverAborted).catch(({ code }) => code)).toBe('ENOSPC')
    expect(fs.readdirSync(locks)).toEqual(['filler'])
    fs.rmSync(join(locks, 'filler'))
    // A waiter would remove an empty lock file after 500 ms.
    await expectWithin(() => expectOneAtATime(1), 450)
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

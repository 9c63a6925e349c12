import { beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { canMount, withDisk } from '../../test/harness/mounts.ts'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { takeLockFile } from './lock-file.ts'

const scratch = scratchFolder()
let [folder, path] = ['', '']

beforeEach(() => {
  folder = mkdtempSync(join(scratch, 'lock-'))
  path = join(folder, 'locks', 'one')
})

const never = new AbortController().signal

/** A process id that nobody has any more. */
const deadPid = (): number => Bun.spawnSync(['true']).pid

/** Leaves the lock of another holder: of a process that has ended, or that started at another time. */
const leaveLock = async (of: { pid?: number; start?: number }, at = path): Promise<string> => {
  const lock = await takeLockFile(at, never)
  const [pid, start, id] = readFileSync(at, 'utf8').split('\n')
  await lock.release()
  const left = [of.pid ?? pid, of.start ?? start, id].join('\n')
  writeFileSync(at, left)
  return left
}

// The lock of a process that may run is waited for twice as long, however slow the machine.
const AT_ONCE_MS = 5_000

/** Takes the lock and releases it, and expects that it does not wait for a holder. */
const expectTaken = async (ms = AT_ONCE_MS): Promise<void> => {
  const before = performance.now()
  await (await takeLockFile(path, never)).release()
  expect(performance.now() - before).toBeLessThan(ms)
}

/** Takes the lock several times at once, and expects one holder at a time, and nothing left at the end. */
const expectTurns = async (holders: number): Promise<void> => {
  let [inside, most] = [0, 0]
  const hold = async () => {
    const lock = await takeLockFile(path, never)
    most = Math.max(most, ++inside)
    expect(await lock.isHeld()).toBe(true)
    await Bun.sleep(1)
    inside--
    await lock.release()
  }
  await Promise.all(Array.from({ length: holders }, hold))
  expect(most).toBe(1)
  expect(readdirSync(join(folder, 'locks'))).toEqual([])
}

test('one holder at a time; nothing is left at the end', () => expectTurns(12))

test('the lock of a process that was killed goes to one waiter after the other, never to two', async () => {
  await leaveLock({ pid: deadPid() })
  const before = performance.now()
  await expectTurns(8)
  expect(performance.now() - before).toBeLessThan(AT_ONCE_MS)
})

test.if(existsSync('/proc/self/stat'))(
  'a process that has the id of the one that ended holds nothing',
  async () => {
    await leaveLock({ start: 1 })
    await expectTaken()
  },
)

test('a lock of a process that runs, or that another took over, is not removed', async () => {
  const lock = await takeLockFile(path, never)
  const left = await leaveLock({}, `${path}-left`)
  writeFileSync(path, left)
  expect(await lock.isHeld()).toBe(false)
  await lock.release()
  await expect(takeLockFile(path, AbortSignal.timeout(50))).rejects.toThrow()
  expect(readFileSync(path, 'utf8')).toBe(left)
})

test('an empty lock, of a process that was killed as it made it, is taken over soon', async () => {
  await leaveLock({})
  writeFileSync(path, '')
  await expectTaken()
})

test.if(canMount)('a full disk leaves no lock, and no wait', () => {
  const locks = join(folder, 'locks')
  mkdirSync(locks)
  return withDisk('64k', locks, async () => {
    expect(() => writeFileSync(join(locks, 'room'), 'x'.repeat(100_000))).toThrow()
    expect(await takeLockFile(path, never).catch(({ code }) => code)).toBe('ENOSPC')
    expect(readdirSync(locks)).toEqual(['room'])
    rmSync(join(locks, 'room'))
    await expectTaken(450)
  })
})

test('two processes that add in tight loops lose nothing that was answered as added', async () => {
  const file = join(folder, 'rules.md')
  writeFileSync(file, '# Rules\n')
  const script = join(import.meta.dirname, '../../test/harness/fixtures/append-rules.ts')
  const env = { ...process.env, XDG_STATE_HOME: join(folder, 'state') }
  const processes = ['one', 'two'].map((name) =>
    Bun.spawn([process.execPath, script, file, name, '10'], { env, stdout: 'pipe' })
  )
  const said = (await Promise.all(processes.map(({ stdout }) => new Response(stdout).text()))).join('')
  const added = said.trim().split('\n')
  expect(added).toHaveLength(20)
  expect(added.filter((line) => line.startsWith('failed'))).toEqual([])
  const lines = readFileSync(file, 'utf8').split('\n').filter((line) => /\d$/.test(line))
  expect(lines.toSorted()).toEqual(added.toSorted())
}, 120_000)

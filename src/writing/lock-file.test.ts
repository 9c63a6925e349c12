import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
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

test('one holder at a time; nothing is left when all is over', async () => {
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
  const first = await takeLockFile(path, never)
  await first.release()
  writeFileSync(path, `${deadPid()}\n${hostname()}\nits own`)
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
  // A lock that nobody lets go is waited for ten seconds.
  const before = performance.now()
  await Promise.all(Array.from({ length: 8 }, work))
  expect(most).toBe(1)
  expect(performance.now() - before).toBeLessThan(9_000)
  expect(readdirSync(join(folder, 'locks'))).toEqual([])
})

test('a process that was killed while it took a lock over does not hold it up either', async () => {
  await (await takeLockFile(path, never)).release()
  const dead = `${deadPid()}\n${hostname()}\n`
  writeFileSync(path, `${dead}first`)
  const right = new Bun.CryptoHasher('sha256').update(`${dead}first`).digest('hex').slice(0, 8)
  writeFileSync(`${path}-${right}`, `${dead}second`)
  await (await takeLockFile(path, never)).release()
  expect(readdirSync(join(folder, 'locks'))).toEqual([])
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
  const script = join(import.meta.dirname, '../../test/fixtures/append-rules.ts')
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

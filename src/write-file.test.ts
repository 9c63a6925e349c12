import { afterEach, beforeEach, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { BACKUPS_KEPT, listBackups } from './backup.ts'
import { DiscoveredFiles } from './discovered-files.ts'
import { fingerprintOf, MAX_BYTES } from './read-text.ts'
import { replaceFile } from './replace-file.ts'
import { type Door, writeFile } from './write-file.ts'

let folder = ''
let project = ''
let path = ''
let state = ''

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sat-door-')))
  project = join(folder, 'project')
  path = join(project, 'rules.md')
  state = join(folder, 'state')
  mkdirSync(project)
  writeFileSync(path, 'old\n')
})

afterEach(() => {
  spawnSync('chattr', ['-R', '-i', folder])
  rmSync(folder, { recursive: true, force: true })
})

const seen = (...paths: Array<string>): DiscoveredFiles => {
  const discovered = new DiscoveredFiles()
  for (const one of paths) discovered.remember(one, fingerprintOf(readFileSync(one)))
  return discovered
}

const doorWith = ({ discovered = seen(path), ...given }: Partial<Door> = {}): Door => ({
  place: { directory: project, worktree: project },
  ask: async () => {},
  discovered,
  known: discovered,
  state,
  abort: new AbortController().signal,
  ...given,
})

const put = (door: Door, text = 'new\n') => writeFile(door, { path, toText: () => text, backup: true })

const isRoot = process.getuid?.() === 0

test('a plain set of paths is enough for the guard', async () => {
  expect((await put(doorWith({ discovered: new Set([path]) }))).error).toBeNull()
  expect((await put(doorWith({ discovered: new Set(['/elsewhere']) }))).error).toMatchObject({
    status: 'refused',
  })
  expect(readFileSync(path, 'utf8')).toBe('new\n')
})

test('own writes keep the record fresh', async () => {
  const door = doorWith()
  expect((await put(door, 'one\n')).error).toBeNull()
  expect((await put(door, 'two\n')).error).toBeNull()
  writeFileSync(path, 'a person\n')
  expect((await put(door, 'three\n')).error?.error).toContain('discover-rules')
  expect(readFileSync(path, 'utf8')).toBe('a person\n')
})

test('a file in whose place a link to another has come since was not shown, and is left alone', async () => {
  const other = join(project, 'other.md')
  writeFileSync(other, 'not shown\n')
  const door = doorWith()
  rmSync(path)
  symlinkSync('other.md', path)
  for (const backup of [true, false]) {
    const written = await writeFile(door, { path, toText: () => 'new\n', backup })
    expect(written.error?.error).toContain('discover-rules has not shown it')
  }
  expect(readFileSync(other, 'utf8')).toBe('not shown\n')
})

test('a replacement never takes away what another call wrote after it was made', async () => {
  const record = seen(path)
  const rewriting = doorWith({ discovered: record, known: record.copy() })
  const adding = { path, toText: (text: string) => `${text}added\n`, backup: false }
  expect((await writeFile(doorWith({ discovered: record }), adding)).error).toBeNull()
  expect((await put(rewriting)).error?.error).toContain('another call wrote it')
  expect((await writeFile(rewriting, adding)).error).toBeNull()
  expect(readFileSync(path, 'utf8')).toBe('old\nadded\nadded\n')
})

test('a link is asked for by its own name too, so that a rule for either holds', async () => {
  const link = join(project, 'link.md')
  symlinkSync('rules.md', link)
  const asked: Array<Array<string>> = []
  const door = doorWith({ ask: async ({ patterns }) => void asked.push(patterns) })
  expect((await writeFile(door, { path: link, toText: () => 'new\n', backup: true })).error).toBeNull()
  expect((await put(door)).error).toBeNull()
  expect(asked).toEqual([['rules.md', 'link.md'], ['rules.md']])
})

test('a change while the person thinks about the question is seen', async () => {
  const door = doorWith({ ask: async () => writeFileSync(path, 'typed meanwhile\n') })
  expect((await put(door)).error?.error).toContain('while permission was asked for')
  expect(readFileSync(path, 'utf8')).toBe('typed meanwhile\n')
})

test('a change while the new bytes are put on the disk is seen', async () => {
  let looks = 0
  const scratch = join(state, 'tmp')
  const mayReplace = async () => ++looks > 1
  expect(await replaceFile(path, Buffer.from('new\n'), { scratch, mayReplace })).toBe(false)
  expect([readFileSync(path, 'utf8'), readdirSync(scratch), readdirSync(project)]).toEqual(['old\n', [], [
    'rules.md',
  ]])
  expect(await replaceFile(path, Buffer.from('new\n'), { scratch, mayReplace })).toBe(true)
  expect(readFileSync(path, 'utf8')).toBe('new\n')
})

test('what a killed process left beside the file goes with the next write; fresh and foreign files stay', async () => {
  const scratch = join(path, 'no folder')
  const names = [
    '.rules.md.6f1b1c1e-0000-4000-8000-000000000000.tmp',
    '.rules.md.6f1b1c1e-0000-4000-8000-000000000001.tmp',
    '.rules.md.backup.tmp',
  ]
  const [stale = '', fresh = '', foreign = ''] = names
  for (const name of names) writeFileSync(join(project, name), '')
  for (const name of [stale, foreign]) utimesSync(join(project, name), 0, 0)
  await replaceFile(path, Buffer.from('new\n'), { scratch, mayReplace: async () => true })
  expect(readdirSync(project).toSorted()).toEqual([fresh, foreign, 'rules.md'])
  expect(readFileSync(path, 'utf8')).toBe('new\n')
})

test("a refusal carries the host's own error", async () => {
  const thrown = new Error('the person said no')
  const refused = await put(doorWith({ ask: () => Promise.reject(thrown) }))
  expect(refused.error).toEqual({
    status: 'refused',
    error: 'permission refused: the person said no',
    thrown,
  })
})

test("a hundred writers of one file take turns, each on the last one's result", async () => {
  const door = doorWith()
  const numbers = Array.from({ length: 100 }, (_, number) => number)
  await Promise.all(
    numbers.map((number) => writeFile(door, { path, toText: (text) => `${text}${number}\n`, backup: false })),
  )
  expect(readFileSync(path, 'utf8')).toBe(`old\n${numbers.map((number) => `${number}\n`).join('')}`)
})

test('a call that was stopped writes nothing, also when it was stopped at the question', async () => {
  const controller = new AbortController()
  const ask = async () => controller.abort()
  for (let round = 0; round < 2; round++) {
    expect((await put(doorWith({ ask, abort: controller.signal }))).error).toMatchObject({
      status: 'stopped',
    })
  }
  expect(readFileSync(path, 'utf8')).toBe('old\n')
})

test('a text beyond 10 MB is not written', async () => {
  expect((await put(doorWith(), 'x'.repeat(MAX_BYTES + 1))).error?.status).toBe('refused')
  expect(readFileSync(path, 'utf8')).toBe('old\n')
})

test('a file with a second hard link is refused, for a safe write would part the two', async () => {
  linkSync(path, join(project, 'second.md'))
  expect((await put(doorWith())).error?.error).toContain('2 hard links')
  expect(readFileSync(path, 'utf8')).toBe('old\n')
})

test('a file that is marked read-only is left alone', async () => {
  chmodSync(path, 0o444)
  expect((await put(doorWith())).error?.error).toBe('it is marked read-only')
  expect(readFileSync(path, 'utf8')).toBe('old\n')
})

test('mode, owner and link stay, nothing is left beside the file', async () => {
  chmodSync(path, 0o4640)
  if (isRoot) chownSync(path, 1234, 2345)
  const before = statSync(path)
  const link = join(project, 'link.md')
  symlinkSync('rules.md', link)
  expect((await writeFile(doorWith(), { path: link, toText: () => 'new\n', backup: true })).error).toBeNull()
  const { mode, uid, gid } = statSync(path)
  expect([mode & 0o777, uid, gid]).toEqual([before.mode & 0o777, before.uid, before.gid])
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect(readdirSync(project).sort()).toEqual(['link.md', 'rules.md'])
  expect(readdirSync(join(state, 'tmp'))).toEqual([])
})

test('a backup that cannot be kept stops the write', async () => {
  writeFileSync(state, 'a file where the folder should be')
  const refused = await put(doorWith())
  expect(refused.error).toMatchObject({ status: 'writeError' })
  expect(refused.error?.error).toContain('backup')
  expect(readFileSync(path, 'utf8')).toBe('old\n')
})

// The person of this test is root on some machines, whom permission bits do not stop; there the disk's own flag does.
const makeUnwritable = (target: string): boolean => {
  if (isRoot) return spawnSync('chattr', ['+i', target]).status === 0
  chmodSync(target, 0o500)
  return true
}

test('an unwritable folder: the file stays, the reason is told, the backup is kept', async () => {
  if (!makeUnwritable(project)) return console.warn('SKIPPED: this disk has no immutable flag for root')
  const refused = await put(doorWith())
  expect(refused.error).toMatchObject({ status: 'writeError' })
  expect(refused.error?.error).toMatch(/not permitted|denied/)
  expect(readFileSync(path, 'utf8')).toBe('old\n')
  expect(readdirSync(project)).toEqual(['rules.md'])
})

test('an unwritable backup folder: nothing is written', async () => {
  mkdirSync(state)
  if (!makeUnwritable(state)) return console.warn('SKIPPED: this disk has no immutable flag for root')
  expect((await put(doorWith())).error?.error).toContain(state)
  expect(readFileSync(path, 'utf8')).toBe('old\n')
})

test('a full disk: the file is wholly old, nothing is left, and with room the write succeeds', async () => {
  const disk = join(folder, 'disk')
  mkdirSync(disk)
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]).status === 0
  if (!mounted) return console.warn('SKIPPED: mounting is not allowed here')
  try {
    const small = join(disk, 'rules.md')
    const old = 'o'.repeat(600_000)
    writeFileSync(small, old)
    for (const own of [state, join(disk, 'state')]) {
      const door = doorWith({
        place: { directory: disk, worktree: disk },
        discovered: seen(small),
        state: own,
      })
      const refused = await writeFile(door, { path: small, toText: () => 'n'.repeat(900_000), backup: true })
      expect(refused.error).toMatchObject({ status: 'writeError' })
      expect(refused.error?.error).toContain('the disk is full')
      expect(readFileSync(small, 'utf8')).toBe(old)
    }
    rmSync(join(disk, 'state'), { recursive: true })
    expect(readdirSync(disk)).toEqual(['rules.md'])
    const door = doorWith({ place: { directory: disk, worktree: disk }, discovered: seen(small) })
    expect((await writeFile(door, { path: small, toText: () => 'short', backup: true })).error).toBeNull()
    expect(readFileSync(small, 'utf8')).toBe('short')
  } finally {
    spawnSync('umount', [disk])
  }
})

const KILLS = 60
const SIZE = 1_000_000

test(`after each of ${KILLS} kills the file is wholly old or wholly new`, async () => {
  const wholes = ['o', 'n'].map((letter) => letter.repeat(SIZE))
  writeFileSync(path, wholes[0]!)
  const script = join(import.meta.dirname, '../test/fixtures/rewrite-forever.ts')
  for (let kill = 0; kill < KILLS; kill++) {
    const child = Bun.spawn([process.execPath, script, path, state, String(SIZE)], { stdout: 'pipe' })
    const { value } = await child.stdout.getReader().read()
    expect(new TextDecoder().decode(value)).toBe('started\n')
    await Bun.sleep(Math.random() * 40)
    child.kill('SIGKILL')
    await child.exited
    expect(wholes.includes(readFileSync(path, 'utf8'))).toBe(true)
    expect(readdirSync(project)).toEqual(['rules.md'])
  }
  // A kill between a backup and the pruning leaves one more.
  expect((await listBackups(state, path)).length).toBeLessThanOrEqual(BACKUPS_KEPT + 1)
  expect(existsSync(join(state, 'tmp'))).toBe(true)
}, 60_000)

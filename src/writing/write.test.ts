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
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { can, canMount, mounted, withDisk } from '../../test/harness/mounts.ts'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { ok } from '../safe.ts'
import { fingerprintOf, MAX_BYTES } from '../text/read.ts'
import { replaceFile } from './atomic-replace.ts'
import { BACKUPS_KEPT, listBackups } from './backup.ts'
import { ShownFiles } from './shown-files.ts'
import { unguardedWriteContext, type WriteContext } from './write-context.ts'
import { type Change, changeText, writeFile } from './write.ts'

const isRoot = process.getuid?.() === 0
const WRITE_ROUNDS = join(import.meta.dirname, '../../test/harness/fixtures/write-rounds.ts')

const scratch = scratchFolder()
let [folder, project, path, state] = ['', '', '', '']

beforeEach(() => {
  folder = mkdtempSync(join(scratch, 'write-'))
  project = join(folder, 'project')
  path = join(project, 'rules.md')
  state = join(folder, 'state')
  mkdirSync(project)
  writeFileSync(path, 'old\n')
})

afterEach(() => void spawnSync('chattr', ['-R', '-i', folder]))

const shownFiles = (...paths: Array<string>): ShownFiles => {
  const discovered = new ShownFiles()
  for (const file of paths) discovered.record(file, fingerprintOf(readFileSync(file)))
  return discovered
}

const contextWith = (
  { discovered = shownFiles(path), ...overrides }: Partial<WriteContext> = {},
): WriteContext => ({
  ...unguardedWriteContext(path),
  discovered,
  known: discovered,
  state,
  ...overrides,
})

const put = (writeContext: WriteContext, text = 'new\n', target = path) =>
  writeFile(writeContext, { kind: 'rewrite', path: target, toBytes: changeText(() => ok(text)) })

const add = (writeContext: WriteContext, text: string) =>
  writeFile(writeContext, { kind: 'addition', path, toBytes: changeText((old) => ok(old + text)) })

test('a file that was replaced by a link counts as not shown, and stays', async () => {
  const other = join(project, 'other.md')
  writeFileSync(other, 'not shown\n')
  const writeContext = contextWith()
  rmSync(path)
  symlinkSync('other.md', path)
  for (const write of [put, add]) {
    expect((await write(writeContext, 'new\n')).error).toContain('discover-rules has not shown it')
  }
  expect(readFileSync(other, 'utf8')).toBe('not shown\n')
})

test('a change during the question is detected', async () => {
  const writeContext = contextWith()
  writeContext.permissions.toEdit = async () => {
    writeFileSync(path, 'typed meanwhile\n')
    return ok(null)
  }
  expect((await put(writeContext)).error).toContain('while permission was asked for')
  expect(readFileSync(path, 'utf8')).toBe('typed meanwhile\n')
})

test('a change while the new bytes are written is detected', async () => {
  let looks = 0
  const scratch = join(state, 'tmp')
  const mayReplace = async () => ++looks > 1
  expect(await replaceFile(path, Buffer.from('new\n'), { scratch, mayReplace })).toBe(false)
  expect([readFileSync(path, 'utf8'), readdirSync(scratch)]).toEqual(['old\n', []])
  expect(readdirSync(project)).toEqual(['rules.md'])
  expect(await replaceFile(path, Buffer.from('new\n'), { scratch, mayReplace })).toBe(true)
  expect(readFileSync(path, 'utf8')).toBe('new\n')
})

test('a change after the last read is detected', async () => {
  // The file is read before and after the question; then the bytes are compared.
  let compared = 0
  const bytesOf = (bytes: Buffer) => ({
    get: () => {
      if (++compared === 2) writeFileSync(path, 'typed meanwhile\n')
      return bytes
    },
  })
  const toBytes: Change['toBytes'] = async (current) => {
    Object.defineProperty(current, 'bytes', bytesOf(current!.bytes))
    return ok(Buffer.from('new\n'))
  }
  const { error } = await writeFile(contextWith(), { kind: 'addition', path, toBytes })
  expect([compared, error]).toEqual([2, expect.stringContaining('it changed while')])
  expect(readFileSync(path, 'utf8')).toBe('typed meanwhile\n')
})

test('the next write removes temporary files of a killed process; recent and other files stay', async () => {
  const scratch = join(path, 'no folder')
  const names = [
    '.opencode-sat-6f1b1c1e-0000-4000-8000-000000000000.tmp',
    '.opencode-sat-6f1b1c1e-0000-4000-8000-000000000001.tmp',
    '.opencode-sat-backup.tmp',
  ]
  const [stale = '', fresh = '', foreign = ''] = names
  for (const name of names) writeFileSync(join(project, name), '')
  for (const name of [stale, foreign]) utimesSync(join(project, name), 0, 0)
  await replaceFile(path, Buffer.from('new\n'), { scratch, mayReplace: async () => true })
  expect(readdirSync(project).toSorted()).toEqual([fresh, foreign, 'rules.md'])
  expect(readFileSync(path, 'utf8')).toBe('new\n')
})

// An atomic write would separate two hard links.
test.each<[why: string, prepare: () => unknown, text: string, refusal: RegExp]>([
  ['a second hard link', () => linkSync(path, `${path}.md`), 'new', /^refused: .*2 hard links/],
  ['the mark that it is read-only', () => chmodSync(path, 0o444), 'new', /^refused: it is marked read-only$/],
  [
    'a state folder that cannot be created',
    () => writeFileSync(state, ''),
    'new',
    /^writeError: .*no lock file.*\/state:/,
  ],
  ['a text beyond 10 MB', () => {}, 'x'.repeat(MAX_BYTES + 1), /^refused: ./],
])('a file is left alone for %s', async (_, prepare, text, refusal) => {
  prepare()
  const { status, error } = await put(contextWith(), text)
  expect(`${status}: ${error}`).toMatch(refusal)
  expect(readFileSync(path, 'utf8')).toBe('old\n')
})

test('mode, owner and link stay, and no temporary file is left', async () => {
  chmodSync(path, 0o4640)
  if (isRoot) chownSync(path, 1234, 2345)
  const before = statSync(path)
  const link = join(project, 'link.md')
  symlinkSync('rules.md', link)
  expect((await put(contextWith(), 'new\n', link)).status).toBe('success')
  const { mode, uid, gid } = statSync(path)
  expect([mode & 0o777, uid, gid]).toEqual([before.mode & 0o777, before.uid, before.gid])
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect(readdirSync(project).sort()).toEqual(['link.md', 'rules.md'])
  expect(readdirSync(join(state, 'tmp'))).toEqual([])
})

// Some machines run this test as root, who ignores permission bits; there the file system's immutable flag is used.
const canMakeUnwritable = !isRoot
  || can((tried) => ['chattr', '+i', tried], (tried) => ['chattr', '-i', tried])

const makeUnwritable = (target: string): void => {
  if (isRoot) spawnSync('chattr', ['+i', target])
  else chmodSync(target, 0o500)
}

const backupTexts = async (): Promise<Array<string>> =>
  (await listBackups(state, path)).map((backup) => readFileSync(backup, 'utf8'))

/** Rewrites the file and adds to it; expects both to be written in place, after a backup. */
const expectInPlace = async (): Promise<void> => {
  const { ino } = statSync(path)
  const writeContext = contextWith()
  expect((await put(writeContext)).status).toBe('success')
  expect((await add(writeContext, 'more\n')).status).toBe('success')
  expect([readFileSync(path, 'utf8'), statSync(path).ino, readdirSync(project)]).toEqual([
    'new\nmore\n',
    ino,
    ['rules.md'],
  ])
  expect(await backupTexts()).toEqual(['old\n', 'new\n'])
}

test.if(canMakeUnwritable)('in a folder that takes no new file, a file is written in place', async () => {
  makeUnwritable(project)
  await expectInPlace()
})

test.if(canMount)('a file that is a mount point is written in place', () => {
  const elsewhere = join(folder, 'elsewhere.md')
  writeFileSync(elsewhere, 'old\n')
  return mounted(['--bind', elsewhere], path, expectInPlace)
})

test.if(isRoot)(
  "a file that is somebody else's is written in place where it may be, else left alone",
  async () => {
    mkdirSync(state)
    for (const open of [project, state, path]) chmodSync(open, 0o777)
    for (const parent of [scratch, folder]) chmodSync(parent, 0o755)
    const write = (size: string) =>
      Bun.spawnSync([process.execPath, WRITE_ROUNDS, 'rewrite', path, state, size, '1', '1234']).stderr
        .toString()
    const { ino } = statSync(path)
    expect(write('3')).toBe('')
    expect([readFileSync(path, 'utf8'), statSync(path).ino, statSync(path).uid]).toEqual(['nnn', ino, 0])
    expect(await backupTexts()).toEqual(['old\n'])
    chmodSync(path, 0o644)
    expect(write('4')).toContain('permission denied')
    expect([readFileSync(path, 'utf8'), readdirSync(project)]).toEqual(['nnn', ['rules.md']])
  },
)

/** Fills more than half of a disk with a file. */
const onSmallDisk = (work: (disk: string, file: string, old: string) => Promise<void>): Promise<void> => {
  const disk = join(folder, 'disk')
  mkdirSync(disk)
  return withDisk('1m', disk, () => {
    const old = 'o'.repeat(600_000)
    writeFileSync(join(disk, 'rules.md'), old)
    return work(disk, join(disk, 'rules.md'), old)
  })
}

test.if(canMount)(
  'on a full disk the file keeps its old text; with room the write succeeds',
  () =>
    onSmallDisk(async (disk, small, old) => {
      const workspace = { directory: disk, worktree: disk }
      for (const own of [state, join(disk, 'state')]) {
        const writeContext = contextWith({ workspace, discovered: shownFiles(small), state: own })
        const refused = await put(writeContext, 'n'.repeat(900_000), small)
        expect(refused).toMatchObject({ status: 'writeError' })
        expect(refused.error).toContain('the disk is full')
        expect(readFileSync(small, 'utf8')).toBe(old)
      }
      rmSync(join(disk, 'state'), { recursive: true })
      expect(readdirSync(disk)).toEqual(['rules.md'])
      const writeContext = contextWith({ workspace, discovered: shownFiles(small) })
      expect((await put(writeContext, 'short', small)).status).toBe('success')
      expect(readFileSync(small, 'utf8')).toBe('short')
    }),
)

test.if(canMount)(
  'on a full disk a file written in place gets its old text back',
  () =>
    onSmallDisk((_, real, old) =>
      mounted(['--bind', real], path, async () => {
        const refused = await put(contextWith(), 'n'.repeat(2_000_000))
        expect(refused.error).toContain('the disk is full')
        expect(readFileSync(path, 'utf8')).toBe(old)
      })
    ),
)

test.if(canMount)(
  "a full disk of SAT's own: an addition, and a deleted file that comes back, are written all the same",
  () => {
    const scratch = join(state, 'tmp')
    mkdirSync(scratch, { recursive: true })
    return withDisk('64k', scratch, async () => {
      writeFileSync(join(scratch, 'other'), Buffer.alloc(64_000))
      expect((await add(contextWith(), 'n'.repeat(100_000))).status).toBe('success')
      expect(readFileSync(path, 'utf8')).toHaveLength(100_004)
      rmSync(path)
      expect(await replaceFile(path, Buffer.alloc(100_000), { scratch })).toBe(true)
      expect([readdirSync(project), readdirSync(scratch)]).toEqual([['rules.md'], ['other']])
    })
  },
)

// Not every machine has the command-line tools for these; most have Python, which has the system calls.
const attributes = (script: string, target: string): Array<string> => [
  'python3',
  '-c',
  `import os, struct, sys; path = sys.argv[1]; ${script}`,
  target,
]

const SHOW_ATTRIBUTES = 'print([(name, os.getxattr(path, name)) for name in sorted(os.listxattr(path))])'

const SET_ATTRIBUTES = [
  'os.setxattr(path, "user.note", b"kept")',
  'acl = [(1, 6, -1), (2, 4, 12345), (4, 4, -1), (8, 0, 23456), (16, 4, -1), (32, 4, -1)]',
  'entries = [struct.pack("<HHI", tag, may, who & 0xffffffff) for tag, may, who in acl]',
  'os.setxattr(path, "system.posix_acl_access", struct.pack("<I", 2) + b"".join(entries))',
  SHOW_ATTRIBUTES,
].join('; ')

const canSetAttributes = can((tried) => attributes(SET_ATTRIBUTES, tried))

test.if(canSetAttributes)('ACL and extended attributes stay, for a rewrite and for an addition', async () => {
  const printed = (script: string) => Bun.spawnSync(attributes(script, path)).stdout.toString()
  const before = printed(SET_ATTRIBUTES)
  expect(before).toMatch(/posix_acl_access.*kept/)
  const writeContext = contextWith()
  expect((await put(writeContext)).status).toBe('success')
  expect((await add(writeContext, 'more\n')).status).toBe('success')
  expect([printed(SHOW_ATTRIBUTES), readFileSync(path, 'utf8')]).toEqual([before, 'new\nmore\n'])
})

const KILLS = 2

/** Starts a program that writes a large file in rounds, and kills it while it writes a temporary file. */
const killInWrite = async (kind: string, size: number): Promise<void> => {
  const child = Bun.spawn([process.execPath, WRITE_ROUNDS, kind, path, state, String(size)], {
    stdout: 'pipe',
  })
  await child.stdout.getReader().read()
  const isWriting = () => readdirSync(join(state, 'tmp')).length > 0
  while (!isWriting() && child.exitCode === null) await Bun.sleep(0)
  expect(child.exitCode).toBeNull()
  child.kill('SIGKILL')
  await child.exited
}

test.each([['rewrite', ['rules.md']], ['restore', []]])(
  'after a kill during a write, the file is complete, and the next write does not wait: %s',
  async (kind, always) => {
    const wholes = ['o', 'n'].map((letter) => letter.repeat(1_000_000))
    for (let kill = 0; kill < KILLS; kill++) {
      writeFileSync(path, wholes[0]!)
      await killInWrite(kind, 1_000_000)
      expect([always, ['rules.md']]).toContainEqual(readdirSync(project))
      if (existsSync(path)) expect(wholes).toContain(readFileSync(path, 'utf8'))
      rmSync(join(state, 'tmp'), { recursive: true })
    }
    // A kill between the backup and the pruning leaves one more.
    expect((await listBackups(state, path)).length).toBeLessThanOrEqual(BACKUPS_KEPT + 1)
    writeFileSync(path, 'old\n')
    const before = performance.now()
    expect((await put(contextWith())).status).toBe('success')
    expect(performance.now() - before).toBeLessThan(5_000)
  },
  60_000,
)

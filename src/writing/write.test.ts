/** Tests `writeFile`, with which SAT's tools change files, and `replaceFile`, which replaces a file's bytes. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { can, canMount, withDisk, withMount } from '../../test/harness/mounts.ts'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { ok } from '../safe.ts'
import { fingerprintOf, MAX_BYTES } from '../text/read.ts'
import { replaceFile } from './atomic-replace.ts'
import { BACKUPS_KEPT, listBackups } from './backup.ts'
import { ShownFiles } from './shown-files.ts'
import { unguardedWriteContext, type WriteContext } from './write-context.ts'
import { changeText, writeFile } from './write.ts'

const isRoot = process.getuid?.() === 0
const WRITE_ROUNDS = join(import.meta.dirname, '../../test/harness/fixtures/write-rounds.ts')

const scratch = scratchFolder()
let [folder, project, path, state] = ['', '', '', '']

beforeEach(() => {
  folder = fs.mkdtempSync(join(scratch, 'write-'))
  project = join(folder, 'project')
  path = join(project, 'rules.md')
  state = join(folder, 'state')
  fs.mkdirSync(project)
  fs.writeFileSync(path, 'old\n')
})

// A folder that is marked as immutable cannot be removed.
afterEach(() => void spawnSync('chattr', ['-R', '-i', folder]))

const textNow = (): string => fs.readFileSync(path, 'utf8')

const recordOf = (file = path): ShownFiles => {
  const shown = new ShownFiles()
  shown.record(file, fingerprintOf(fs.readFileSync(file)))
  return shown
}

const contextWith = (overrides: Partial<WriteContext> = {}): WriteContext => {
  const shown = overrides.discovered ?? recordOf()
  return { ...unguardedWriteContext(path), discovered: shown, shownAtStart: shown, state, ...overrides }
}

const rewrite = (writeContext: WriteContext, text = 'new\n', target = path) =>
  writeFile(writeContext, { kind: 'rewrite', path: target, toBytes: changeText(() => ok(text)) })

const add = (writeContext: WriteContext, text: string) =>
  writeFile(writeContext, { kind: 'addition', path, toBytes: changeText((old) => ok(old + text)) })

test('a link in the place of a shown file counts as not shown', async () => {
  const writeContext = contextWith()
  fs.writeFileSync(join(project, 'other.md'), 'not shown\n')
  fs.rmSync(path)
  fs.symlinkSync('other.md', path)
  for (const write of [rewrite, add]) {
    expect((await write(writeContext, 'new\n')).error).toContain('discover-rules has not shown it')
  }
  expect(textNow()).toBe('not shown\n')
})

const typeMeanwhile = () => fs.writeFileSync(path, 'typed meanwhile\n')

test('a file that changes while permission is asked for keeps that change', async () => {
  const writeContext = contextWith()
  writeContext.permissions.askToEdit = async () => (typeMeanwhile(), ok(null))
  expect((await rewrite(writeContext)).error).toContain('while permission was asked for')
  expect(textNow()).toBe('typed meanwhile\n')
})

test('if `mayReplace` returns false, the file stays and no temporary file is left', async () => {
  const tmp = join(state, 'tmp')
  const mayReplace = async () => {
    expect(fs.readdirSync(tmp)).toHaveLength(1)
    return false
  }
  expect(await replaceFile(path, Buffer.from('new\n'), { scratch: tmp, mayReplace })).toBe(false)
  expect([textNow(), fs.readdirSync(tmp), fs.readdirSync(project)]).toEqual(['old\n', [], ['rules.md']])
})

test('a file that changes after it was last read keeps that change', async () => {
  let reads = 0
  const toBytes = async () => {
    // The second call comes after the last read.
    if (++reads === 2) typeMeanwhile()
    return ok(Buffer.from('new\n'))
  }
  const { error } = await writeFile(contextWith(), { kind: 'addition', path, toBytes })
  expect([reads, error]).toEqual([2, expect.stringContaining('it changed while')])
  expect(textNow()).toBe('typed meanwhile\n')
})

test('the next write removes temporary files older than a minute, which a killed process left', async () => {
  // Below a file, no folder can be created, so the temporary files are in the project.
  const noFolder = join(path, 'no folder')
  const id = '.opencode-sat-6f1b1c1e-0000-4000-8000-00000000000'
  const [stale, fresh, foreign] = [`${id}0.tmp`, `${id}1.tmp`, '.opencode-sat-backup.tmp']
  for (const name of [stale, fresh, foreign]) fs.writeFileSync(join(project, name), '')
  for (const name of [stale, foreign]) fs.utimesSync(join(project, name), 0, 0)
  await replaceFile(path, Buffer.from('new\n'), { scratch: noFolder, mayReplace: async () => true })
  expect(fs.readdirSync(project).toSorted()).toEqual([fresh, foreign, 'rules.md'])
  expect(textNow()).toBe('new\n')
})

test.each<[why: string, prepare: () => unknown, refusal: RegExp, text?: string]>([
  ['a second hard link', () => fs.linkSync(path, `${path}.md`), /^refused: .*2 hard links/],
  ['its read-only mark', () => fs.chmodSync(path, 0o444), /^refused: it is marked read-only$/],
  [
    'a file in place of the state folder',
    () => fs.writeFileSync(state, ''),
    /^writeError: .*no lock file.*\/state:/,
  ],
  ['a text beyond 10 MB', () => {}, /^refused: ./, 'x'.repeat(MAX_BYTES + 1)],
])('a file is left alone because of %s', async (_, prepare, refusal, text = 'new') => {
  prepare()
  const { status, error } = await rewrite(contextWith(), text)
  expect(`${status}: ${error}`).toMatch(refusal)
  expect(textNow()).toBe('old\n')
})

test('a rewrite keeps mode, owner and a link to the file, and leaves no temporary file', async () => {
  fs.chmodSync(path, 0o640)
  if (isRoot) fs.chownSync(path, 1234, 2345)
  const before = fs.statSync(path)
  const link = join(project, 'link.md')
  fs.symlinkSync('rules.md', link)
  expect((await rewrite(contextWith(), 'new\n', link)).status).toBe('success')
  const { mode, uid, gid } = fs.statSync(path)
  expect([mode, uid, gid]).toEqual([before.mode, before.uid, before.gid])
  expect(fs.lstatSync(link).isSymbolicLink()).toBe(true)
  expect(fs.readdirSync(project).sort()).toEqual(['link.md', 'rules.md'])
  expect(fs.readdirSync(join(state, 'tmp'))).toEqual([])
})

// Root ignores mode bits, but not the immutable flag.
const canMakeUnwritable = !isRoot
  || can((tried) => ['chattr', '+i', tried], (tried) => ['chattr', '-i', tried])

const backupTexts = async (): Promise<Array<string>> =>
  (await listBackups(state, path)).map((backup) => fs.readFileSync(backup, 'utf8'))

const expectInPlace = async (): Promise<void> => {
  const { ino } = fs.statSync(path)
  const writeContext = contextWith()
  expect((await rewrite(writeContext)).status).toBe('success')
  expect((await add(writeContext, 'more\n')).status).toBe('success')
  const found = [textNow(), fs.statSync(path).ino, fs.readdirSync(project)]
  expect(found).toEqual(['new\nmore\n', ino, ['rules.md']])
  expect(await backupTexts()).toEqual(['old\n', 'new\n'])
}

test.if(canMakeUnwritable)('in a folder that takes no new file, a file is written in place', async () => {
  if (isRoot) spawnSync('chattr', ['+i', project])
  else fs.chmodSync(project, 0o500)
  await expectInPlace()
})

test.if(canMount)('a file that is a mount point is written in place', () => {
  const elsewhere = join(folder, 'elsewhere.md')
  fs.writeFileSync(elsewhere, 'old\n')
  return withMount(['--bind', elsewhere], path, expectInPlace)
})

test.if(isRoot)("another user's file is written in place if it is writable, else left alone", async () => {
  fs.mkdirSync(state)
  for (const writable of [project, state, path]) fs.chmodSync(writable, 0o777)
  for (const parent of [scratch, folder]) fs.chmodSync(parent, 0o755)
  const command = [process.execPath, WRITE_ROUNDS, 'rewrite', path, state]
  /** As the user 1234, writes `size` times the letter n; returns the error. */
  const writeAsOther = (size: string) => Bun.spawnSync([...command, size, '1', '1234']).stderr.toString()
  const { ino } = fs.statSync(path)
  expect(writeAsOther('3')).toBe('')
  expect([textNow(), fs.statSync(path).ino, fs.statSync(path).uid]).toEqual(['nnn', ino, 0])
  expect(await backupTexts()).toEqual(['old\n'])
  fs.chmodSync(path, 0o644)
  expect(writeAsOther('4')).toContain('permission denied')
  expect([textNow(), fs.readdirSync(project)]).toEqual(['nnn', ['rules.md']])
})

test.if(canMount)('on a full disk, a file keeps its old text; a shorter text is still written', () => {
  const [disk, old] = [join(folder, 'disk'), 'o'.repeat(600_000)]
  const onDisk = join(disk, 'rules.md')
  fs.mkdirSync(disk)
  return withDisk('1m', disk, async () => {
    fs.writeFileSync(onDisk, old)
    const discovered = recordOf(onDisk)
    // SAT's folder, where the temporary file is tried first, is on another disk, then on this one.
    for (const ownFolder of [state, join(disk, 'state')]) {
      const context = contextWith({ discovered, state: ownFolder })
      const { status, error } = await rewrite(context, 'n'.repeat(900_000), onDisk)
      expect(`${status}: ${error}`).toMatch(/^writeError: .*the disk is full/)
      expect(fs.readFileSync(onDisk, 'utf8')).toBe(old)
    }
    fs.rmSync(join(disk, 'state'), { recursive: true })
    expect(fs.readdirSync(disk)).toEqual(['rules.md'])
    // A mount point is written in place, so its old text must come back.
    await withMount(['--bind', onDisk], path, async () => {
      expect((await rewrite(contextWith(), 'n'.repeat(2_000_000))).error).toContain('the disk is full')
      expect(textNow()).toBe(old)
    })
    expect((await rewrite(contextWith({ discovered }), 'short', onDisk)).status).toBe('success')
    expect(fs.readFileSync(onDisk, 'utf8')).toBe('short')
  })
})

test.if(canMount)(
  "if the disk of SAT's temporary files is full, an addition and a new file are written all the same",
  () => {
    const tmp = join(state, 'tmp')
    fs.mkdirSync(tmp, { recursive: true })
    return withDisk('64k', tmp, async () => {
      fs.writeFileSync(join(tmp, 'other'), Buffer.alloc(64_000))
      expect((await add(contextWith(), 'n'.repeat(100_000))).status).toBe('success')
      expect(textNow()).toHaveLength(100_004)
      fs.rmSync(path)
      expect(await replaceFile(path, Buffer.alloc(100_000), { scratch: tmp })).toBe(true)
      expect([fs.readdirSync(project), fs.readdirSync(tmp)]).toEqual([['rules.md'], ['other']])
    })
  },
)

// Not every machine has command-line tools for attributes.
const PRELUDE = 'import os, struct, sys; path = sys.argv[1]; '
const pythonCommand = (script: string, target: string) => ['python3', '-c', PRELUDE + script, target]

const SHOW_ATTRIBUTES = 'print([(name, os.getxattr(path, name)) for name in sorted(os.listxattr(path))])'

const SET_ATTRIBUTES = [
  'os.setxattr(path, "user.note", b"kept")',
  'acl = [(1, 6, -1), (2, 4, 12345), (4, 4, -1), (8, 0, 23456), (16, 4, -1), (32, 4, -1)]',
  'entries = [struct.pack("<HHI", tag, may, who & 0xffffffff) for tag, may, who in acl]',
  'os.setxattr(path, "system.posix_acl_access", struct.pack("<I", 2) + b"".join(entries))',
  SHOW_ATTRIBUTES,
].join('; ')

const canSetAttributes = can((tried) => pythonCommand(SET_ATTRIBUTES, tried))

test.if(canSetAttributes)('a rewrite and an addition keep ACL and extended attributes', async () => {
  const printed = (script: string) => Bun.spawnSync(pythonCommand(script, path)).stdout.toString()
  const before = printed(SET_ATTRIBUTES)
  expect(before).toMatch(/posix_acl_access.*kept/)
  const writeContext = contextWith()
  expect((await rewrite(writeContext)).status).toBe('success')
  expect((await add(writeContext, 'more\n')).status).toBe('success')
  expect([printed(SHOW_ATTRIBUTES), textNow()]).toEqual([before, 'new\nmore\n'])
})

/** Starts a program that writes the file again and again, and kills it while a temporary file exists. */
const killInWrite = async (kind: string, size: number): Promise<void> => {
  const command = [process.execPath, WRITE_ROUNDS, kind, path, state, String(size)]
  const child = Bun.spawn(command, { stdout: 'pipe' })
  await child.stdout.getReader().read()
  const isWriting = () => fs.readdirSync(join(state, 'tmp')).length > 0
  while (!isWriting() && child.exitCode === null) await Bun.sleep(0)
  expect(child.exitCode).toBeNull()
  child.kill('SIGKILL')
  await child.exited
}

// The program deletes the file before each restore, so a kill may leave no file.
test.each([['rewrite', [['rules.md']]], ['restore', [['rules.md'], []]]])(
  "a kill during a %s leaves no half-written file, and the next write does not wait for the killed program's lock",
  async (kind, possibleFiles) => {
    const wholeTexts = ['o', 'n'].map((letter) => letter.repeat(1_000_000))
    for (let kill = 0; kill < 2; kill++) {
      fs.writeFileSync(path, wholeTexts[0]!)
      await killInWrite(kind, 1_000_000)
      expect(possibleFiles).toContainEqual(fs.readdirSync(project))
      if (fs.existsSync(path)) expect(wholeTexts).toContain(textNow())
      fs.rmSync(join(state, 'tmp'), { recursive: true })
    }
    expect((await listBackups(state, path)).length).toBeLessThanOrEqual(BACKUPS_KEPT)
    fs.writeFileSync(path, 'old\n')
    const before = performance.now()
    expect((await rewrite(contextWith())).status).toBe('success')
    expect(performance.now() - before).toBeLessThan(5_000)
  },
  60_000,
)

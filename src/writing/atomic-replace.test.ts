import { afterEach, beforeEach, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { can, canMount, withDisk, withMount } from '../../test/harness/mounts.ts'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { ok } from '../safe.ts'
import { replaceFile } from './atomic-replace.ts'
import { BACKUPS_KEPT, listBackups } from './backup.ts'
import { changeText, unguardedWriteContext, writeFile } from './write.ts'

const isRoot = process.getuid?.() === 0
const WRITE_ROUNDS = join(import.meta.dirname, '../../test/harness/fixtures/write-rounds.ts')

const scratch = scratchFolder()
let [folder, project, path, state] = ['', '', '', '']

beforeEach(() => {
  folder = fs.mkdtempSync(join(scratch, 'replace-'))
  project = join(folder, 'project')
  path = join(project, 'rules.md')
  state = join(folder, 'state')
  fs.mkdirSync(project)
  fs.writeFileSync(path, 'old\n')
})

// A folder that is marked as immutable cannot be removed.
afterEach(() => void spawnSync('chattr', ['-R', '-i', folder]))

const textNow = (file = path): string => fs.readFileSync(file, 'utf8')

const rewrite = (text = 'new\n', file = path, ownFolder = state) => {
  const context = { ...unguardedWriteContext(file), state: ownFolder }
  return writeFile(context, { kind: 'rewrite', path: file, toBytes: changeText(() => ok(text)) })
}

const add = (text: string) => {
  const context = { ...unguardedWriteContext(path), state }
  return writeFile(context, { kind: 'addition', path, toBytes: changeText((old) => ok(old + text)) })
}

test('if `mayReplace` returns false, the file stays and no temporary file is left', async () => {
  const tmp = join(state, 'tmp')
  const mayReplace = async () => {
    expect(fs.readdirSync(tmp)).toHaveLength(1)
    return false
  }
  expect(await replaceFile(path, Buffer.from('new\n'), { scratch: tmp, mayReplace })).toBe(false)
  expect([textNow(), fs.readdirSync(tmp), fs.readdirSync(project)]).toEqual(['old\n', [], ['rules.md']])
})

test('a write removes the temporary files that a killed process left more than a minute ago', async () => {
  // `rules.md` is no folder, so the temporary file goes into the project's folder.
  const scratchInFile = join(path, 'tmp')
  const id = '.opencode-sat-6f1b1c1e-0000-4000-8000-00000000000'
  const [stale, fresh, foreign] = [`${id}0.tmp`, `${id}1.tmp`, '.opencode-sat-backup.tmp']
  for (const name of [stale, fresh, foreign]) fs.writeFileSync(join(project, name), '')
  const brokenLink = `${id}2.tmp`
  fs.symlinkSync('missing', join(project, brokenLink))
  for (const name of [stale, foreign, brokenLink]) fs.lutimesSync(join(project, name), 0, 0)
  await replaceFile(path, Buffer.from('new\n'), { scratch: scratchInFile, mayReplace: async () => true })
  expect(fs.readdirSync(project).toSorted()).toEqual([fresh, foreign, 'rules.md'])
  expect(textNow()).toBe('new\n')
})

test('a rewrite keeps mode, owner and a link to the file, and leaves no temporary file', async () => {
  fs.chmodSync(path, 0o640)
  if (isRoot) fs.chownSync(path, 1234, 2345)
  const before = fs.statSync(path)
  const link = join(project, 'link.md')
  fs.symlinkSync('rules.md', link)
  expect((await rewrite('new\n', link)).status).toBe('success')
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
  expect((await rewrite('new\n')).status).toBe('success')
  expect((await add('more\n')).status).toBe('success')
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
  const writeAsOther = (size: string) => Bun.spawnSync([...command, size, '1', '1234']).stderr.toString()
  const { ino } = fs.statSync(path)
  expect(writeAsOther('3')).toBe('')
  expect([textNow(), fs.statSync(path).ino, fs.statSync(path).uid]).toEqual(['nnn', ino, 0])
  expect(await backupTexts()).toEqual(['old\n'])
  fs.chmodSync(path, 0o644)
  expect(writeAsOther('4')).toContain('permission denied')
  expect([textNow(), fs.readdirSync(project)]).toEqual(['nnn', ['rules.md']])
})

test.if(canMount)('on a full disk, a longer text changes nothing, but a shorter text is written', () => {
  const [disk, old] = [join(folder, 'disk'), 'o'.repeat(600_000)]
  const file = join(disk, 'rules.md')
  fs.mkdirSync(disk)
  return withDisk('1m', disk, async () => {
    fs.writeFileSync(file, old)
    // In the first round, the folder for the temporary file is on another disk.
    for (const ownFolder of [state, join(disk, 'state')]) {
      const { status, error } = await rewrite('n'.repeat(900_000), file, ownFolder)
      expect(`${status}: ${error}`).toMatch(/^writeError: .*the disk is full/)
      expect(textNow(file)).toBe(old)
    }
    fs.rmSync(join(disk, 'state'), { recursive: true })
    expect(fs.readdirSync(disk)).toEqual(['rules.md'])
    expect((await rewrite('short', file)).status).toBe('success')
    expect(textNow(file)).toBe('short')
  })
})

test.if(canMount)('if a file is written in place and the disk is full, its old text is restored', () => {
  const [disk, old] = [join(folder, 'disk'), 'o'.repeat(600_000)]
  fs.mkdirSync(disk)
  return withDisk('1m', disk, async () => {
    fs.writeFileSync(join(disk, 'rules.md'), old)
    await withMount(['--bind', join(disk, 'rules.md')], path, async () => {
      expect((await rewrite('n'.repeat(2_000_000))).error).toContain('the disk is full')
      expect(textNow()).toBe(old)
    })
  })
})

test.if(canMount)(
  "if the disk of SAT's temporary files is full, additions and new files are still written",
  () => {
    const tmp = join(state, 'tmp')
    fs.mkdirSync(tmp, { recursive: true })
    return withDisk('64k', tmp, async () => {
      fs.writeFileSync(join(tmp, 'other'), Buffer.alloc(64_000))
      expect((await add('n'.repeat(100_000))).status).toBe('success')
      expect(textNow()).toHaveLength(100_004)
      fs.rmSync(path)
      expect(await replaceFile(path, Buffer.alloc(100_000), { scratch: tmp })).toBe(true)
      expect([fs.readdirSync(project), fs.readdirSync(tmp)]).toEqual([['rules.md'], ['other']])
    })
  },
)

// Uses Python, because not every machine has command-line tools for attributes.
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
  expect((await rewrite('new\n')).status).toBe('success')
  expect((await add('more\n')).status).toBe('success')
  expect([printed(SHOW_ATTRIBUTES), textNow()]).toEqual([before, 'new\nmore\n'])
})

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

test.each<[kind: string, possibleFiles: Array<Array<string>>]>([
  ['rewrite', [['rules.md']]],
  // `write-rounds.ts` deletes the file before each restore, so a kill may leave no file.
  ['restore', [['rules.md'], []]],
])(
  'a kill during a %s leaves no half-written file, and no lock that the next write waits for',
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
    expect((await rewrite()).status).toBe('success')
    expect(performance.now() - before).toBeLessThan(5_000)
  },
  60_000,
)

import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join, resolve } from 'node:path'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { isUnchangedSince, MAX_BYTES, readBytes, readText } from './read.ts'

const folder = scratchFolder()

const writeFile = (name: string, bytes: string | Uint8Array): string => {
  const path = join(folder, name)
  fs.writeFileSync(path, bytes)
  return path
}

test.each([
  ['text in Latin-1', Buffer.from('für', 'latin1')],
  ['UTF-16 without a byte order mark', Buffer.from('hi\n', 'utf16le')],
  ['big-endian UTF-16', Buffer.from('hi\nyou', 'utf16le').swap16()],
])('bytes that are not UTF-8, or look like UTF-16, are refused: %s', async (_, bytes) => {
  expect((await readText(writeFile('bad.md', bytes))).error).toBe('it is not valid UTF-8')
})

fs.symlinkSync('good.md', join(folder, 'link.md'))

test.each(['', '\uFEFFwith a mark', 'ä€😀 and \0', 'a\r\nb'])('%j is read through a link', async (text) => {
  const path = writeFile('good.md', text)
  const read = { realPath: path, bytes: Buffer.from(text), stats: { ino: fs.statSync(path).ino }, text }
  expect((await readText(join(folder, 'link.md'))).data).toMatchObject(read)
})

test('a save, replacement or removal counts as a change of a file, but new permissions do not', async () => {
  const path = writeFile('changed.md', 'old')
  const isChangedBy = async (change: () => void): Promise<boolean> => {
    const { data } = await readText(path)
    // Two changes within one tick of the file system's clock would get the same time.
    await Bun.sleep(20)
    change()
    return !isUnchangedSince(data!)
  }
  expect(await isChangedBy(() => fs.chmodSync(path, 0o600))).toBe(false)
  expect(await isChangedBy(() => fs.writeFileSync(path, 'new'))).toBe(true)
  expect(await isChangedBy(() => fs.renameSync(writeFile('other.md', 'new'), path))).toBe(true)
  expect(await isChangedBy(() => fs.rmSync(path))).toBe(true)
})

spawnSync('mkfifo', [join(folder, 'pipe')])
fs.symlinkSync('nowhere', join(folder, 'dangling'))
fs.symlinkSync('loop', join(folder, 'loop'))
writeFile('file.md', '')

test.each([
  ['.', 'it is a folder, not a file'],
  ['pipe', 'it is a device, a pipe or a socket, not a file'],
  ['/dev/zero', 'it is a device, a pipe or a socket, not a file'],
  ['dangling', 'no such file'],
  ['loop', 'its links form a circle'],
  ['file.md/below', 'a part of the path is not a folder'],
])('anything but a regular file is refused with a reason, without hanging: %s', async (name, reason) => {
  expect((await readText(resolve(folder, name))).error).toBe(reason)
})

test('a file that is too large, or takes too long to read, is refused', async () => {
  const path = writeFile('big.md', '')
  fs.truncateSync(path, MAX_BYTES + 1)
  expect((await readText(path)).error).toBe(`it has ${MAX_BYTES + 1} bytes; at most ${MAX_BYTES} are read`)
  expect((await readBytes(path, { maxBytes: MAX_BYTES + 1 })).data?.bytes.length).toBe(MAX_BYTES + 1)
  expect((await readBytes(path, { maxBytes: 2 * MAX_BYTES, maxMs: 0 })).error).toBe('no answer within 0 ms')
})

// `stat` returns the size 0 for this file, although it has content.
const CMDLINE = '/proc/self/cmdline'

test.skipIf(!fs.existsSync(CMDLINE))('a file of unknown size is refused if it is too large', async () => {
  expect((await readBytes(CMDLINE)).data?.bytes.length).toBeGreaterThan(2)
  expect((await readBytes(CMDLINE, { maxBytes: 2 })).error).toContain('at most 2 are read')
})

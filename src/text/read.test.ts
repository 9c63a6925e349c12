import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { isUntouched, MAX_BYTES, readBytes, readText } from './read.ts'

const folder = scratchFolder()

const file = (name: string, bytes: string | Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}

const BAD: Array<[what: string, bytes: Array<number>]> = [
  ['an overlong slash', [0x61, 0x62, 0xc0, 0xaf]],
  ['text in Latin-1', [0x66, 0xfc, 0x72]],
  ['UTF-16 with its mark', [0xff, 0xfe, 0x61, 0x00]],
  ['UTF-16 without a mark', [...Buffer.from('hi\n', 'utf16le')]],
  ['UTF-16 in the other order', [...Buffer.from('hi\nyou', 'utf16le').swap16()]],
]

test.each(BAD)('%s is refused', async (_, bytes) => {
  expect((await readText(file('bad.md', Uint8Array.from(bytes)))).error).toBe('it is not valid UTF-8')
})

test.each(['', '\uFEFFwith a mark', 'ä€😀 and \0', 'a\r\nb'])(
  '%j is read unchanged, through a link',
  async (text) => {
    const link = join(folder, 'link.md')
    rmSync(link, { force: true })
    symlinkSync('good.md', link)
    const path = file('good.md', text)
    const read = { realPath: path, bytes: Buffer.from(text), stats: { ino: statSync(path).ino }, text }
    expect((await readText(link)).data).toMatchObject(read)
  },
)

test('a file that was saved, replaced or removed after the read counts as touched', async () => {
  const path = file('touched.md', 'old')
  const isTouchedBy = async (touch: () => void): Promise<boolean> => {
    const { data } = await readText(path)
    // The disk distinguishes only times that are a tick of its clock apart.
    await Bun.sleep(20)
    touch()
    return !isUntouched(data!)
  }
  expect(await isTouchedBy(() => chmodSync(path, 0o600))).toBe(false)
  expect(await isTouchedBy(() => writeFileSync(path, 'new'))).toBe(true)
  expect(await isTouchedBy(() => renameSync(file('other.md', 'new'), path))).toBe(true)
  expect(await isTouchedBy(() => rmSync(path))).toBe(true)
})

test('anything but a regular file is refused by its kind, without hanging', async () => {
  spawnSync('mkfifo', [join(folder, 'pipe')])
  symlinkSync('nowhere', join(folder, 'dangling'))
  symlinkSync('loop', join(folder, 'loop'))
  const reasons = Object.fromEntries(
    await Promise.all(
      ['.', 'pipe', 'dangling', 'loop', 'gone', 'good.md/below'].map(async (name) =>
        [name, (await readText(join(folder, name))).error] as const
      ),
    ),
  )
  expect(reasons).toEqual({
    '.': 'it is a folder, not a file',
    pipe: 'it is a device, a pipe or a socket, not a file',
    dangling: 'no such file',
    loop: 'its links form a circle',
    gone: 'no such file',
    'good.md/below': 'a part of the path is not a folder',
  })
  for (const device of ['/dev/zero', '/dev/null', '/dev/tty']) {
    expect((await readText(device)).error).toBe('it is a device, a pipe or a socket, not a file')
  }
})

test('a file larger than 10 MB is not read', async () => {
  const path = file('big.md', '')
  truncateSync(path, MAX_BYTES + 1)
  expect((await readText(path)).error).toBe(`it has ${MAX_BYTES + 1} bytes; at most ${MAX_BYTES} are read`)
  const note = file('note.md', 'words')
  expect((await readBytes(note, { maxBytes: 5 })).data?.bytes.length).toBe(5)
  expect((await readBytes(note, { maxBytes: 4 })).error).toBe('it has 5 bytes; at most 4 are read')
})

test.skipIf(!existsSync('/proc/self/environ'))(
  'a file of unknown size is read up to the limit',
  async () => {
    expect((await readBytes('/proc/self/cmdline')).data?.bytes.length).toBeGreaterThan(2)
    expect((await readBytes('/proc/self/cmdline', { maxBytes: 2 })).error).toContain('at most 2 are read')
  },
)

test('a read that does not answer times out', async () => {
  const path = file('slow.md', '')
  truncateSync(path, 10 * MAX_BYTES)
  expect((await readBytes(path, { maxBytes: 10 * MAX_BYTES, maxMs: 0 })).error).toBe('no answer within 0 ms')
})

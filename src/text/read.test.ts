import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { existsSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { decodeText, MAX_BYTES, readBytes, readText } from './read.ts'

const folder = scratchFolder()

const file = (name: string, bytes: string | Uint8Array): string => {
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return path
}

// The bytes of the Unicode standard's table of well-formed sequences, and what lies just beyond it.
const BAD: Array<[what: string, bytes: Array<number>]> = [
  ['a lone continuation', [0x61, 0x80]],
  ['a lead without its continuation', [0xc3, 0x28]],
  ['an overlong slash', [0x61, 0x62, 0xc0, 0xaf]],
  ['an overlong form of three', [0xe0, 0x80, 0xaf]],
  ['an overlong form of four', [0xf0, 0x80, 0x80, 0x80]],
  ['a surrogate', [0xc3, 0xa4, 0xed, 0xa0, 0x80]],
  ['beyond U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
  ['a byte that UTF-8 never has', [0x61, 0xff]],
  ['text in Latin-1', [0x66, 0xfc, 0x72]],
  ['cut off in the middle of a character', [0x61, 0xe2, 0x82]],
  ['UTF-16 with its mark', [0xff, 0xfe, 0x61, 0x00]],
]

test.each(BAD)('%s is refused', async (_, bytes) => {
  const words = 'it is not valid UTF-8'
  expect(decodeText(Uint8Array.from(bytes)).error).toBe(words)
  expect((await readText(file('bad.md', Uint8Array.from(bytes)))).error).toBe(words)
})

test.each(['', 'plain', '\uFEFFwith a mark', 'ä€😀', '\0', 'a\r\nb'])(
  '%j is read as it stands',
  async (text) => {
    expect((await readText(file('good.md', text))).data).toMatchObject({
      realPath: join(folder, 'good.md'),
      bytes: Buffer.from(text),
      stats: { ino: statSync(join(folder, 'good.md')).ino },
      text,
    })
  },
)

test('what is not a file is named by its kind, and nothing hangs', async () => {
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
    loop: 'its links go round in a circle',
    gone: 'no such file',
    'good.md/below': 'a part of the path is not a folder',
  })
  for (const device of ['/dev/zero', '/dev/null', '/dev/tty']) {
    expect((await readText(device)).error).toBe('it is a device, a pipe or a socket, not a file')
  }
})

test('a file beyond 10 MB is not read', async () => {
  const path = file('big.md', '')
  truncateSync(path, MAX_BYTES)
  expect((await readText(path)).data?.bytes.length).toBe(MAX_BYTES)
  truncateSync(path, MAX_BYTES + 1)
  expect((await readText(path)).error).toBe(`it has ${MAX_BYTES + 1} bytes; at most ${MAX_BYTES} are read`)
  expect((await readBytes(file('note.md', 'words'), { maxBytes: 4 })).error)
    .toBe('it has 5 bytes; at most 4 are read')
})

test.skipIf(!existsSync('/proc/self/environ'))(
  'a file that does not tell its size is read, and bounded',
  async () => {
    expect((await readBytes('/proc/self/cmdline')).data?.bytes.length).toBeGreaterThan(2)
    expect((await readBytes('/proc/self/cmdline', { maxBytes: 2 })).error).toContain('at most 2 are read')
  },
)

test('a read that gets no answer ends', async () => {
  const path = file('slow.md', '')
  truncateSync(path, 10 * MAX_BYTES)
  expect((await readBytes(path, { maxBytes: 10 * MAX_BYTES, maxMs: 0 })).error).toBe('no answer within 0 ms')
})

test('a link is read through, by the real path', async () => {
  file('target.md', 'words')
  symlinkSync('target.md', join(folder, 'link.md'))
  expect((await readText(join(folder, 'link.md'))).data?.realPath).toBe(join(folder, 'target.md'))
})

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le')

test.each<[string, Buffer]>([
  ['UTF-16LE', utf16('# Rules\n- use tabs\n')],
  ['UTF-16BE', utf16('# Rules\n- use tabs\n').swap16()],
  ['Cyrillic in UTF-16LE', utf16('# Правила\nНикогда не используй eval.\n')],
  ['Cyrillic in UTF-16BE', utf16('# Правила\nНикогда не используй eval.\n').swap16()],
  ['boxes in UTF-16LE', utf16('├── src\n│   └── a.ts\n─────\n')],
  ['boxes in UTF-16BE', utf16('├── src\n│   └── a.ts\n─────\n').swap16()],
  ['Devanagari in UTF-16LE', utf16('कृपया सरल लिखें\nऔर जाँचें\n')],
  ['Thai in UTF-16BE', utf16('เขียนให้ชัดเจน\nทดสอบ ก่อน\n').swap16()],
  ['a short text in UTF-16LE', utf16('hi\n')],
])('%s without a mark is refused, a NUL byte in a text is not', async (_, bytes) => {
  expect((await readText(file('utf16.md', bytes))).error).toContain('UTF-16')
  expect((await readText(file('nul.md', Buffer.from('a\0b and \0 more words')))).error).toBeNull()
})

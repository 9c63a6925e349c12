import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { expectWithinASecond } from '../../test/within-a-second.ts'
import { readPartOf, splitIntoParts } from './file-parts.ts'

test('the parts of a text are the text, and each keeps within the limit', () => {
  const lines = fc.array(
    fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('\n', '\r\n', 'é'.repeat(90))),
  )
  fc.assert(
    fc.property(
      lines,
      fc.integer({ min: 4, max: 60 }),
      fc.integer({ min: 1, max: 9 }),
      (drawn, bytes, most) => {
        const text = Buffer.from(drawn.join('')).toString()
        const parts = splitIntoParts(text, { bytes, lines: most })
        expect(parts.join('')).toBe(text)
        for (const part of parts) {
          expect(Buffer.byteLength(part)).toBeLessThanOrEqual(bytes)
          expect(part.split('\n').length - 1).toBeLessThanOrEqual(most)
        }
      },
    ),
  )
})

test('a megabyte of one line, and of line breaks, is cut in time', async () => {
  for (
    const [what, text] of [['one line', 'a'.repeat(1_000_000)], [
      'line breaks',
      '\n'.repeat(1_000_000),
    ]] as const
  ) {
    await expectWithinASecond(what, () => {
      expect(splitIntoParts(text, { bytes: 30_000, lines: 1_200 }).join('') === text).toBe(true)
    })
  }
})

test.each([
  ['/p/AGENTS.md#2', { path: '/p/AGENTS.md', number: 2 }],
  ['/p/a#1#12', { path: '/p/a#1', number: 12 }],
  ['/p/AGENTS.md', null],
  ['/p/a#b', null],
])('%p asks for %p', (path, part) => expect(readPartOf(path)).toEqual(part))

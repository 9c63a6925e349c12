import { expect, test } from 'bun:test'
import { applyPatch, createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import fc from 'fast-check'
import { formatDiff } from './hunks.ts'

const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 20 })
  .chain((lines) => fc.constantFrom('', '\n').map((end) => lines.join('\n') + end))

test('applying the diff to the first text gives the second', () => {
  fc.assert(fc.property(text, text, (before, after) => {
    expect(applyPatch(before, formatDiff('x', before, after))).toBe(after)
  }))
})

test('the diff equals the diff that the package `diff` creates', () => {
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`)
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY }
  for (const [from, to] of [[50, 51], [0, 1], [2, 4], [97, 98], [99, 100], [40, 40]] as const) {
    const changed = lines.toSpliced(from, to - from, 'one', 'other')
    for (const end of ['', '\n']) {
      const [before, after] = [lines.join('\n') + end, changed.join('\n') + end]
      const whole = createTwoFilesPatch('x', 'x', before, after, undefined, undefined, options)
      expect(formatDiff('x', before, after)).toBe(whole)
    }
  }
})

const thousandLines = (word: string): string =>
  Array.from({ length: 1_000 }, (_, index) => `${word} ${index}\n`).join('')

test.each([
  ['', thousandLines('b')],
  [thousandLines('a'), ''],
  [`# x\n\n${thousandLines('a')}`, `# x\n\n${thousandLines('b')}end`],
])('if more than `MAX_EDITS` lines changed, the diff has one hunk, %#', (before, after) => {
  const diff = formatDiff('x', before, after)
  expect(applyPatch(before, diff)).toBe(after)
  expect(diff.match(/^@@ /gm)).toHaveLength(1)
})

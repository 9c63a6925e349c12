import { expect, test } from 'bun:test'
import { excerpt, firstLines } from './quoted-name.ts'

test('an excerpt has at most 120 characters, and marks for hidden characters and line breaks', () => {
  expect(excerpt('x'.repeat(200_000))).toBe(`${'x'.repeat(120)}…`)
  expect(excerpt('a\nb\u200B')).toBe('a⟦U+000A⟧b⟦U+200B⟧')
})

test('a long list shows ten lines and counts the others', () => {
  const lines = Array.from({ length: 4_000 }, (_, index) => `${index}`)
  expect(firstLines(lines)).toEqual([...lines.slice(0, 10), 'and 3990 more'])
  expect(firstLines(lines.slice(0, 10))).toEqual(lines.slice(0, 10))
})

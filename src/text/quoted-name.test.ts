import { expect, test } from 'bun:test'
import { excerpt, firstLines } from './quoted-name.ts'

test('an excerpt is cut after 120 characters, and its hidden characters and line breaks are marked', () => {
  expect(excerpt('x'.repeat(200_000))).toBe(`${'x'.repeat(120)}…`)
  expect(excerpt('a\nb\u200B')).toBe('a⟦U+000A⟧b⟦U+200B⟧')
})

test('a list of more than ten lines shows the first ten, and how many more there are', () => {
  const lines = Array.from({ length: 4_000 }, (_, index) => `${index}`)
  expect(firstLines(lines)).toEqual([...lines.slice(0, 10), 'and 3990 more'])
  expect(firstLines(lines.slice(0, 10))).toEqual(lines.slice(0, 10))
})

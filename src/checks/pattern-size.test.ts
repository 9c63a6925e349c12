import { expect, test } from 'bun:test'
import { estimatedSize } from './pattern-size.ts'

test.each<[pattern: string, size: number]>([
  ['[^\\]a-z]+', 2],
  ['\\{3}', 3],
  ['a{2,3}', 6],
  ['a{2,}', 4],
  ['(ab){3}', 12],
  ['(b(a{3})){3}', 24],
  ['\\p{L}{2}', 20],
])('the pattern %s is estimated to compile to %d instructions', (pattern, size) => {
  expect(estimatedSize(pattern)).toBe(size)
})

import { expect, test } from 'bun:test'
import { compileTexts, type HeaderTexts } from '../../test/harness/judge.ts'

const VALID: Array<HeaderTexts> = [
  {},
  { forbid: String.raw`:\s*any\b`, bad: 'x: any', good: 'x: anyone' },
  { forbid: String.raw`日本|\u{1F375}|\u65e5`, bad: '🍵', good: '本' },
  { require: '^// ©', bad: 'a\nb', good: 'a\n// © b' },
  { require: '^// SPDX$', bad: '// SPDX 2', good: 'a\r\n// SPDX\r\nb' },
  { forbid: 'a', bad: 'x\ny a\nz', good: 'b' },
  // The final `\n` of an example adds no blank line, but an empty example is a blank line.
  { forbid: '^$', bad: '', good: 'a\n' },
]

test.each(VALID.map((header) => [header]))('a header with %j has no fault', async (header) => {
  expect((await compileTexts(header)).error).toBeNull()
})

// The first key of a header is on line 2.
const FAULTS: Array<[header: HeaderTexts, reason: RegExp, line: number]> = [
  [{ forbid: 'a', good: 'a' }, /^this good example fails the check$/, 3],
  [{ bad: 'b' }, /^an example needs forbid or require$/, 2],
  [{ forbid: '' }, /empty/, 2],
  [{ forbid: 'x'.repeat(1_001) }, /1000 characters/, 2],
  [{ forbid: 'a(?=b)' }, /look ahead or behind/, 2],
  [{ forbid: String.raw`(a)\1` }, /^\(a\)\\1 is no pattern: invalid escape/, 2],
  [{ forbid: '((a{100}){100}){100}' }, /has too many repetitions/, 2],
  [{ forbid: 'a{900}', bad: 'a'.repeat(5_000) }, /too long/, 3],
]

test.each(FAULTS)('a header with %j has the fault %p on line %i', async (header, reason, line) => {
  expect((await compileTexts(header)).error).toEqual({ line, reason: expect.stringMatching(reason) })
})

import { expect, test } from 'bun:test'
import { judge } from '../../test/harness/judge.ts'
import {
  formatNewViolations,
  formatUnchecked,
  formatUnresolved,
  formatViolations,
} from './format-violations.ts'

test('hidden characters in a violation are marked', () => {
  expect(formatViolations([{ rule: 'a', path: 'x.ts', text: 'a\tb\u202E' }])).toBe('  a x.ts: a\tb⟦U+202E⟧')
})

test.each([
  '# Never x',
  '# Head\r\n\r\n## Never x',
  '# Head\n\nNever\nx\n\nMore.',
])('a report quotes the first paragraph of a rule or, without paragraphs, the last heading: %j', (body) => {
  const broken = [{ rule: 'a', path: 'x.ts', line: 1, text: 'x' }]
  expect(formatNewViolations(broken, () => body, new Set())).toEndWith('\na: Never x\n  1: x')
})

test('for one step, at most five rules are reported, and each is quoted only in its first report', () => {
  const broken = [...'abcdef'].map((rule) => ({ rule, path: 'x.ts', line: 1, text: 'x' }))
  const reportedRules = new Set(['a'])
  expect(formatNewViolations(broken, () => 'Words', reportedRules))
    .toMatch(/:\na\n  1: x\nb: Words\n[^]*e: Words\n  1: x\nand 1 more rule$/)
  expect([...reportedRules].join('')).toBe('abcde')
})

const lineAt = (line: number, text: string) => ({ rule: 'r', path: 'x.ts', line, text })

test('three lines that break a rule are quoted, and the others are listed by number', () => {
  const lines = [lineAt(2, 'b'), lineAt(3, 'a'), lineAt(4, 'c'), lineAt(9, 'a'), lineAt(6, 'd')]
  const broken = [...lines, { rule: 'q', path: 'x.ts', text: 'the file lacks it' }]
  expect(formatNewViolations(broken, () => undefined, new Set()))
    .toEndWith(':\nr\n  2: b\n  3: a\n  4: c\n  and lines 6, 9\nq\n  the file lacks it')
  expect(formatUnresolved(broken)).toBe(
    'Still broken in x.ts: lines 2, 3, 4, 6, 9 (r); the file lacks it (q)',
  )
})

test('a report of unchecked lines and rules names the reasons', () => {
  expect(formatUnchecked({ path: 'x.ts', lines: 2, rules: 0 }))
    .toBe('Not checked in x.ts, because time ran out or the text is too long: 2 lines.')
  expect(formatUnchecked({ path: 'x.ts', lines: 0, rules: 1 }))
    .toBe('Not checked in x.ts, because time ran out or the text is too long: the required text of 1 rule.')
})

test('the violation "and 10 more lines" is listed last, and counts as 10 violations', () => {
  const lines = Array.from({ length: 20 }, (_, line) => lineAt(line, 'a'))
  const broken = [...lines, { rule: 'r', path: 'x.ts', text: 'and 10 more lines', more: 10 }]
  expect(formatUnresolved(broken)).toEndWith('18, 19, and 10 more lines (r)')
  // Ten unlisted lines and the 10 of `more` make 20.
  expect(formatViolations(broken)).toEndWith('\n  r x.ts:9: a\n  and 20 more')
})

// Reports cut a line after 120 characters. In each row, this position is inside an emoji.
test.each([113, 114, 115, 116])('a line is not cut inside an emoji after %i blanks', async (blanks) => {
  const line = `any${' '.repeat(blanks)}\u{1F468}\u200D\u{1F469}!!!!!!`
  const { broken } = await judge({ forbid: 'any' }, [null, line])
  // Half an emoji would be marked as a hidden character: ⟦…⟧.
  expect(formatViolations(broken)).not.toContain('⟦')
})

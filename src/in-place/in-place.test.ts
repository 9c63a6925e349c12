import { expect, test } from 'bun:test'
import { plays } from '../../test/corpora/corpus.ts'
import { type Case, CASES } from '../../test/corpora/rewrite-cases.ts'
import { expectLinear, filled } from '../../test/harness/processor-time.ts'
import { type Mode, sourcesOf } from '../rule-schema.ts'
import { sourcedText } from './index.ts'

const rewrite = (before: string, rules: Case['rules'], mode?: Mode): string => {
  const sourced = sourcedText(before, rules.map(({ sources }) => sources))
  expect(sourced.faults).toEqual([])
  return sourced.withRules(rules.map(({ text }) => text), mode).text
}

test.each(CASES)('$name, with each line ending', ({ before, rules, after, mode }) => {
  expect(rewrite(before, rules, mode)).toBe(after)
  if (before.includes('\r')) return
  // In frontmatter, the line ending \r is not supported.
  for (const lineEnding of before.startsWith('---') ? ['\r\n'] : ['\r\n', '\r']) {
    const withEnding = (text: string) => text.replaceAll('\n', lineEnding)
    expect(rewrite(withEnding(before), rules, mode)).toBe(withEnding(after))
  }
})

test.each(plays())('the recorded run $name reproduces its file byte for byte', (play) => {
  const sourced = sourcedText(play.before.replace(/^\uFEFF/, ''), play.parsed.map(sourcesOf))
  expect(sourced.faults).toEqual([])
  expect(sourced.withRules(play.texts).text).toBe(play.after.replace(/^\uFEFF/, ''))
})

test.each<[what: string, before: string, source: string, text: string, after: string, mode?: Mode]>([
  ['no wrapped line begins with a dash', 'Use a\nor b\n', 'Use a or b', 'Use so - b', 'Use\nso -\nb\n'],
  ['nested emphasis loses both opening marks', '***Use a** b* c.\n', 'Use a b c.', '- Use x.', '- Use x.\n'],
  ['opening and closing marks are both removed', 'Always **use b**\n', 'Always use b', 'Use c', 'Use c\n'],
  [
    'the second half of 🏿, U+DFFF, is not mistaken for the placeholder of removed words',
    '- b\n- 👩🏿\n',
    'b',
    'Use 🏿.',
    '- Use 🏿.\n- 👩🏿\n',
  ],
  ['an emoji selector is ignored', '- ⚠️ b\n', '⚠ b', 'Use c.', '- Use c.\n'],
  ['a label is not repeated', '- **Note:** b\n', 'b', 'Note: Use c.', '- **Note:** Use c.\n'],
  ['the number of a heading is replaced', '## 1. Use b\n', '1. Use b', '1. Use c', '## 1. Use c\n'],
  ['a heading gets no bullet', '## 1. Use b\n', '1. Use b', '- Use c', '## Use c\n'],
  ['`Tests` after `Test` is not cut to `s`', '- Test b\n', 'b', 'Tests c', '- Test Tests c\n'],
  ['`1.5` after `1` is not cut to `.5`', '- Wait 1 s\n', 's', '1.5 s', '- Wait 1 1.5 s\n'],
  ['a marker and a label are not repeated', '- Note: b\n', 'b', '- Note: c', '- Note: c\n'],
  ['the number of a heading is not repeated', '## 1. b\n', 'b', '## 1. c', '## 1. c\n'],
  ['a label with the colon ： is not repeated', '- 注意：b。\n', 'b。', '注意：c。', '- 注意：c。\n'],
  ['items stay on one level', '1. A\n   b\n2. B\n', 'b', '- c\n- d', '1. A\n   - c\n   - d\n2. B\n'],
  ['mode concise keeps a number', '1. a\n2. b\n', '2. b', '- c', '1. a\n2. c\n', 'concise'],
  ['a reason has no label if words follow', 'b. d.\n', 'b.', 'c.\nReason: So.', 'c. So. d.\n', 'verbose'],
  ['dots in a source may be text', '- a b, ... and d ...\n', 'a … d ...', 'c', '- c\n'],
  ['a marker in an item is replaced', '- 1. Use b\n', '1. Use b', '2. Use c', '- 2. Use c\n'],
  ['two items become one', '- Use b.\n- Use c.\n', 'Use b.\n- Use c.', 'Use b or c.', '- Use b or c.\n'],
  ['equal words over several lines stay', '* a b\nc d\n', 'a b\nc d', 'a b\nc d', '* a b\nc d\n'],
  ['if a full stop follows 」, the new text loses its own', '「a」。\n', 'a', 'b。', '「b」。\n'],
  ['mode concise omits reasons', '- Use a.\n', 'Use a.', '- Use b.\nReason: So.', '- Use b.\n', 'concise'],
])('%s', (_, before, source, text, after, mode = 'balanced') => {
  expect(rewrite(before, [{ sources: [source], text }], mode)).toBe(after)
})

const missing = { kind: 'missing', rule: 0, nearest: undefined }
const protectedBy = (where: string, line: number) => ({ kind: 'protected', where, line })

test.each<[text: string, sources: Array<string>, faults: Array<object>]>([
  ['A.\n', ['B.'], [missing]],
  ['A.\n- use the tabs\n', ['use more tabs'], [{ nearest: { line: 2, text: '- use the tabs' } }]],
  ['A.\n\nB.\n', ['A. … B.'], [{ kind: 'missing' }]],
  ['x <!-- A --> y\n', ['A'], [protectedBy('a comment', 1)]],
  ['x\n\n```\nA\n```\n', ['A'], [protectedBy('code', 3)]],
  ['x\n\n<pre>\nA\n</pre>\n', ['A'], [protectedBy('code', 3)]],
  ['No `<pre>`.\n\nA\n\nNo `</pre>`.\n', ['A'], []],
  ['```\n<pre>\n```\n\nA\n\n</pre>\n', ['A'], []],
  ['x\n\n    A\n', ['A'], [protectedBy('indented code', 3)]],
  ['---\nA: A\n---\n', ['A: A'], [protectedBy('frontmatter', 1)]],
  ['A.\n\n\r\nA.\n', ['A.'], [{ kind: 'ambiguous', lines: [1, 4] }]],
  ['A. A b c.\n', ['A … c.'], [{ kind: 'ambiguous', lines: [1, 1] }]],
  ['A b. A b c.\n', ['A … b … c.'], [{ kind: 'ambiguous' }]],
  ['A. A b c.\n', ['A … c.', 'A … c.'], [{ kind: 'ambiguous' }, { kind: 'ambiguous' }]],
  ['Ab A b.\n\nc A d\n', ['A … d'], []],
  ['- A b.\n- A c.\n', ['A … c.'], []],
  ['- A b c. D c.\n', ['A … c.'], [{ kind: 'ambiguous' }]],
  ['- A b c.\n- D c.\n', ['A … c.'], []],
  ['A baA c.\n', ['A … c.'], []],
  ['A '.repeat(150), Array<string>(101).fill('A'), Array(101).fill({ kind: 'ambiguous' })],
  ['A \\ b\n', ['\\'], [{ kind: 'wordless', source: '\\' }]],
  ['A b c\n', ['A b', 'b c'], [{ rule: 1, kind: 'overlapping', other: 0, line: 1 }]],
  ['A b c\n', ['b', 'A b c', 'x'], [{ rule: 1, kind: 'overlapping', other: 0 }, { ...missing, rule: 2 }]],
  ['A b c\n', ['A b c', 'b', 'c'], [{ rule: 1, other: 0 }, { rule: 2, other: 0 }]],
])('in the text %j, the sources %j, one for each rule, have the faults %j', (text, sources, faults) => {
  expect(sourcedText(text, sources.map((source) => [source])).faults).toMatchObject(faults)
})

test.each<[text: string, line: number | null]>([
  ['- A.\n- B.\n  - C.\n', 3],
  ['- A.\n- [ ] B.\n\n  C.\n', 4],
  ['- A.\n- B. C.\n  D.\n', null],
  ['- A.\n- B.\n- C.\n', null],
  ['- A.\n  - B.\n\nC.\n', null],
])('in %j, the source "B." cannot be removed if it is the first line of a longer item', (text, line) => {
  const faults = line === null ? [] : [{ kind: 'continued', rule: 0, source: 'B.', line }]
  expect(sourcedText(text, [['A.', 'B.']]).faults).toEqual(faults as never)
})

test('an item is removed if all its lines are sources', () => {
  const rule = { sources: ['A.', 'D.', 'B.', 'C.'], text: 'Use a.' }
  expect(rewrite('- A.\n- B.\n  1. C.\n  2. D.\n', [rule])).toBe('- Use a.\n')
})

test('a rule that differs from the replaced text only in line breaks changes nothing', () => {
  const sourced = sourcedText('> Use a\n> and b.\n\nAsk.\n', [['Use a and b'], ['Ask']])
  expect(sourced.withRules(['Use a and b', 'Ask Ann'])).toEqual({
    text: '> Use a\n> and b.\n\nAsk Ann.\n',
    unchanged: [0],
  })
})

// Parts of Markdown, most of which open something that they do not close.
const UNITS = [
  ...['*a ', '1. ', '[a](', '`a` ', '• a\n', '[^1]:\n• ', '<!-- a -->', '**a:** ', '<x>a ', '(a ', ' ', '\n'],
  ...['> ', '\t\n>', '<rule>\n    use a or b\n'],
]

test.each<[unit: string, source: string]>([
  ...UNITS.map((unit): [string, string] => [unit, 'a']),
  ['a ', 'a … b'],
  ['a\n\n', 'a … b a'],
  ['a ba ', 'a … b'],
  ['**a** _a_ ', '*a a* … b'],
  ['use a or b, as you like ', 'USE A OR B … AS YOU LIKE z'],
  ['é\u0301 ', 'É\u0301 … b'],
])('in a text full of %j, replacing %j takes linear time', async (unit, source) => {
  await expectLinear(`sources in ${JSON.stringify(unit)}`, (size) => {
    const sourced = sourcedText(filled(unit, size / 2), [[source], ['b'], [source, 'c']])
    sourced.wordsToReplace()
    sourced.withRules(['Rule: x', 'Rule: y', 'z'])
  })
})

test('500 sources that each occur 5,000 times in code take less than five seconds', () => {
  const text = `${'```\n'}${'a rule b\n'.repeat(5_000)}${'```\n'}`
  const sources = Array.from({ length: 500 }, (_, index) => [`rule${' '.repeat(index)}`])
  const start = performance.now()
  const { faults } = sourcedText(text, sources)
  expect(performance.now() - start).toBeLessThan(5_000)
  expect([faults[0]!.kind, faults.at(-1)!.kind]).toEqual(['protected', 'unsearched'])
})

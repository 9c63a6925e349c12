import { expect, test } from 'bun:test'
import { expectNoHang } from '../../test/harness/processor-time.ts'
import { findUnsaid, lostLines } from './unsaid-lines.ts'

// What is tested, the text, the other text, and what that lacks of the first: the numbers of lines, and the names in
// backticks.
test.each<[name: string, text: string, other: string, lines: string, names: string]>([
  ['a line without a word in the other text', 'Use tabs.\nThe shop sells tea.\n', '- use tabs\n', '2', ''],
  ['a line with half of its words', 'Always prefer early returns.\n', '- prefer early exits\n', '', ''],
  [
    'a line with fewer than half of its words',
    'Always prefer early returns.\n',
    '- prefer late exits\n',
    '1',
    '',
  ],
  ['a line that shares only short words', 'Do it in the app.\n', '- do it in the shop\n', '1', ''],
  ['a line of short words alone, which the other text has unchanged', 'Be as is.\n', 'Be as is.\n', '', ''],
  ['horizontal rules and blank lines are ignored', '---\n\n***\n| - |\n', 'x\n', '', ''],
  ['frontmatter is not compared', '---\ntitle: Handbook\n---\n# Shopping\n', 'x\n', '4', ''],
  ['names of the lost lines', 'Run `make` and `lint` often.\nGone `make`.\n', '`lint`\n', '1 2', 'make'],
  [
    'labels are ignored',
    'Rule: Ask.\nReason: So.\nRule: Use npm.\n',
    'Rule: Use npm.\nReason: It is.\n',
    '1 2',
    '',
  ],
  ['Japanese, by its characters', '絵文字を使わない\n', '- 絵文字を使用しない\n', '', ''],
])('lines and names that the other text lacks: %s', (_, text, other, lines, names) => {
  const unsaid = findUnsaid(text, other)
  const numbers = unsaid.lines.map((line) => text.split('\n').indexOf(line) + 1)
  expect([numbers.join(' '), unsaid.names.join(' ')]).toEqual([lines, names])
})

test('a line whose short words are in the other text is not lost', () => {
  const [before, after] = ['- Do not use npm.\n- Try bun.\n- Ask first.\n', 'dont use npm!!\nask first, ok\n']
  expect(lostLines(before, after)).toEqual(['- Try bun.'])
})

test('20,000 lost lines are found within a second', () => {
  const linesFrom = (first: number) =>
    Array.from({ length: 20_000 }, (_, line) => `- use word${first + line}, other${first + line}`).join('\n')
  return expectNoHang('lost lines', () => lostLines(linesFrom(0), linesFrom(100_000)))
})

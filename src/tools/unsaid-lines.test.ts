import { expect, test } from 'bun:test'
import { expectNoHang } from '../../test/harness/processor-time.ts'
import { findUnsaid, lostLines } from './unsaid-lines.ts'

// A line with long words (four letters or more) is unsaid if `other` contains fewer than half of them.
test.each<[what: string, text: string, other: string, unsaidLines: string, unsaidNames: string]>([
  ['no word of a line is shared', 'Use tabs.\nThe shop sells tea.\n', '- use tabs\n', '2', ''],
  ['half of the words are shared', 'Always prefer early returns.\n', '- prefer early exits\n', '', ''],
  ['fewer than half are shared', 'Always prefer early returns.\n', '- prefer late exits\n', '1', ''],
  ['only short words are shared', 'Do it in the app.\n', '- do it in the shop\n', '1', ''],
  ['the same line of short words is in both texts', 'Be as is.\n', 'Be as is.\n', '', ''],
  ['horizontal rules and blank lines are ignored', '---\n\n***\n| - |\n', 'x\n', '', ''],
  ['frontmatter is ignored', '---\ntitle: Handbook\n---\n# Shopping\n', 'x\n', '4', ''],
  [
    'a name in an unsaid line is listed only if the other text lacks it',
    'Run `make` and `lint` often.\nGone `make`.\n',
    '`lint`\n',
    '1 2',
    'make',
  ],
  ['only labels are shared', 'Rule: Ask.\nReason: So.\n', 'Rule: No.\nReason: It is.\n', '1 2', ''],
  ['half of the Japanese characters are shared', '絵文字を使わない\n', '- 絵文字を使用しない\n', '', ''],
])('unsaid lines and names: %s', (_, text, other, lines, names) => {
  const unsaid = findUnsaid(text, other)
  const numbers = unsaid.lines.map((line) => text.split('\n').indexOf(line) + 1)
  expect([numbers.join(' '), unsaid.names.join(' ')]).toEqual([lines, names])
})

test('a line is not lost if half of its words, including short words, are in the other text', () => {
  const [before, after] = ['- Do not use npm.\n- Try bun.\n- Ask first.\n', 'dont use npm!!\nask first, ok\n']
  // All words of `- Do not use npm.` are short, so it is unsaid unless the other text contains the whole line.
  expect(findUnsaid(before, after).lines).toContain('- Do not use npm.')
  expect(lostLines(before, after)).toEqual(['- Try bun.'])
})

test('20,000 lost lines are found without a hang', () => {
  const linesFrom = (first: number) =>
    Array.from({ length: 20_000 }, (_, line) => `- use word${first + line}, other${first + line}`).join('\n')
  return expectNoHang('lost lines', () => lostLines(linesFrom(0), linesFrom(100_000)))
})

import { expect, test } from 'bun:test'
import type { Mode } from '../rule-schema.ts'
import { SourcedText } from './index.ts'

/** A rule as `source => sentence`, or `source + source => sentence`; without a source where nothing stands before. */
const toRule = (text: string): { sources: Array<string>; sentence: string } => {
  const [sources = '', sentence = ''] = text.split(' => ')
  return { sources: sources === '' ? [] : sources.split(' + '), sentence: sentence.replaceAll('↵', '\n') }
}

const sourced = (before: string, rules: Array<string>): SourcedText =>
  new SourcedText(before, rules.map((rule) => toRule(rule).sources))

const rewrite = (before: string, rules: Array<string>, mode?: Mode): string => {
  const text = sourced(before, rules)
  expect(text.faults).toEqual([])
  return text.withRules(rules.map((rule) => toRule(rule).sentence), mode)
}

type Case = { before: string; rules: Array<string>; after: string; mode?: Mode }

const CASES: Record<string, Case> = {
  'an item becomes an item, with its marker, the reason below it': {
    before: '# A\n\n* Use tabs, always!\n* fact\n',
    rules: ['Use tabs, always! => Rule: Use tabs.↵Reason: They are short.'],
    after: '# A\n\n* Use tabs.\n  Reason: They are short.\n* fact\n',
  },
  'concise has no reason': {
    before: '- Use tabs!\n',
    rules: ['Use tabs! => - use tabs↵Reason: x'],
    after: '- use tabs\n',
    mode: 'concise',
  },
  'numbers go on, and what stands below follows a wider number': {
    before: '8. A. B.\n9. C\n\n   ```sh\n   c\n   ```\n10. D\n',
    rules: ['A. => a', 'B. => b'],
    after: '8. a\n9. b\n10. C\n\n    ```sh\n    c\n    ```\n11. D\n',
  },
  'numbers that do not count stay': {
    before: '1. A. B.\n1. C\n',
    rules: ['A. => a', 'B. => b'],
    after: '1. a\n1. b\n1. C\n',
  },
  'letters go on': { before: 'a. A. B.\nb. C\n', rules: ['A. => x', 'B. => y'], after: 'a. x\nb. y\nc. C\n' },
  'what stands below an item stays below its last rule': {
    before: '- A. B.\n  - C\n\n    code\n- D\n',
    rules: ['A. => a', 'B. => b'],
    after: '- a\n- b\n  - C\n\n    code\n- D\n',
  },
  'nested items keep their indentation': {
    before: '1. A\n   - B. C\n     - D\n',
    rules: ['B. => b', 'C => c'],
    after: '1. A\n   - b\n   - c\n     - D\n',
  },
  'a check box stays': {
    before: '- [ ] A. B.\n- [x] C\n',
    rules: ['A. => a', 'B. => b', '[x] C => c'],
    after: '- [ ] a\n- [ ] b\n- [x] c\n',
  },
  'a paragraph becomes a tight list with blank lines around it': {
    before: '## H\nA. B.\n```\ncode\n```\n',
    rules: ['A. => a', 'B. => b'],
    after: '## H\n\n- a\n- b\n\n```\ncode\n```\n',
  },
  'a paragraph of a quotation becomes a list within it': {
    before: '> A\n> B.\n>\n> C\n',
    rules: ['A B. => a'],
    after: '> - a\n>\n> C\n',
  },
  'a paragraph below an item stays below it': {
    before: '- A\n\n  B. C.\n\n- D\n',
    rules: ['B. => b', 'C. => c'],
    after: '- A\n\n  - b\n  - c\n\n- D\n',
  },
  'a lead-in keeps one rule on its line': {
    before: '* **Dates:** show them so. They vary.\n  - X\n',
    rules: ['show them so. They vary. => Rule: Show dates so.↵Reason: They vary.'],
    after: '* **Dates:** Show dates so.\n  Reason: They vary.\n  - X\n',
  },
  'and several below it, before those that stand there': {
    before: '- **Dates:** A; b.\n  * X\n',
    rules: ['A => a', 'b. => b'],
    after: '- **Dates:**\n  * a\n  * b\n  * X\n',
  },
  'a lead-in of a paragraph, too': {
    before: '**Dates:** A. B.\nC.\n',
    rules: ['A. => a', 'B. C. => b'],
    after: '**Dates:**\n\n- a\n- b\n',
  },
  'a bold label is a lead-in': {
    before: '- **Freeze.** No merges.\n- **Tags** – none.\n',
    rules: ['No merges. => Do not merge.', 'none. => Use no tags.'],
    after: '- **Freeze.** Do not merge.\n- **Tags** – Use no tags.\n',
  },
  'a lead-in that is part of the source goes': {
    before: '- **Dates:** A.\n',
    rules: ['Dates: A. => a'],
    after: '- a\n',
  },
  'sentences that no rule restates stay; the rules stand after the block': {
    before: 'Fact one. Do\nit. Fact\ntwo.\n\nNext\n',
    rules: ['Do it. => do'],
    after: 'Fact one.\nFact\ntwo.\n\n- do\n\nNext\n',
  },
  'after an item and all below it': {
    before: '1. Fact. Do it.\n   - X\n2. Y\n',
    rules: ['Do it. => do'],
    after: '1. Fact.\n   - X\n2. do\n3. Y\n',
  },
  'what introduces something keeps it right below': {
    before: 'Do it. Like this:\n\n```\nx\n```\n',
    rules: ['Do it. => do'],
    after: '- do\n\nLike this:\n\n```\nx\n```\n',
  },
  'a sentence is restated as a whole': {
    before: 'Fact. It is big, so use b here. More.\n',
    rules: ['use b => b'],
    after: 'Fact. More.\n\n- b\n',
  },
  'dots in code, numbers and names end no sentence': {
    before: 'See `a. B` and v1.2 and node.js here. Use b, e.g. `c`. Done.\n',
    rules: ['Use b => b'],
    after: 'See `a. B` and v1.2 and node.js here. Done.\n\n- b\n',
  },
  'Japanese sentences': {
    before: '事実です。使わないこと。次です。\n',
    rules: ['使わないこと。 => 使わない。'],
    after: '事実です。次です。\n\n- 使わない。\n',
  },
  'German sentences': {
    before: 'Das ist so. „Nie!“ gilt immer. Ändere das nicht.\n',
    rules: ['Ändere das nicht. => Nicht ändern.'],
    after: 'Das ist so. „Nie!“ gilt immer.\n\n- Nicht ändern.\n',
  },
  'emphasis that is cut keeps both its marks': {
    before: '*A fact. Do it.* End. **Do b. Fact c.**\n',
    rules: ['Do it. => a', 'Do b. => b'],
    after: '*A fact.* End. **Fact c.**\n\n- a\n- b\n',
  },
  'a line without the indentation of its item keeps its words when it moves up': {
    before: '> > 1. A. B.\n**C:** D. Fact it is.\n',
    rules: ['**C:** D. + A. + B. => d'],
    after: 'Fact it is.\n\n- d\n',
  },
  'a second source goes, and an item that says nothing more': {
    before: '- A\n- B\n\n## R\n\n1. A!\n2. C\n',
    rules: ['A + A! => a'],
    after: '- a\n- B\n\n## R\n\n1. C\n',
  },
  'what stood below an item that goes moves up': {
    before: '- A\n- B\n  - C\n    more\n  - D\n- E\n',
    rules: ['A + B => a'],
    after: '- a\n- C\n  more\n- D\n- E\n',
  },
  'a heading stays though all below it goes': {
    before: '- A\n\n## R\n\n- B\n- C\n\n## S\n',
    rules: ['A + B + C => a'],
    after: '- a\n\n## R\n\n## S\n',
  },
  'a paragraph that goes leaves one blank line': {
    before: 'A\n\nB\n\nC\n',
    rules: ['A + B => a'],
    after: '- a\n\nC\n',
  },
  'rules share a source, and sources share sentences': {
    before: '- Do a and b. Then c.\n',
    rules: ['Do a and b. => a', 'Do a and b. => b', 'and b. Then c. => c'],
    after: '- a\n- b\n- c\n',
  },
  'a rule without a source stands after the one before it, a first one before the next': {
    before: '- A\n- B\n',
    rules: [' => x', 'A => a', ' => y', 'B => b'],
    after: '- x\n- a\n- y\n- b\n',
  },
  'repeated words are assigned in the order of the rules': {
    before: '- A. Run it.\n- B. Run it.\n',
    rules: ['A. => a', 'Run it. => one', 'B. => b', 'Run it. => two'],
    after: '- a\n- one\n- b\n- two\n',
  },
  'a source between two others is the one between them': {
    before: 'Run it.\n\nA\n\nRun it.\n\nB\n\nRun it.\n',
    rules: ['A => a', 'Run it. => run', 'B => b'],
    after: 'Run it.\n\n- a\n\n- run\n\n- b\n\nRun it.\n',
  },
  'a whole sentence is meant rather than a part of one': {
    before: '- no pandas\n- Use no pandas here\n',
    rules: ['no pandas => x'],
    after: '- x\n- Use no pandas here\n',
  },
  'shortened sources, markers, marks and kinds of quotes do not count': {
    before: '> - **“Never”** use\n>   `x(...)` here, *or* there.\n',
    rules: ['- "Never" … there. => x'],
    after: '> - x\n',
  },
  'CRLF stays CRLF': {
    before: 'A. B\r\nc.\r\n',
    rules: ['B c. => b↵Reason: r'],
    after: 'A.\r\n\r\n- b\r\n  Reason: r\r\n',
  },
  'and its blank lines come, too': {
    before: '## H\r\nA\r\n```\r\nc\r\n```\r\n',
    rules: ['A => a'],
    after: '## H\r\n\r\n- a\r\n\r\n```\r\nc\r\n```\r\n',
  },
  'a source that is a line is one before CRLF, too': {
    before: 'Tech: React\r\nNever push\r\nRuns at five\r\n',
    rules: ['Never push => a'],
    after: 'Tech: React\r\nRuns at five\r\n\r\n- a\r\n',
  },
  'a space before CRLF breaks no sentence': {
    before: 'Never push \r\nto main. Fact.\r\n',
    rules: ['to main. => a'],
    after: 'Fact.\r\n\r\n- a\r\n',
  },
  'two spaces and a backslash do': {
    before: 'Facts.  \r\nNever push\\\r\nAsk Ann\\\r\nEnd.\r\n',
    rules: ['Never push => a'],
    after: 'Facts.  \r\nAsk Ann\\\r\nEnd.\r\n\r\n- a\r\n',
  },
  'a file without a line break at its end has none after': {
    before: '- A\n- B',
    rules: ['B => b↵Reason: r'],
    after: '- A\n- b\n  Reason: r',
  },
  'and none where its last item goes': { before: '- A\n- B', rules: ['A + B => a'], after: '- a' },
  'frontmatter stays': { before: '---\na: A\n---\nA\n', rules: ['A => a'], after: '---\na: A\n---\n- a\n' },
  'a comment within a block stays': {
    before: 'Do it. <!-- why -->\n',
    rules: ['Do it. => a'],
    after: '<!-- why -->\n\n- a\n',
  },
}

test.each(Object.entries(CASES))('%s', (_, { before, rules, after, mode }) => {
  expect(rewrite(before, rules, mode)).toBe(after)
})

const FOUND_IN_REAL_FILES: Record<string, Case> = {
  'a bold lead-in keeps its closing mark': {
    before: '**IMPORTANT: Never push.**\n',
    rules: ['Never push. => Rule: Never push.'],
    after: '**IMPORTANT:** Never push.\n',
  },
  'and where a fact follows': {
    before: '- **NOTE: Use a.** Fact.\n',
    rules: ['Use a. => a'],
    after: '- **NOTE:** Fact.\n- a\n',
  },
  'the kind of an alert keeps its line': {
    before: '> [!WARNING]\n> Never push to main.\n> Use PRs.\n',
    rules: ['Never push to main. => Never push.', 'Use PRs. => Use PRs.'],
    after: '> [!WARNING]\n> - Never push.\n> - Use PRs.\n',
  },
  'labelled lines stand for themselves': {
    before: '**Status:** Alpha  \n**Size:** 1280  \n**OS:** any\n',
    rules: ['1280 => Keep 1280.'],
    after: '**Status:** Alpha  \n**Size:** Keep 1280.  \n**OS:** any\n',
  },
  'a line that is broken by hand ends a sentence': {
    before: 'Facts here.  \nNever push\\\nAsk Ann.\n',
    rules: ['Never push => Never push.'],
    after: 'Facts here.  \nAsk Ann.\n\n- Never push.\n',
  },
  'and so does <br>': {
    before: '- Never push.<br>Facts.\n',
    rules: ['Never push. => a'],
    after: '- Facts.\n- a\n',
  },
  'lines without full stops, where the source is one': {
    before: 'Tech: React\nNever push\nRuns at five\n',
    rules: ['Never push => a'],
    after: 'Tech: React\nRuns at five\n\n- a\n',
  },
  'the edge of a source ends a sentence after a full stop, before a small letter': {
    before: 'Facts. npm must not be used. npm is slow.\n',
    rules: ['npm must not be used. => a'],
    after: 'Facts. npm is slow.\n\n- a\n',
  },
  'the mark of a footnote belongs to its sentence': {
    before: 'Never push.[^1] Facts.\n\n[^1]: Why\n',
    rules: ['Never push. => a[^1]'],
    after: 'Facts.\n\n- a[^1]\n\n[^1]: Why\n',
  },
  'a danda ends a sentence': {
    before: 'तथ्य है। पुश न करें। अंत।\n',
    rules: ['पुश न करें। => a'],
    after: 'तथ्य है। अंत।\n\n- a\n',
  },
  'indented code stays code': {
    before: 'Never push by hand.\n\n    make push\n',
    rules: ['Never push by hand. => Rule: Never push by hand.'],
    after: 'Never push by hand.\n\n    make push\n',
  },
  'what introduces a list is no item of it': {
    before: 'Trust this. You must do all of these:\n\n- lint\n',
    rules: ['Trust this. => Trust.', 'You must … these: => Do all of these.'],
    after: '- Trust.\n\nDo all of these:\n\n- lint\n',
  },
  'and its colon stands before its reason': {
    before: 'Do these:\n- lint\n',
    rules: ['Do these: => Do these.↵Reason: r.'],
    after: 'Do these:\nReason: r.\n- lint\n',
  },
  'an item goes: what is below it moves up by its own indentation': {
    before: '- A\n- B\n    - C\n        - D\n    - E\n',
    rules: ['A + B => a'],
    after: '- a\n- C\n    - D\n- E\n',
  },
  'and keeps its blank line': {
    before: '- A\n- B\n\n  para\n\n- F\n',
    rules: ['A + B => a'],
    after: '- a\n\npara\n\n- F\n',
  },
  'items of another kind stay with the item before': {
    before: '1. A\n2. B\n    - C\n3. F\n',
    rules: ['A + B => a'],
    after: '1. a\n    - C\n2. F\n',
  },
  'numbers go on across code': {
    before: '1. A. B.\n\n```\nx\n```\n\n2. C\n\n# H\n\n3. D\n',
    rules: ['A. => a', 'B. => b'],
    after: '1. a\n2. b\n\n```\nx\n```\n\n3. C\n\n# H\n\n3. D\n',
  },
  'tabs stay tabs': {
    before: '-\tA\n\t-\tB\n',
    rules: ['B => b↵Reason: r'],
    after: '-\tA\n\t-\tb\n\t\tReason: r\n',
  },
  'a labelled line right below the kind of an alert keeps that line, too': {
    before: '> [!NOTE]\n> **Size:** small. Do it.\n> **OS:** any\n',
    rules: ['**Size:** small. => a', 'Do it. => b'],
    after: '> [!NOTE]\n> - a\n> - b\n>\n> **OS:** any\n',
  },
  'a paragraph after code in an item gets its blank line': {
    before: '- A\n\n  ```\n  x\n  ```\n  B.\n',
    rules: ['B. => b'],
    after: '- A\n\n  ```\n  x\n  ```\n\n  - b\n',
  },
  'a source may say the comment that stands beside it': {
    before: '- A. <!-- x --> B. C\n- <!-- y -->\n',
    rules: ['A. <!-- x --> B. => a'],
    after: '- <!-- x --> C\n- a\n- <!-- y -->\n',
  },
  'an emoji whose second half is the mark of a removed line stays': {
    before: '- 👌🏿 A\n- B\n\n🏿\n\n- C 🏿<!-- 🏿 -->. D\n',
    rules: ['B + D => b'],
    after: '- 👌🏿 A\n- b\n\n🏿\n\n- C 🏿<!-- 🏿 -->.\n',
  },
  'blank lines that meet are one': {
    before: '> A <!-- x -->\n> **B:** b\n>\n> C\n',
    rules: ['A + **B:** b => a'],
    after: '> <!-- x -->\n>\n> - a\n>\n> C\n',
  },
  'a bold line above a paragraph keeps its line': {
    before: '**Style**\nUse tabs. Ask.\n\n**Tests**\nRun all. Fact.\n\n> **Note**\n> Push.\n',
    rules: ['Use tabs. => a', 'Ask. => b', 'Run all. => c', 'Push. => d'],
    after: '**Style**\n\n- a\n- b\n\n**Tests**\nFact.\n\n- c\n\n> **Note**\n>\n> - d\n',
  },
  'and in an item': {
    before: '- **Style**\n  Use tabs.\n- **Tests** – Run all. Ask.\n',
    rules: ['Use tabs. => a', 'Run all. => b', 'Ask. => c'],
    after: '- **Style**\n  - a\n- **Tests**\n  - b\n  - c\n',
  },
  'lines with signs, or numbers that are no list, stand for themselves': {
    before: 'So:\n✅ Use tabs\n❌ Push. Fact.\n\n• A\n• B\n• C\n\n1.1 D. E\n1.2 F\n',
    rules: ['✅ Use tabs => a', 'Push. => b', 'B => c', 'D. => d', 'E => e↵Reason: r'],
    after: 'So:\n✅ a\n❌ Fact.\n❌ b\n\n• A\n• c\n• C\n\n1.1 d\n1.1 e\n    Reason: r\n1.2 F\n',
  },
  'a line with a sign that goes': {
    before: '• A\n• B\n\n⚠️ C\n',
    rules: ['A + B => a', 'C => c'],
    after: '• a\n\n⚠️ c\n',
  },
  'a source that is a line but for the marks around it': {
    before: '(Use a)\n(Use b) ✓\n(Use c)\n',
    rules: ['Use b => b'],
    after: '(Use a)\n(Use c)\n\n- b\n',
  },
  'lines without full stops that begin small': {
    before: 'we use tea\ndont use npm\nrun tests\n',
    rules: ['dont use npm => a'],
    after: 'we use tea\nrun tests\n\n- a\n',
  },
  'a reason stays with its rule, unless that brings its own': {
    before:
      '- A.\n  Reason: Old\n  one.\n- B and c\n  Reason: r\n- D.\n  Reason: old\n\nRule: E.\nReason: r\n',
    rules: ['A. => a', 'B and c => b', 'B and c => c', 'D. => d↵Reason: new', 'E. => e'],
    after: '- a\n  Reason: Old\n  one.\n- b\n- c\n  Reason: r\n- d\n  Reason: new\n\nRule: e\nReason: r\n',
  },
  'the line of an import, or of a title, stays above the sentences of its paragraph': {
    before: '@docs/a.md\n@docs/b.md\nPlease use tabs. Ask.\n\nStyle\nUse x. Use y\nNext\n',
    rules: ['use tabs. => a', 'Ask. => b', 'Use x. => x', 'Use y => y'],
    after: '@docs/a.md\n@docs/b.md\n\n- a\n- b\n\nStyle\nNext\n\n- x\n- y\n',
  },
  'what introduces items stays while one of them does': {
    before: 'Never do:\n- A\n- B\n\n1. Always do:\n   - C\n   - D\n',
    rules: ['Never do: + A => a', 'Always do: + D => d'],
    after: 'Never do:\n- a\n- B\n\n1. Always do:\n   - C\n   - d\n',
  },
  'and goes with the last of them': {
    before: 'Never do:\n- A\n- B\n\nAlways do:\n- C\n',
    rules: ['Never do: + A => a', 'Never do: + B => b', 'C + Always do: => c'],
    after: '- a\n- b\n\n- c\n',
  },
  'a sign before the words stays': {
    before: '- ✅ Test. Ask.\n- ❌ Push\n',
    rules: ['Test. => a', 'Ask. => b', '❌ Push => c'],
    after: '- ✅ a\n- ✅ b\n- ❌ c\n',
  },
}

test.each(Object.entries(FOUND_IN_REAL_FILES))('%s', (_, { before, rules, after }) => {
  expect(rewrite(before, rules)).toBe(after)
})

const FAULTS: Array<[before: string, rules: Array<string>, fault: object]> = [
  ['A\n', ['B => b'], { rule: 0, source: 'B', kind: 'missing' }],
  ['A\n\nB\n', ['A => a', 'A B => b'], { rule: 1, source: 'A B', kind: 'missing' }],
  ['- A\n  - B\n', ['A B => b'], { rule: 0, source: 'A B', kind: 'missing' }],
  ['cinnopandas\n', ['no pandas => b'], { rule: 0, source: 'no pandas', kind: 'missing' }],
  ['```\nA\n```\n', ['A => a'], { rule: 0, source: 'A', kind: 'barred', where: 'code' }],
  ['    A\n', ['A => a'], { rule: 0, source: 'A', kind: 'barred', where: 'code' }],
  ['|x|\n|-|\n|A|\n', ['A => a'], { rule: 0, source: 'A', kind: 'barred', where: 'a table' }],
  ['|x|\r\n|-|\r\n|A|\r\n', ['A => a'], { rule: 0, source: 'A', kind: 'barred', where: 'a table' }],
  ['|x|\n|-| \n|A|\n', ['A => a'], { rule: 0, source: 'A', kind: 'barred', where: 'a table' }],
  ['# A\n', ['A => a'], { rule: 0, source: 'A', kind: 'barred', where: 'a heading' }],
  ['A\n===\n', ['A => a'], { rule: 0, source: 'A', kind: 'barred', where: 'a heading' }],
  ['<!-- A -->\n', ['A => a'], { rule: 0, source: 'A', kind: 'barred', where: 'a comment' }],
  ['x <!-- A --> y\n', ['A => a'], { rule: 0, source: 'A', kind: 'barred', where: 'a comment' }],
  ['---\na: A\n---\n', ['a: A => a'], { rule: 0, source: 'a: A', kind: 'barred', where: 'frontmatter' }],
  ['A.\n\nB.\n\nA.\n', ['A. => a'], { rule: 0, source: 'A.', kind: 'ambiguous', lines: [1, 5] }],
]

test.each(FAULTS)('%j: the source of %j', (before, rules, fault) => {
  expect(sourced(before, rules).faults as Array<object>).toEqual([fault])
})

test('the sentences that rules restate, without what stays of them', () => {
  const text = sourced('- **Dates:** A b, c. D.\n- E.\n', ['A b => a', 'c. => c', 'E. => e'])
  expect(text.restated()).toEqual([{ text: 'A b, c.', rules: [0, 1] }, { text: 'E.', rules: [2] }])
})

test('the lines that no rule restates, those that order something first', () => {
  const text = sourced('# H\n\n- A\n- Never b.\n\nFact. C\n\n```\nx\n```\n', ['A => a', 'C => c'])
  const { ordering, others, overtaken } = text.remaining((sentence) => sentence.includes('Never'))
  expect(ordering).toEqual([4])
  expect(others).toEqual([[1, 1], [6, 9]])
  expect(overtaken).toEqual([])
  const mixed = sourced('> [!NOTE]\n> B\n\n- [x] A\n- A fact. Never b. C\n', ['A => a', 'B => b', 'C => c'])
  expect(mixed.remaining((sentence) => sentence.includes('Never')))
    .toEqual({ ordering: [5], others: [], overtaken: [] })
  expect(
    sourced('Do it. It helps.\n\n- A fact. Ask.\n', ['Do it. => a', 'Ask. => b']).remaining(() => false)
      .overtaken,
  )
    .toEqual([1])
})

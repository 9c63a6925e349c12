/** A rewrite puts each rule in the place of the words that it restates, and leaves all else of the file. */
import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { ParsedRule } from '../../src/rule-schema.ts'
import { story } from '../harness/story.ts'
import {
  add,
  answersIn,
  DISCOVER,
  format,
  parse,
  restore,
  start,
  textsOf,
  twice,
  write,
} from './writer-calls.ts'

// Its mark, which a reader does not see, comes first.
const AGENTS = `\uFEFF# Shop

The shop sells tea. Never log a card number. Prices are in cents.

\`\`\`sh
bun test
\`\`\`

- Run \`bun test\` first, it takes 3 s. Then ask.
`

const rule = (
  target: string,
  source?: string | Array<string>,
  more: Partial<ParsedRule> = {},
): ParsedRule => ({
  strength: 'obligatory',
  action: 'use',
  target,
  ...(source === undefined ? {} : { source }),
  ...more,
})

const LOG = rule('a card number', 'Never log a card number.', { strength: 'forbidden', action: 'log' })
const RUN = rule('`bun test` first', 'Run `bun test` first … ask.', { action: 'run', reason: 'it takes 3 s' })
const ASK = rule('then', 'Run `bun test` first … ask.', { action: 'ask' })
const WORDS = [
  'Rule: Never log card numbers.',
  'Rule: Run `bun test` first.\nReason: It takes 3 s.',
  '- Ask then.',
]

const AFTER = AGENTS.replace('a card number', 'card numbers')
  .replace(/- Run.*/, '- Run `bun test` first. It takes 3 s.\n- Ask then.')

story('rules come in the place of their sources, and one again by its new words', async () => {
  const project = await start({ 'AGENTS.md': AGENTS })
  const last = { ...RUN, target: '`bun test` last', source: 'Run `bun test` first. It takes 3 s.' }
  const [, , , written, ...others] = await answersIn(
    project,
    ...[DISCOVER, parse(LOG, RUN, ASK), format(WORDS), write({ files: 'AGENTS.md' })],
    async () => {
      expect(readFileSync(project.path('AGENTS.md'), 'utf8')).toBe(AFTER)
      return parse(last, { ...LOG, source: 'Never log card numbers.' })
    },
    format(['- run `bun test` last', '- never log a card number.'], 'concise'),
    write({ mode: 'concise' }),
  )
  expect(written).toMatch(/^\| AGENTS\.md \| Success \| +3 \|/m)
  expect(written).toContain('Backup of ')
  // One file needs no name, and concise has no reason.
  expect(others.at(-1)).toContain('\n```diff\n@@ -3,1 +3,1 @@\n-The shop sells tea. Never log card numbers.')
  expect(readFileSync(project.path('AGENTS.md'), 'utf8')).toBe(
    AFTER.replace('Run `bun test` first. It takes 3 s.', 'run `bun test` last')
      .replace('Never log card numbers.', 'never log a card number.'),
  )
})

story('all faults of all sources come in one answer, each with its number and what to copy', async () => {
  const project = await start({ 'AGENTS.md': `${AGENTS}\nThe shop sells tea.\n`, 'b.md': 'Use tabs.\n' })
  const [unshown, , ...outputs] = await answersIn(project, parse(LOG), DISCOVER, [
    parse(
      LOG,
      rule('x', 'Never log a card.'),
      rule('x', 'The shop sells tea.'),
      rule('x', 'bun test\n```'),
      rule('x', '\\'),
      rule('x', 'a card number. Prices'),
      rule('x'),
    ),
    parse(LOG, rule('tabs', 'Use tabs.')),
    format(WORDS),
    write(),
    write({ files: 'b.md' }),
  ])
  const [faults, other, formatted, all, named] = outputs
  expect(unshown).toContain('call discover-rules first')
  for (
    const fault of [
      /rules\.1\.source: rule 2: its source "Never log a card\." is not in `.*AGENTS\.md`; line 3 says "The shop sells tea\. Never/,
      /rule 3: its source "The shop sells tea\." occurs in .* on the lines 3, 11\n/,
      /^Copy the words as they are .*\nCopy more of the words/m,
      /rule 4: .* is in code \(from line 5 on\), which is not rewritten/,
      /rule 5: its source "\\\\" has no letter or digit\. Copy the words/,
      /rule 6: its source "a card number\. Prices" \(line 3\) shares words with a source of rule 1/,
      /rules\.6: rule 7 has no source, but others have one/,
    ]
  ) expect(faults).toMatch(fault)
  expect(faults).not.toContain('rule 1:')
  expect(other).toMatch(/rule 2: its source is in `.*b\.md`.*once for each file/)
  for (const output of outputs.slice(0, 2)) expect(output).toEndWith('try again.')
  expect(formatted).toContain('"rules"')
  for (const output of [all, named]) expect(output).toContain('parse-rules refused the last rules')
  expect(await project.read('b.md')).toBe('Use tabs.\n')
})

story(
  'format-rules wants one text for each rule, and compares it with the words that it replaces',
  async () => {
    const text = 'Keep lines below 100 in `src/`.\n\n| a | b |\n| - | - |\n| use tabs | 2 |\n\n# Run it\n'
    const project = await start({ 'a.md': text })
    const parsed = [
      rule('lines short', 'Keep lines below 100 in `src/`.', { action: 'keep' }),
      rule('tabs', 'use tabs'),
      rule('it', 'Run it', { action: 'run' }),
    ]
    const [, , fewer, doubted, cells, , written] = await answersIn(
      project,
      ...[DISCOVER, parse(...parsed), format(['Keep lines short.', 'use spaces'])],
      ...['|', ' '].map((gap) =>
        format(['Keep lines short.', `use${gap}spaces`, gap === ' ' ? 'Run' : 'Run\nit'])
      ),
      ...[format(['Keep lines short.', 'use spaces', 'Run']), write()],
    )
    expect(fewer).toContain('parse-rules took 3 rules, got 2 texts: send one text for each')
    expect(doubted).toMatch(
      /rule 2 replaces words of a table, which holds one line with as many \| as before/,
    )
    expect(doubted).toMatch(/rule 3 replaces words of a heading, which holds one line; got "Run\\nit"/)
    expect(cells).toMatch(/rule 1 does not say `src\/`, which is in the words that it replaces: "Keep/)
    expect(cells).toContain('send the same again')
    expect(written).toContain('Success')
    expect(await project.read('a.md')).toBe(
      text.replace('Keep lines below 100 in `src/`.', 'Keep lines short.').replace('tabs', 'spaces').replace(
        'Run it',
        'Run',
      ),
    )
  },
)

story('a text that equals its source changes nothing, and is named', async () => {
  const project = await start({ 'a.md': '- Use tabs.\n- dont call eval\n' })
  const parsed = parse(rule('tabs', 'Use tabs.'), rule('eval', 'dont call eval', { strength: 'forbidden' }))
  const [, , , written] = await answersIn(
    project,
    ...[DISCOVER, parsed, format(['Use tabs.', 'Do not call eval.']), write()],
  )
  expect(written).toMatch(/Success \| +2 \|/)
  expect(written).toContain('Already in the file, in these words: rule 1.')
  expect(await project.read('a.md')).toBe('- Use tabs.\n- Do not call eval.\n')
})

story('a restored file no longer has what was added since, and its backup has', async () => {
  const project = await start({ 'AGENTS.md': '- dont use npm!!\n- Ask first, always.\n' })
  const outputs = await answersIn(
    project,
    DISCOVER,
    parse(rule('npm', 'dont use npm!!', { strength: 'forbidden' })),
    ...[format(['Rule: Do not use npm.']), write()],
    ...[add({ rules: ['Rule: Do not call eval, tabs or not.'] }), restore('AGENTS.md')],
  )
  expect(outputs[5]).toMatch(
    /It no longer has `- Do not call eval, tabs or not\.`, added since; that is in the backup/,
  )
  expect(outputs[5]).not.toContain('npm')
})

story('two files that say the same are rewritten one by one, and then replaced by no rules', async () => {
  const text = '# A\n\nThe shop sells tea.\n\n- use tabs!\n'
  const project = await start({ 'AGENTS.md': text, 'CLAUDE.md': text })
  const rules = ['Rule: Use tabs.']
  const one = write({ files: 'CLAUDE.md' })
  const given = write({ files: 'CLAUDE.md', rules })
  const outputs = await answersIn(
    project,
    ...[DISCOVER, parse(rule('tabs', 'use tabs!')), format(rules), write()],
    ...[
      write({ files: 'AGENTS.md' }),
      one,
      parse(rule('tabs', 'use tabs!')),
      format(rules),
      one,
      one,
      write(),
    ],
    ...[given, format(rules), one, given],
    ...[restore('CLAUDE.md'), ...twice(one)],
  )
  expect(outputs[3]).toMatch(
    /several files have the sources, `.*AGENTS\.md` or `.*CLAUDE\.md`\. Name one in "files"/,
  )
  for (const at of [4, 8]) expect(outputs[at]).toMatch(/Success \| +1 \|/)
  for (const at of [5, 9, 10]) expect(outputs[at]).toContain('after parse-rules with the source')
  for (const at of [11, 13, 14]) {
    expect(outputs[at]).toContain('these rules have already replaced their sources')
  }
  const after = text.replace('use tabs!', 'Use tabs.')
  // A restored file does not have them any more.
  expect(await textsOf(project, 'AGENTS.md', 'CLAUDE.md')).toEqual([after, 'Rule: Use tabs.\n'])
})

/** A rewrite replaces the words that each rule restates, and leaves everything else in the file. */
import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { ParsedRule } from '../../src/rule-schema.ts'
import { story } from '../harness/story.ts'
import {
  add,
  DISCOVER,
  expectAnswers,
  format,
  parse,
  restore,
  start,
  textsOf,
  write,
} from './writer-calls.ts'

// Its byte-order mark, which a reader does not see, comes first.
const AGENTS = `\uFEFF# Shop

The shop sells tea. Never log a card number. Prices are in cents.

\`\`\`sh
bun test
\`\`\`

- Run \`bun test\` first, it takes 3 s. Then ask.
`

const rule = (target: string, source?: string, more: Partial<ParsedRule> = {}): ParsedRule => ({
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

story('rules replace their sources, and their own words in a second rewrite', async () => {
  const project = await start({ 'AGENTS.md': AGENTS })
  // With its byte-order mark.
  const text = () => readFileSync(project.path('AGENTS.md'), 'utf8')
  const session = await expectAnswers(
    project,
    [DISCOVER],
    [parse(LOG, RUN, ASK)],
    [format(WORDS)],
    [write({ files: 'AGENTS.md' }), /^\| AGENTS\.md \| Success \| +3 \|[^]*Backup of /m],
  )
  expect(text()).toBe(AFTER)
  const last = { ...RUN, target: '`bun test` last', source: 'Run `bun test` first. It takes 3 s.' }
  await expectAnswers(
    session,
    [parse(last, { ...LOG, source: 'Never log card numbers.' })],
    [format(['- run `bun test` last', '- never log a card number.'], 'concise')],
    [write({ mode: 'concise' }), '\n```diff\n@@ -3,1 +3,1 @@\n-The shop sells tea. Never log card numbers.'],
  )
  // One file needs no name, and concise has no reason.
  expect(text()).toBe(
    AFTER.replace('Run `bun test` first. It takes 3 s.', 'run `bun test` last')
      .replace('Never log card numbers.', 'never log a card number.'),
  )
})

story('one answer lists the faults of all sources, each with its number and what to copy', async () => {
  const project = await start({ 'AGENTS.md': `${AGENTS}\nThe shop sells tea.\n`, 'b.md': 'Use tabs.\n' })
  const faulty = [
    'Never log a card.',
    'The shop sells tea.',
    'bun test\n```',
    '\\',
    'a card number. Prices',
    undefined,
  ]
  const [faults, refused] = [
    parse(LOG, ...faulty.map((source) => rule('x', source))),
    'parse-rules refused the last rules',
  ]
  await expectAnswers(
    project,
    [parse(LOG), 'call discover-rules first'],
    [DISCOVER],
    ...[
      /rules\.1\.source: rule 2: its source "Never log a card\." is not in `.*AGENTS\.md`; line 3 says "The shop sells tea\. Never/,
      /rule 3: its source "The shop sells tea\." stands in .* on the lines 3, 11\n/,
      /^Copy the words as they stand .*\nCopy more of the words[^]*try again\.$/m,
      /rule 4: .* lies in code \(from line 5 on\)\. What stands there stays as it is/,
      /rule 5: its source "\\\\" has no letter or digit\. Copy the words/,
      /rule 6: its source "a card number\. Prices" \(line 3\) shares words with a source of rule 1/,
      /rules\.6: rule 7 has no source, the others have/,
      /^(?![^]*rule 1:)/,
    ].map((fault): [typeof faults, RegExp] => [faults, fault]),
    [
      parse(LOG, rule('tabs', 'Use tabs.')),
      /rule 2: its source stands in `.*b\.md`.*once for each file[^]*try again\.$/,
    ],
    [[format(WORDS), write(), write({ files: 'b.md' })], '"rules"', refused, refused],
  )
  expect(await project.read('b.md')).toBe('Use tabs.\n')
})

story('format-rules wants one text for each rule, in the form of the words that it replaces', async () => {
  const text = 'Keep lines below 100 in `src/`.\n\n| a | b |\n| - | - |\n| use tabs | 2 |\n\n# Run it\n'
  const project = await start({ 'a.md': text })
  const texts = ['Keep lines short.', 'use spaces', 'Run']
  const parsed = [
    rule('lines short', 'Keep lines below 100 in `src/`.', { action: 'keep' }),
    rule('tabs', 'use tabs'),
    rule('it', 'Run it', { action: 'run' }),
  ]
  const doubted = ['Keep lines short.', 'use|spaces', 'Run\nit']
  await expectAnswers(
    project,
    [DISCOVER],
    [parse(...parsed)],
    [format(texts.slice(1)), 'parse-rules took 3 rules, got 2 texts: send one text for each'],
    [
      format(doubted),
      /rule 2 replaces words of a table, which holds one line with as many \| as before[^]*rule 3 replaces words of a heading, which holds one line; got "Run\\nit"/,
    ],
    [
      format(texts),
      /rule 1 does not say `src\/`, which stands in the words that it replaces: "Keep[^]*send the same again/,
    ],
    [format(texts)],
    [write(), 'Success'],
  )
  expect(await project.read('a.md')).toBe(
    text.replace(/^.*100.*/, 'Keep lines short.').replace('tabs', 'spaces').replace('Run it', 'Run'),
  )
})

story('a text that equals its source changes nothing, and the answer names it', async () => {
  const project = await start({ 'a.md': '- Use tabs.\n- dont call eval\n' })
  await expectAnswers(
    project,
    [DISCOVER],
    [parse(rule('tabs', 'Use tabs.'), rule('eval', 'dont call eval', { strength: 'forbidden' }))],
    [format(['Use tabs.', 'Do not call eval.'])],
    [write(), /Success \| +2 \|[^]*Rule 1 says what stands there already\./],
  )
  expect(await project.read('a.md')).toBe('- Use tabs.\n- Do not call eval.\n')
})

story('a restore names what was added since, which only the backup still has', async () => {
  const project = await start({ 'AGENTS.md': '- dont use npm!!\n- Ask first, always.\n' })
  await expectAnswers(
    project,
    [DISCOVER],
    [parse(rule('npm', 'dont use npm!!', { strength: 'forbidden' }))],
    [format(['Rule: Do not use npm.'])],
    [write()],
    [add({ rules: ['Rule: Do not call eval, tabs or not.'] })],
    [
      restore('AGENTS.md'),
      /^(?![^]*npm)[^]*It no longer has `- Do not call eval, tabs or not\.`, added since; that is in the backup/,
    ],
  )
})

story('two files with the same words are rewritten one by one, then replaced by no rules', async () => {
  const text = '# A\n\nThe shop sells tea.\n\n- use tabs!\n'
  const project = await start({ 'AGENTS.md': text, 'CLAUDE.md': text })
  const rules = ['Rule: Use tabs.']
  const one = write({ files: 'CLAUDE.md' })
  const given = write({ files: 'CLAUDE.md', rules })
  const parsed = parse(rule('tabs', 'use tabs!'))
  const [again, there] = ['after parse-rules with the source', 'these rules stand in the file already']
  await expectAnswers(
    project,
    [DISCOVER],
    [parsed],
    [format(rules)],
    [write(), /stand in `.*AGENTS\.md` or `.*CLAUDE\.md` alike\. Name one in "files"/],
    [write({ files: 'AGENTS.md' }), /Success \| +1 \|/],
    [one, again],
    [parsed],
    [format(rules)],
    [one, /Success \| +1 \|/],
    [one, again],
    [write(), again],
    [given, there],
    [format(rules)],
    [one, there],
    [given, there],
    // A restored file does not have them any more.
    [restore('CLAUDE.md')],
    [one],
    [one],
  )
  const after = text.replace('use tabs!', 'Use tabs.')
  expect(await textsOf(project, 'AGENTS.md', 'CLAUDE.md')).toEqual([after, 'Rule: Use tabs.\n'])
})

/** Rules with sources: a rewrite replaces the words that each rule restates, and leaves everything else in the file. */
import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { ParsedRule } from '../../src/rule-schema.ts'
import type { Call } from '../harness/model.ts'
import { story } from '../harness/story.ts'
import {
  accepted,
  add,
  correct,
  DISCOVER,
  expectAnswers,
  format,
  parse,
  restore,
  rewrite,
  start,
  textsOf,
  unchecked,
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

const NEVER: Partial<ParsedRule> = { strength: 'forbidden', action: 'call' }
const LOG = rule('a card number', 'Never log a card number.', { strength: 'forbidden', action: 'log' })
const RUN = rule('`bun test` first', 'Run `bun test` first … ask.', { action: 'run', reason: 'it takes 3 s' })
const ASK = rule('then', 'Run `bun test` first … ask.', { action: 'ask' })
const TEXTS = [
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
    ...unchecked(DISCOVER, parse(LOG, RUN, ASK), format(TEXTS)),
    [write({ files: 'AGENTS.md' }), /^\| AGENTS\.md \| Success \| +3 \|[^]*Backup of /m],
  )
  expect(text()).toBe(AFTER)
  const last = { ...RUN, target: '`bun test` last', source: 'Run `bun test` first. It takes 3 s.' }
  const words = ['- run `bun test` last', '- never log a card number.']
  await expectAnswers(
    session,
    ...unchecked(parse(last, { ...LOG, source: 'Never log card numbers.' }), format(words, 'concise')),
    // One file needs no name.
    [write({ mode: 'concise' }), '\n```diff\n@@ -3,1 +3,1 @@\n-The shop sells tea. Never log card numbers.'],
  )
  // Concise has no reason.
  expect(text()).toBe(
    AFTER.replace('Run `bun test` first. It takes 3 s.', 'run `bun test` last')
      .replace('Never log card numbers.', 'never log a card number.'),
  )
})

story('one answer lists the faults of all sources, each with its number and what to copy', async () => {
  const project = await start({ 'AGENTS.md': `${AGENTS}\nThe shop sells tea.\n`, 'b.md': 'Use tabs.\n' })
  const sources = ['Never log a card.', 'The shop sells tea.', 'bun test\n```', '\\', 'a card number. Prices']
  const faulty = parse(LOG, ...sources.map((source) => rule('x', source)), rule('x'))
  const faults = [
    /rules\.1\.source: rule 2: its source "Never log a card\." is not in `.*AGENTS\.md`; line 3 says "The shop sells tea\. Never/,
    /rule 3: its source "The shop sells tea\." occurs in .* on the lines 3, 11\n/,
    /^Copy the words as they are .*\nCopy more of the words/m,
    /rule 4: .* is in code \(from line 5 on\), which is not rewritten/,
    /rule 5: its source "\\\\" has no letter or digit\. Copy the words/,
    /rule 6: its source "a card number\. Prices" \(line 3\) shares words with a source of rule 1/,
    /rules\.6: rule 7 has no source, but others have one/,
    /^(?![^]*rule 1:)[^]*try again\.$/,
  ]
  const refused = 'parse-rules refused the last rules'
  await expectAnswers(
    project,
    [parse(LOG), 'call discover-rules first'],
    [DISCOVER],
    [faulty, ...faults],
    [
      parse(LOG, rule('tabs', 'Use tabs.')),
      /rule 2: its source is in `.*b\.md`.*once for each file[^]*try again\.$/,
    ],
    [[format(TEXTS), write(), write({ files: 'b.md' })], '"rules"', refused, refused],
  )
  expect(await project.read('b.md')).toBe('Use tabs.\n')
})

story('format-rules requires one text for each rule, in the form of the words that it replaces', async () => {
  const text = 'Keep lines below 100 in `src/`.\n\n| a | b |\n| - | - |\n| use tabs | 2 |\n\n# Run it\n'
  const project = await start({ 'a.md': text })
  const keep = rule('lines short', 'Keep lines below 100 in `src/`.', { action: 'keep' })
  const right = format(['Keep lines short.', 'use spaces', 'Run'])
  await expectAnswers(
    project,
    ...unchecked(DISCOVER, parse(keep, rule('tabs', 'use tabs'), rule('it', 'Run it', { action: 'run' }))),
    [format(['Keep lines short.']), 'parse-rules accepted 3 rules, got 1 text: send one text for each'],
    [
      format(['Keep lines short.', 'use|spaces', 'Run\nit']),
      /rule 2 replaces words of a table, which holds one line with as many \| as before/,
      /rule 3 replaces words of a heading, which holds one line; got "Run\\nit"/,
    ],
    [
      right,
      /rule 1 does not say `src\/`, which is in the words that it replaces: "Keep/,
      'send the same again',
    ],
    [right],
    [write(), 'Success'],
  )
  expect(await project.read('a.md')).toBe(
    text.replace(/^.*100.*/, 'Keep lines short.').replace('tabs', 'spaces').replace('Run it', 'Run'),
  )
})

story('a rule replaces all of its sources; a text that equals its source is named', async () => {
  const project = await start({ 'a.md': '- Use tabs.\n- dont call eval\n- no eval pls\n' })
  await expectAnswers(
    project,
    ...unchecked(
      DISCOVER,
      parse(rule('tabs', 'Use tabs.'), rule('eval', ['dont call eval', 'no eval pls'], NEVER)),
    ),
    ...unchecked(format(['Use tabs.', 'Do not call eval.'])),
    [write(), /Success \| +2 \|/, 'Already in the file, in these words: rule 1.'],
  )
  expect(await project.read('a.md')).toBe('- Use tabs.\n- Do not call eval.\n')
})

story('a restore names the rules that were added since, which the backup keeps', async () => {
  const project = await start({ 'AGENTS.md': '- dont use npm!!\n- Ask first, always.\n' })
  await expectAnswers(
    project,
    ...unchecked(
      DISCOVER,
      parse(rule('npm', 'dont use npm!!', NEVER)),
      format(['Rule: Do not use npm.']),
      write(),
    ),
    ...unchecked(add({ rules: ['Rule: Do not call eval, tabs or not.'] })),
    [
      restore('AGENTS.md'),
      'It no longer has `- Do not call eval, tabs or not.`, added since; the new backup has this',
      /^(?![^]*npm)/,
    ],
  )
})

story('two files with the same words are rewritten one by one, then replaced by no rules', async () => {
  const text = '# A\n\nThe shop sells tea.\n\n- use tabs!\n'
  const project = await start({ 'AGENTS.md': text, 'CLAUDE.md': text })
  const rules = ['Rule: Use tabs.']
  const toClaude = write({ files: 'CLAUDE.md' })
  const withRules = write({ files: 'CLAUDE.md', rules })
  const parsed = parse(rule('tabs', 'use tabs!'))
  const [parseAgain, alreadyReplaced] = [
    'after parse-rules with the source',
    'these rules have already replaced their sources',
  ]
  await expectAnswers(
    project,
    ...unchecked(DISCOVER, parsed, format(rules)),
    [write(), /several files have the sources, `.*AGENTS\.md` or `.*CLAUDE\.md`\. Name one in "files"/],
    [write({ files: 'AGENTS.md' }), /Success \| +1 \|/],
    [toClaude, parseAgain],
    ...unchecked(parsed, format(rules)),
    [toClaude, /Success \| +1 \|/],
    [toClaude, parseAgain],
    [write(), parseAgain],
    [withRules, alreadyReplaced],
    ...unchecked(format(rules)),
    [toClaude, alreadyReplaced],
    [withRules, alreadyReplaced],
    // A restored file does not have them any more.
    ...unchecked(restore('CLAUDE.md'), toClaude, toClaude),
  )
  const after = text.replace('use tabs!', 'Use tabs.')
  expect(await textsOf(project, 'AGENTS.md', 'CLAUDE.md')).toEqual([after, 'Rule: Use tabs.\n'])
})

story('texts belong to the rules that they fit, whatever the order of the calls', async () => {
  const project = await start({ 'a.md': '- Use tabs!\n', 'b.md': '- Never call eval!\n' })
  const parsed = [parse(rule('tabs', 'Use tabs!')), parse(rule('eval', 'Never call eval!', NEVER))]
  const texts = [format(['Rule: never call eval']), format(['Rule: use tabs'])]
  await expectAnswers(
    project,
    [DISCOVER],
    [[...parsed, ...texts, write()], '', '', '', '', /^(?=[^]*^Written: )(?![^]*^Written: [^]*^Written: )/m],
  )
  expect(await textsOf(project, 'a.md', 'b.md')).toEqual(['- use tabs\n', '- never call eval\n'])
})

story('a rewrite without files writes accepted sets, and names the file of a doubted set', async () => {
  const project = await start({
    'a.md': '- Use tabs!\n',
    'b.md': '- Never call eval!\n',
    'c.md': '- ask pls\n',
  })
  await expectAnswers(
    project,
    ...unchecked(DISCOVER, parse(rule('tabs', 'Use tabs!')), format(['Rule: use tabs'])),
    ...unchecked(parse(rule('eval', 'Never call eval!', NEVER))),
    // These texts fit an earlier set better than the last one.
    [format(['Rule: Use tabs.']), { is: accepted('Rule: Use tabs.') }],
    [format(['Rule: call eval']), 'rule 1 does not forbid'],
    ...unchecked(parse(rule('Ann', 'ask pls', { action: 'ask' })), format(['Rule: ask Ann'])),
    [
      write(),
      /^\| TOTAL \| 2\/2[^]*Not written: `.*b\.md`: format-rules has not accepted its rules yet\./m,
    ],
  )
  expect(await textsOf(project, 'a.md', 'b.md', 'c.md'))
    .toEqual(['- Use tabs.\n', '- Never call eval!\n', '- ask Ann\n'])
})

story('a correction by number changes the refused one of two sets in one message', async () => {
  const project = await start({
    'a.md': 'Use tabs!\n\nPlease run `it`.\n',
    'b.md': 'Use npm!\n\nAlways ask.\n',
  })
  const run = rule('`it`', 'Run it!!', { action: 'run' })
  const secondSet = parse(rule('npm', 'Use npm!'), rule('me', 'Always ask.', { action: 'ask' }))
  const texts = [['tabs', 'Rule: run'], ['npm', 'Rule: ask']].map(([word, other = '']) =>
    format([`Rule: use ${word}`, other])
  )
  await expectAnswers(
    project,
    ...unchecked(DISCOVER, [parse(rule('tabs', 'Use tabs!'), run), secondSet]),
    [correct('parse-rules', { 2: { source: 'Please run `it`.' } }), /"tabs"[^]*"Please run `it`\."/],
    [texts, 'rule 2 does not say `it`'],
    [correct('format-rules', { 2: 'Rule: run `it`' }), { is: accepted('Rule: use tabs', 'Rule: run `it`') }],
    [write()],
  )
  expect(await textsOf(project, 'a.md', 'b.md')).toEqual(['use tabs\n\nrun `it`\n', 'use npm\n\nask\n'])
})

story('rules without sources are written to the file named next, never to a file of sources', async () => {
  const project = await start({
    'a.md': 'Tabs!\n',
    'b.md': 'Spaces?\n',
    'c.md': 'First!\n',
    'd.md': 'Tabs?\n',
  })
  const parsed = (target: string, source?: string) => parse(rule(target, source))
  const [tabs, spaces] = ['tabs', 'spaces'].map((target) => format([`Rule: use ${target}`])) as [Call, Call]
  const toB = write({ files: 'b.md' })
  await expectAnswers(
    project,
    ...unchecked(DISCOVER, parsed('tabs', 'Tabs!')),
    [
      rewrite('a.md, c.md', '- first'),
      `${project.path('a.md')}: Nothing was written: these are not the rules`,
    ],
    [tabs],
    [toB, /these rules belong to `.*a\.md`, by their sources/],
    [
      [parsed('tabs'), parsed('spaces'), tabs, spaces, toB],
      ...['', '', '', ''],
      'several sets of rules without sources came in one message',
    ],
    [[parsed('spaces'), spaces, toB, parsed('tabs'), tabs, write({ files: 'd.md' })]],
  )
  expect(await textsOf(project, 'a.md', 'b.md', 'c.md', 'd.md'))
    .toEqual(['Tabs!\n', 'Rule: use spaces\n', '- first\n', 'Rule: use tabs\n'])
})

/** Stories of rules with sources (the words that a rule replaces in a file). */
import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { ParsedRule } from '../../src/rule-schema.ts'
import { story } from '../harness/story.ts'
import { add, DISCOVER, format, parse, restore, rewrite } from './calls.ts'
import { accepted, anyAnswer, expectAnswers, projectOf } from './play.ts'

const rule = (
  target: string,
  source?: string | Array<string>,
  more: Partial<ParsedRule> = {},
): ParsedRule => ({ strength: 'obligatory', action: 'use', target, ...(source && { source }), ...more })

const SHOP = `\uFEFF# Shop

The shop sells tea. Never log a card number. Prices are in cents.

\`\`\`sh
bun test
\`\`\`

- Run \`bun test\` first, it takes 3 s. Then ask.
`
const LOG = rule('a card number', 'Never log a card number.', { strength: 'forbidden', action: 'log' })

// `…` stands for the words between.
const RUN_SOURCE = 'Run `bun test` first … ask.'
const RUN = rule('`bun test` first', RUN_SOURCE, { action: 'run', reason: 'it takes 3 s' })
const ASK = rule('then', RUN_SOURCE, { action: 'ask' })

story('rules replace their sources; in a second rewrite, the new words are the sources', async () => {
  const project = await projectOf({ 'AGENTS.md': SHOP })
  const textWithBom = () => readFileSync(project.path('AGENTS.md'), 'utf8')
  const texts = [
    'Rule: Never log card numbers.',
    'Rule: Run `bun test` first.\nReason: It takes 3 s.',
    '- Ask then.',
  ]
  const session = await expectAnswers(
    project,
    ...anyAnswer(DISCOVER, parse(LOG, RUN, ASK), format(texts)),
    [rewrite({ files: 'AGENTS.md' }), /^\| AGENTS\.md \| Success \| +3 \|[^]*Backup of /m],
  )
  const rewritten = SHOP.replace('Never log a card number.', 'Never log card numbers.').replace(
    '- Run `bun test` first, it takes 3 s. Then ask.',
    '- Run `bun test` first. It takes 3 s.\n- Ask then.',
  )
  expect(textWithBom()).toBe(rewritten)

  const newRun = 'Run `bun test` first. It takes 3 s.'
  const newLog = 'Never log card numbers.'
  await expectAnswers(
    session,
    ...anyAnswer(
      parse({ ...RUN, target: '`bun test` last', source: newRun }, { ...LOG, source: newLog }),
      format(['- run `bun test` last', '- never log a card number.'], 'concise'),
    ),
    [rewrite({ mode: 'concise' }), '\n```diff\n@@ -3,1 +3,1 @@\n-The shop sells tea. Never log card'],
  )
  expect(textWithBom()).toBe(
    rewritten.replace(newRun, 'run `bun test` last').replace(newLog, 'never log a card number.'),
  )
})

// LOG is rule 1, and these are the sources of the rules 2 to 6.
const FAULTY_SOURCES: Array<[source: string, fault: RegExp]> = [
  ['Never log a card.', /rules\.1\.source: rule 2: .* is not in `.*AGENTS\.md`; line 3 says "The shop sells/],
  ['The shop sells tea.', /rule 3: its source "The shop sells tea\." occurs in .* on the lines 3, 11\n/],
  ['bun test\n```', /rule 4: .* is in code \(from line 5 on\), which is not rewritten/],
  ['\\', /rule 5: its source "\\\\" has no letter or digit\. Copy the words/],
  ['a card number. Prices', /rule 6: its source .* \(line 3\) shares words with a source of rule 1/],
]

story('one answer lists the faults of all sources', async () => {
  const project = await projectOf({ 'AGENTS.md': `${SHOP}\nThe shop sells tea.\n`, 'b.md': 'Use tabs.\n' })
  await expectAnswers(
    project,
    ...anyAnswer(DISCOVER),
    [
      parse(LOG, ...FAULTY_SOURCES.map(([source]) => rule('x', source)), rule('x')),
      { lacks: 'rule 1:' },
      ...FAULTY_SOURCES.map(([, fault]) => fault),
      /rules\.6: rule 7 has no source, but other rules have one/,
      /^Copy the words exactly .*\nCopy more of the words/m,
      /try again\.$/,
    ],
  )
})

story('sources in two files or in an undiscovered file are refused, and nothing is written', async () => {
  const project = await projectOf({ 'AGENTS.md': SHOP, 'b.md': 'Use tabs.\n' })
  const sourcesInTwoFiles = parse(LOG, rule('tabs', 'Use tabs.'))
  const rewrites = [rewrite(), rewrite({ files: 'b.md' })]
  const notWritten = 'parse-rules refused the last rules'
  await expectAnswers(
    project,
    [parse(LOG), 'call discover-rules first'],
    ...anyAnswer(DISCOVER),
    [sourcesInTwoFiles, /rule 2: its source is in `.*b\.md`.*once for each file[^]*try again\.$/],
    [[format(['Rule: x']), ...rewrites], accepted('Rule: x'), notWritten, notWritten],
  )
  expect(await project.read('b.md')).toBe('Use tabs.\n')
})

story('format-rules requires one text for each rule, and a single line in a table or a heading', async () => {
  const text = 'Keep lines below 100 in `src/`.\n\n| a | b |\n| - | - |\n| use tabs | 2 |\n\n# Run it\n'
  const project = await projectOf({ 'a.md': text })
  const rules = [
    rule('lines short', 'Keep lines below 100 in `src/`.', { action: 'keep' }),
    rule('tabs', 'use tabs'),
    rule('it', 'Run it', { action: 'run' }),
  ]
  await expectAnswers(
    project,
    ...anyAnswer(DISCOVER, parse(...rules)),
    [format(['Keep lines short.']), 'parse-rules accepted 3 rules, got 1 text: send one text for each'],
    [
      format(['Keep lines short.', 'use `a|b`', 'Run\nit']),
      /rule 2 replaces words of a table: write one line with as many \| as the old words, not counting/,
      /rule 3 replaces words of a heading: write one line; got "Run\\nit"/,
      /rule 1 does not say `src\/`, which is in the words that it replaces: "Keep/,
    ],
    // Sending the doubted text again confirms it.
    [format(['Keep lines short.', 'use spaces', 'Run']), accepted('Keep lines short.', 'use spaces', 'Run')],
    [rewrite(), 'Success'],
  )
  expect(await project.read('a.md')).toBe(
    'Keep lines short.\n\n| a | b |\n| - | - |\n| use spaces | 2 |\n\n# Run\n',
  )
})

story('a rewrite reports rules already in the file, and a restore reports rules it removes', async () => {
  const project = await projectOf({ 'a.md': '- Use tabs.\n- dont use npm!!\n- no npm pls\n' })
  const npm = rule('npm', ['dont use npm!!', 'no npm pls'], { strength: 'forbidden', action: 'call' })
  const session = await expectAnswers(
    project,
    ...anyAnswer(DISCOVER, parse(rule('tabs', 'Use tabs.'), npm), format(['Use tabs.', 'Do not use npm.'])),
    [rewrite(), /Success \| +2 \|/, 'Already in the file, word for word: rule 1.'],
  )
  expect(await project.read('a.md')).toBe('- Use tabs.\n- Do not use npm.\n')
  const noEval = 'Do not call eval, tabs or not.'
  await expectAnswers(
    session,
    ...anyAnswer(add({ rules: [`Rule: ${noEval}`] })),
    // The backup forbids npm in other words, so only the rule on eval is reported.
    [restore('a.md'), `which the restored backup lacks: \`- ${noEval}\``, { lacks: 'npm' }],
  )
})

/** Tests rules with sources: a source is the words of a file that a rule restates, and only they are replaced. */
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

const BAN: Partial<ParsedRule> = { strength: 'forbidden', action: 'call' }

const SHOP = `\uFEFF# Shop

The shop sells tea. Never log a card number. Prices are in cents.

\`\`\`sh
bun test
\`\`\`

- Run \`bun test\` first, it takes 3 s. Then ask.
`
const LOG = rule('a card number', 'Never log a card number.', { strength: 'forbidden', action: 'log' })

story('rules replace their sources; in a second rewrite, the new words are the sources', async () => {
  const project = await projectOf({ 'AGENTS.md': SHOP })
  const textWithBom = () => readFileSync(project.path('AGENTS.md'), 'utf8')
  // Both rules replace these words; `…` stands for what is in between.
  const sharedSource = 'Run `bun test` first … ask.'
  const run = rule('`bun test` first', sharedSource, { action: 'run', reason: 'it takes 3 s' })
  const ask = rule('then', sharedSource, { action: 'ask' })
  const texts = [
    'Rule: Never log card numbers.',
    'Rule: Run `bun test` first.\nReason: It takes 3 s.',
    '- Ask then.',
  ]
  const session = await expectAnswers(
    project,
    ...anyAnswer(DISCOVER, parse(LOG, run, ask), format(texts)),
    [rewrite({ files: 'AGENTS.md' }), /^\| AGENTS\.md \| Success \| +3 \|[^]*Backup of /m],
  )
  const rewritten = SHOP.replace('Never log a card number.', 'Never log card numbers.').replace(
    '- Run `bun test` first, it takes 3 s. Then ask.',
    '- Run `bun test` first. It takes 3 s.\n- Ask then.',
  )
  expect(textWithBom()).toBe(rewritten)

  const runLast = { ...run, target: '`bun test` last', source: 'Run `bun test` first. It takes 3 s.' }
  const logAgain = { ...LOG, source: 'Never log card numbers.' }
  const conciseTexts = ['- run `bun test` last', '- never log a card number.']
  await expectAnswers(
    session,
    ...anyAnswer(parse(runLast, logAgain), format(conciseTexts, 'concise')),
    [rewrite({ mode: 'concise' }), '\n```diff\n@@ -3,1 +3,1 @@\n-The shop sells tea. Never log card'],
  )
  const rewrittenAgain = rewritten.replace('Run `bun test` first. It takes 3 s.', 'run `bun test` last')
    .replace('Never log card numbers.', 'never log a card number.')
  expect(textWithBom()).toBe(rewrittenAgain)
})

// The sources of the rules 2 to 6, and what the answer says about each.
const FAULTY_SOURCES: Array<[source: string, fault: RegExp]> = [
  ['Never log a card.', /rules\.1\.source: rule 2: .* is not in `.*AGENTS\.md`; line 3 says "The shop sells/],
  ['The shop sells tea.', /rule 3: its source "The shop sells tea\." occurs in .* on the lines 3, 11\n/],
  ['bun test\n```', /rule 4: .* is in code \(from line 5 on\), which is not rewritten/],
  ['\\', /rule 5: its source "\\\\" has no letter or digit\. Copy the words/],
  ['a card number. Prices', /rule 6: its source .* \(line 3\) shares words with a source of rule 1/],
]

story('one answer lists the faults of all sources, and nothing is written', async () => {
  const project = await projectOf({ 'AGENTS.md': `${SHOP}\nThe shop sells tea.\n`, 'b.md': 'Use tabs.\n' })
  const faulty = parse(LOG, ...FAULTY_SOURCES.map(([source]) => rule('x', source)), rule('x'))
  const answer = [
    { lacks: 'rule 1:' },
    ...FAULTY_SOURCES.map(([, fault]) => fault),
    /rules\.6: rule 7 has no source, but others have one/,
    /^Copy the words as they are .*\nCopy more of the words/m,
    /try again\.$/,
  ]
  const sourcesInTwoFiles = parse(LOG, rule('tabs', 'Use tabs.'))
  const refused = 'parse-rules refused the last rules'
  await expectAnswers(
    project,
    [parse(LOG), 'call discover-rules first'],
    ...anyAnswer(DISCOVER),
    [faulty, ...answer],
    [sourcesInTwoFiles, /rule 2: its source is in `.*b\.md`.*once for each file[^]*try again\.$/],
    [[format(['Rule: x']), rewrite(), rewrite({ files: 'b.md' })], accepted('Rule: x'), refused, refused],
  )
  expect(await project.read('b.md')).toBe('Use tabs.\n')
})

story('format-rules requires a text for each rule, and in a table or a heading a single line', async () => {
  const text = 'Keep lines below 100 in `src/`.\n\n| a | b |\n| - | - |\n| use tabs | 2 |\n\n# Run it\n'
  const project = await projectOf({ 'a.md': text })
  const rules = [
    rule('lines short', 'Keep lines below 100 in `src/`.', { action: 'keep' }),
    rule('tabs', 'use tabs'),
    rule('it', 'Run it', { action: 'run' }),
  ]
  const wrongForms = format(['Keep lines short.', 'use|spaces', 'Run\nit'])
  const doubted = format(['Keep lines short.', 'use spaces', 'Run'])
  await expectAnswers(
    project,
    ...anyAnswer(DISCOVER, parse(...rules)),
    [format(['Keep lines short.']), 'parse-rules accepted 3 rules, got 1 text: send one text for each'],
    [
      wrongForms,
      /rule 2 replaces words of a table, which holds one line with as many \| as before/,
      /rule 3 replaces words of a heading, which holds one line; got "Run\\nit"/,
    ],
    [doubted, /rule 1 does not say `src\/`, which is in the words that it replaces: "Keep/, 'the same again'],
    // The same texts again are accepted.
    [doubted],
    [rewrite(), 'Success'],
  )
  expect(await project.read('a.md')).toBe(
    'Keep lines short.\n\n| a | b |\n| - | - |\n| use spaces | 2 |\n\n# Run\n',
  )
})

story('a rewrite reports rules already in the file, and a restore rules that it removes', async () => {
  const project = await projectOf({ 'a.md': '- Use tabs.\n- dont use npm!!\n- no npm pls\n' })
  const npm = rule('npm', ['dont use npm!!', 'no npm pls'], BAN)
  const session = await expectAnswers(
    project,
    ...anyAnswer(DISCOVER, parse(rule('tabs', 'Use tabs.'), npm), format(['Use tabs.', 'Do not use npm.'])),
    [rewrite(), /Success \| +2 \|/, 'Already in the file, in these words: rule 1.'],
  )
  expect(await project.read('a.md')).toBe('- Use tabs.\n- Do not use npm.\n')
  const noEval = 'Do not call eval, tabs or not.'
  await expectAnswers(
    session,
    ...anyAnswer(add({ rules: [`Rule: ${noEval}`] })),
    // The backup forbids npm in other words, so that rule is not removed.
    [restore('a.md'), `which the restored backup lacks: \`- ${noEval}\``, { lacks: 'npm' }],
  )
})

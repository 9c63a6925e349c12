/** Rules with sources: a rewrite replaces the words that each rule restates, and leaves everything else in the file. */
import { expect } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { ParsedRule } from '../../src/rule-schema.ts'
import { story } from '../harness/story.ts'
import { add, correct, DISCOVER, format, parse, replace, restore, rewrite } from './calls.ts'
import { accepted, answersIn, expectAnswers, projectOf, textsOf, unchecked } from './play.ts'

/** Creates a rule to use `target`, unless `more` says otherwise. `source` is the words of a file that it replaces. */
const rule = (
  target: string,
  source?: string | Array<string>,
  more: Partial<ParsedRule> = {},
): ParsedRule => ({ strength: 'obligatory', action: 'use', target, ...(source && { source }), ...more })

const BAN: Partial<ParsedRule> = { strength: 'forbidden', action: 'call' }

// Begins with a byte-order mark, which is invisible.
const SHOP = `\uFEFF# Shop

The shop sells tea. Never log a card number. Prices are in cents.

\`\`\`sh
bun test
\`\`\`

- Run \`bun test\` first, it takes 3 s. Then ask.
`
const LOG = rule('a card number', 'Never log a card number.', { strength: 'forbidden', action: 'log' })

story('rules replace their sources, and their own words in a second rewrite', async () => {
  const project = await projectOf({ 'AGENTS.md': SHOP })
  // Unlike `project.read`, keeps the byte-order mark.
  const textWithMark = () => readFileSync(project.path('AGENTS.md'), 'utf8')
  const sharedSource = 'Run `bun test` first … ask.'
  const run = rule('`bun test` first', sharedSource, { action: 'run', reason: 'it takes 3 s' })
  const texts = [
    'Rule: Never log card numbers.',
    'Rule: Run `bun test` first.\nReason: It takes 3 s.',
    '- Ask then.',
  ]
  const session = await expectAnswers(
    project,
    ...unchecked(DISCOVER, parse(LOG, run, rule('then', sharedSource, { action: 'ask' })), format(texts)),
    [rewrite({ files: 'AGENTS.md' }), /^\| AGENTS\.md \| Success \| +3 \|[^]*Backup of /m],
  )
  const after = SHOP.replace('a card number', 'card numbers')
    .replace(/- Run.*/, '- Run `bun test` first. It takes 3 s.\n- Ask then.')
  expect(textWithMark()).toBe(after)
  const again = [
    { ...run, target: '`bun test` last', source: 'Run `bun test` first. It takes 3 s.' },
    { ...LOG, source: 'Never log card numbers.' },
  ]
  await expectAnswers(
    session,
    ...unchecked(parse(...again), format(['- run `bun test` last', '- never log a card number.'], 'concise')),
    // A call need not name a file if only one has the sources.
    [
      rewrite({ mode: 'concise' }),
      '\n```diff\n@@ -3,1 +3,1 @@\n-The shop sells tea. Never log card numbers.',
    ],
  )
  // In concise, the reason is dropped.
  expect(textWithMark()).toBe(
    after.replace('Run `bun test` first. It takes 3 s.', 'run `bun test` last')
      .replace('Never log card numbers.', 'never log a card number.'),
  )
})

story('one answer lists the faults of all sources, each with its number and what to copy', async () => {
  const project = await projectOf({ 'AGENTS.md': `${SHOP}\nThe shop sells tea.\n`, 'b.md': 'Use tabs.\n' })
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
    { lacks: 'rule 1:' },
    /try again\.$/,
  ]
  const inTwoFiles = parse(LOG, rule('tabs', 'Use tabs.'))
  const refused = 'parse-rules refused the last rules'
  await expectAnswers(
    project,
    [parse(LOG), 'call discover-rules first'],
    ...unchecked(DISCOVER),
    [faulty, ...faults],
    [inTwoFiles, /rule 2: its source is in `.*b\.md`.*once for each file[^]*try again\.$/],
    [[format(['Rule: x']), rewrite(), rewrite({ files: 'b.md' })], '"rules"', refused, refused],
  )
  expect(await project.read('b.md')).toBe('Use tabs.\n')
})

story('format-rules requires one text for each rule, and one line in a table or a heading', async () => {
  const text = 'Keep lines below 100 in `src/`.\n\n| a | b |\n| - | - |\n| use tabs | 2 |\n\n# Run it\n'
  const project = await projectOf({ 'a.md': text })
  const rules = [
    rule('lines short', 'Keep lines below 100 in `src/`.', { action: 'keep' }),
    rule('tabs', 'use tabs'),
    rule('it', 'Run it', { action: 'run' }),
  ]
  const fitting = format(['Keep lines short.', 'use spaces', 'Run'])
  await expectAnswers(
    project,
    ...unchecked(DISCOVER, parse(...rules)),
    [format(['Keep lines short.']), 'parse-rules accepted 3 rules, got 1 text: send one text for each'],
    [
      format(['Keep lines short.', 'use|spaces', 'Run\nit']),
      /rule 2 replaces words of a table, which holds one line with as many \| as before/,
      /rule 3 replaces words of a heading, which holds one line; got "Run\\nit"/,
    ],
    [fitting, /rule 1 does not say `src\/`, which is in the words that it replaces: "Keep/, 'the same again'],
    [fitting],
    [rewrite(), 'Success'],
  )
  expect(await project.read('a.md')).toBe(
    text.replace(/^.*100.*/, 'Keep lines short.').replace('tabs', 'spaces').replace('Run it', 'Run'),
  )
})

story('a rule that equals its source is named; a restore names the rules that were added since', async () => {
  const project = await projectOf({ 'a.md': '- Use tabs.\n- dont use npm!!\n- no npm pls\n' })
  const npm = rule('npm', ['dont use npm!!', 'no npm pls'], BAN)
  const session = await expectAnswers(
    project,
    ...unchecked(DISCOVER, parse(rule('tabs', 'Use tabs.'), npm), format(['Use tabs.', 'Do not use npm.'])),
    [rewrite(), /Success \| +2 \|/, 'Already in the file, in these words: rule 1.'],
  )
  expect(await project.read('a.md')).toBe('- Use tabs.\n- Do not use npm.\n')
  const notes = 'It no longer has `- Do not call eval, tabs or not.`, added since; the new backup has this'
  await expectAnswers(
    session,
    ...unchecked(add({ rules: ['Rule: Do not call eval, tabs or not.'] })),
    [restore('a.md'), notes, { lacks: 'npm' }],
  )
})

story('two files with the same words are rewritten one by one, and not as a whole after that', async () => {
  const text = '# A\n\nThe shop sells tea.\n\n- use tabs!\n'
  const project = await projectOf({ 'AGENTS.md': text, 'CLAUDE.md': text })
  const rules = ['Rule: Use tabs.']
  const toClaude = rewrite({ files: 'CLAUDE.md' })
  const withRules = rewrite({ files: 'CLAUDE.md', rules })
  const parsed = parse(rule('tabs', 'use tabs!'))
  const parseAgain = 'after parse-rules with the source'
  const alreadyReplaced = 'these rules have already replaced their sources'
  await expectAnswers(
    project,
    ...unchecked(DISCOVER, parsed, format(rules)),
    [rewrite(), /several files have the sources, `.*AGENTS\.md` or `.*CLAUDE\.md`\. Name one in "files"/],
    [rewrite({ files: 'AGENTS.md' }), /Success \| +1 \|/],
    [toClaude, parseAgain],
    ...unchecked(parsed, format(rules)),
    [toClaude, /Success \| +1 \|/],
    [toClaude, parseAgain],
    [rewrite(), parseAgain],
    [withRules, alreadyReplaced],
    ...unchecked(format(rules)),
    [toClaude, alreadyReplaced],
    [withRules, alreadyReplaced],
    // After the restore, the file no longer has the rules, so it may be replaced as a whole.
    ...unchecked(restore('CLAUDE.md'), toClaude, toClaude),
  )
  const after = text.replace('use tabs!', 'Use tabs.')
  expect(await textsOf(project, 'AGENTS.md', 'CLAUDE.md')).toEqual([after, 'Rule: Use tabs.\n'])
})

const TABS = rule('tabs', 'Use tabs!')
const EVAL = rule('eval', 'Never call eval!', BAN)

story('texts belong to the rules that they fit, whatever the order of the calls', async () => {
  const project = await projectOf({ 'a.md': '- Use tabs!\n', 'b.md': '- Never call eval!\n' })
  const texts = [format(['Rule: never call eval']), format(['Rule: use tabs'])]
  const answers = await answersIn(project, DISCOVER, [parse(TABS), parse(EVAL), ...texts, rewrite()])
  expect(answers.at(-1)!.match(/^Written: /gm)).toHaveLength(1)
  expect(await textsOf(project, 'a.md', 'b.md')).toEqual(['- use tabs\n', '- never call eval\n'])
})

story('a rewrite that names no file writes accepted rules, and names the file of doubted ones', async () => {
  const texts = ['- Use tabs!\n', '- Never call eval!\n', '- ask pls\n']
  const project = await projectOf({ 'a.md': texts[0]!, 'b.md': texts[1]!, 'c.md': texts[2]! })
  const notWritten =
    /^\| TOTAL \| 2\/2[^]*Not written: `.*b\.md`: format-rules has not accepted its rules yet\./m
  await expectAnswers(
    project,
    ...unchecked(DISCOVER, parse(TABS), format(['Rule: use tabs']), parse(EVAL)),
    // This text fits the rules of `a.md`, although those of `b.md` were parsed last.
    [format(['Rule: Use tabs.']), accepted('Rule: Use tabs.')],
    [format(['Rule: call eval']), 'rule 1 does not forbid'],
    ...unchecked(parse(rule('Ann', 'ask pls', { action: 'ask' })), format(['Rule: ask Ann'])),
    [rewrite(), notWritten],
  )
  expect(await textsOf(project, 'a.md', 'b.md', 'c.md'))
    .toEqual(['- Use tabs.\n', '- Never call eval!\n', '- ask Ann\n'])
})

story('of two lists of rules in one message, a correction by number changes the refused one', async () => {
  const project = await projectOf({
    'a.md': 'Use tabs!\n\nPlease run `it`.\n',
    'b.md': 'Use npm!\n\nAlways ask.\n',
  })
  const setOfA = parse(TABS, rule('`it`', 'Run it!!', { action: 'run' }))
  const setOfB = parse(rule('npm', 'Use npm!'), rule('me', 'Always ask.', { action: 'ask' }))
  const texts = [format(['Rule: use tabs', 'Rule: run']), format(['Rule: use npm', 'Rule: ask'])]
  await expectAnswers(
    project,
    ...unchecked(DISCOVER, [setOfA, setOfB]),
    [correct('parse-rules', { 2: { source: 'Please run `it`.' } }), /"tabs"[^]*"Please run `it`\."/],
    [texts, 'rule 2 does not say `it`'],
    [correct('format-rules', { 2: 'Rule: run `it`' }), accepted('Rule: use tabs', 'Rule: run `it`')],
    ...unchecked(rewrite()),
  )
  expect(await textsOf(project, 'a.md', 'b.md')).toEqual(['use tabs\n\nrun `it`\n', 'use npm\n\nask\n'])
})

story('rules without sources replace the file named next, but no file of rules with sources', async () => {
  const files = { 'a.md': 'Tabs!\n', 'b.md': 'Spaces?\n', 'c.md': 'First!\n', 'd.md': 'Tabs?\n' }
  const project = await projectOf(files)
  const [parseTabs, parseSpaces] = [parse(rule('tabs')), parse(rule('spaces'))]
  const [tabs, spaces] = [format(['Rule: use tabs']), format(['Rule: use spaces'])]
  const [toB, toD] = [rewrite({ files: 'b.md' }), rewrite({ files: 'd.md' })]
  const notThese = `${project.path('a.md')}: Nothing was written: these are not the rules`
  const severalSets = 'several sets of rules without sources came in one message'
  await expectAnswers(
    project,
    ...unchecked(DISCOVER, parse(rule('tabs', 'Tabs!'))),
    [replace('a.md, c.md', '- first'), notThese],
    ...unchecked(tabs),
    [toB, /these rules belong to `.*a\.md`, by their sources/],
    [[parseTabs, parseSpaces, tabs, spaces, toB], ...['', '', '', ''], severalSets],
    ...unchecked([parseSpaces, spaces, toB, parseTabs, tabs, toD]),
  )
  expect(await textsOf(project, ...Object.keys(files)))
    .toEqual(['Tabs!\n', 'Rule: use spaces\n', '- first\n', 'Rule: use tabs\n'])
})

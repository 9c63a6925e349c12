/** Stories of rules with sources (the words that a rule replaces in a file). */
import { expect } from 'bun:test'
import { toParsedRule } from '../harness/parsed-rule.ts'
import { accepted, add, DISCOVER, format, parse } from './calls.ts'
import { restore, rewrite, ruleStory, sourced, textsOf, writeTo } from './calls.ts'

const [OLD_LOG, OLD_RUN] = ['Never log a card number.', '- Run `bun test` first, it takes 3 s. Then ask.']
const shopWith = (log: string, run: string): string =>
  `\uFEFF# Shop\n\nThe shop sells tea. ${log} Prices are in cents.\n\n\`\`\`sh\nbun test\n\`\`\`\n\n${run}\n`
const SHOP = shopWith(OLD_LOG, OLD_RUN)
const LOG = sourced('forbidden, log, a card number', OLD_LOG)

// In a source, `…` stands for left-out words.
const RUN_SOURCE = 'Run `bun test` first … ask.'
const RUN = { ...sourced('obligatory, run, `bun test` first', RUN_SOURCE), reason: 'it takes 3 s' }
const [NEW_LOG, NEW_RUN] = ['Never log card numbers.', 'Run `bun test` first. It takes 3 s.']
const TEXTS = [`Rule: ${NEW_LOG}`, 'Rule: Run `bun test` first.\nReason: It takes 3 s.', '- Ask then.']
const REWRITTEN = shopWith(NEW_LOG, `- ${NEW_RUN}\n- Ask then.`)

ruleStory(
  'rules replace their sources, and a second rewrite replaces the new words',
  { 'AGENTS.md': [SHOP, shopWith('never log a card number.', '- run `bun test` last\n- Ask then.')] },
  [DISCOVER, parse(LOG, RUN, sourced('obligatory, ask, then', RUN_SOURCE)), format(TEXTS)],
  [writeTo('AGENTS.md'), /^\| AGENTS\.md \| Success \| +3 \|[^]*Backup of /m],
  [(project) => expect(textsOf(project, 'AGENTS.md')).toEqual([REWRITTEN])],
  [parse({ ...RUN, target: '`bun test` last', source: NEW_RUN }, { ...LOG, source: NEW_LOG })],
  [format(['- run `bun test` last', '- never log a card number.'], 'concise')],
  [rewrite({ mode: 'concise' }), '\n```diff\n@@ -3,1 +3,1 @@\n-The shop sells tea. Never log card'],
)

const X = toParsedRule('obligatory, use, x')
const TABS = sourced('obligatory, use, tabs', 'Use tabs.')

// LOG is rule 1, and these are the sources of the rules 2 to 6.
const FAULTY_SOURCES: Array<[source: string, fault: RegExp]> = [
  ['Never log a card.', /rules\.1\.source: rule 2: .* is not in `.*AGENTS\.md`; line 3 says "The shop sells/],
  ['The shop sells tea.', /rule 3: its source "The shop sells tea\." occurs in .* on the lines 3, 11\n/],
  ['bun test\n```', /rule 4: .* is in code \(from line 5 on\), which is not rewritten/],
  ['\\', /rule 5: its source "\\\\" has no letter or digit\. Copy the words/],
  ['a card number. Prices', /rule 6: its source .* \(line 3\) shares words with a source of rule 1/],
]

const NOT_WRITTEN = 'parse-rules refused the last rules'

ruleStory(
  'one answer lists the faults of all sources, and nothing is written',
  { 'AGENTS.md': `${SHOP}\nThe shop sells tea.\n`, 'b.md': 'Use tabs.\n' },
  [parse(LOG), 'call discover-rules first'],
  [DISCOVER, parse(LOG, ...FAULTY_SOURCES.map(([source]) => ({ ...X, source })), X), { lacks: 'rule 1:' }],
  [...FAULTY_SOURCES.map(([, fault]) => fault), 'rules.6: rule 7 has no source, but other rules have one'],
  [/^Copy the words exactly .*\nCopy more of the words/m, /try again\.$/],
  // The sources are in two files.
  [parse(LOG, TABS), /rule 2: its source is in `…\/b\.md`.*once for each file[^]*try again\.$/],
  [[format(['Rule: x']), rewrite(), writeTo('b.md')], accepted('Rule: x'), NOT_WRITTEN, NOT_WRITTEN],
)

const parseThree = parse(
  sourced('obligatory, keep, lines short', 'Keep lines below 100 in `src/`.'),
  sourced('obligatory, use, tabs', 'use tabs'),
  sourced('obligatory, run, it', 'Run it'),
)

ruleStory(
  'format-rules requires one text for each rule, and a single line in a table or a heading',
  {
    'a.md': [
      'Keep lines below 100 in `src/`.\n\n| a | b |\n| - | - |\n| use tabs | 2 |\n\n# Run it\n',
      'Keep lines short.\n\n| a | b |\n| - | - |\n| use spaces | 2 |\n\n# Run\n',
    ],
  },
  [DISCOVER, parseThree],
  [format(['Keep lines short.']), 'parse-rules accepted 3 rules, got 1 text: send one text for each'],
  [format(['Keep lines short.', 'use `a|b`', 'Run\nit'])],
  ['rule 2 replaces words of a table: write one line with as many | as the old words, not counting'],
  ['rule 3 replaces words of a heading: write one line; got "Run\\nit"'],
  ['rule 1 does not say `src/`, which is in the words that it replaces: "Keep'],
  // Rule 1 still does not say `src/`, but sending the same text again confirms it.
  [format(['Keep lines short.', 'use spaces', 'Run']), rewrite(), 'Success'],
)

const NPM = sourced('forbidden, call, npm', ['dont use npm!!', 'no npm pls'])
const NO_EVAL = 'Do not call eval, tabs or not.'

ruleStory(
  'a rewrite reports rules already in the file, and a restore reports rules it removes',
  { 'a.md': '- Use tabs.\n- dont use npm!!\n- no npm pls\n' },
  [DISCOVER, parse(TABS, NPM), format(['Use tabs.', 'Do not use npm.'])],
  [rewrite(), /Success \| +2 \|/, 'Already in the file, word for word: rule 1.'],
  [(project) => expect(textsOf(project, 'a.md')).toEqual(['- Use tabs.\n- Do not use npm.\n'])],
  // The backup forbids npm in other words, so only the rule on eval is reported.
  [add({ rules: [`Rule: ${NO_EVAL}`] }), restore('a.md')],
  [`which the restored backup lacks: \`- ${NO_EVAL}\``, { lacks: 'npm' }],
)

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
  'Rule: Ask then.',
]

const AFTER = AGENTS.replace('a card number', 'card numbers')
  .replace(/- Run.*/, '- Run `bun test` first. It takes 3 s.\n- Ask then.')

story('rules come in the place of their sources, and one again by its new words', async () => {
  const project = await start({ 'AGENTS.md': AGENTS })
  const last = { ...RUN, target: '`bun test` last', source: 'Run `bun test` first. It takes 3 s.' }
  const [, parsed, , written, ...others] = await answersIn(
    project,
    ...[DISCOVER, parse(LOG, RUN, ASK), format(WORDS), write({ files: 'AGENTS.md' })],
    async () => {
      expect(readFileSync(project.path('AGENTS.md'), 'utf8')).toBe(AFTER)
      return parse(last, { ...LOG, source: 'Never log card numbers.' })
    },
    format(['- run `bun test` last', '- never log a card number'], 'concise'),
    write({ mode: 'concise' }),
  )
  expect(parsed).toContain(
    'In no rule, so they stay as they are: lines 1, 5-6; «The shop sells tea.» (line 3), «Prices are in cents.» (line 3).',
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

story('a source that is not there, there twice, or where no rule stands is answered by number', async () => {
  const project = await start({ 'AGENTS.md': `${AGENTS}\nThe shop sells tea.\n`, 'b.md': 'Use tabs.\n' })
  const [unshown, , ...outputs] = await answersIn(project, parse(LOG), DISCOVER, [
    parse(LOG, rule('x', 'Never log a card.')),
    parse(rule('x', 'The shop sells tea.')),
    parse(LOG, rule('x', 'bun test\n```')),
    parse(LOG, rule('x', '# Shop')),
    parse(LOG, rule('tabs', 'Use tabs.')),
    format(WORDS),
    write(),
    write({ files: 'b.md' }),
  ])
  const [missing, twice, code, heading, other, formatted, all, named] = outputs
  expect(unshown).toContain('call discover-rules first')
  expect(missing).toMatch(
    /rules\.1\.source: rule 2: its source "Never log a card\." is not in one .*AGENTS\.md`/,
  )
  expect(missing).not.toContain('rule 1')
  expect(twice).toMatch(/rule 1: its source "The shop sells tea\." stands in .* on the lines 3, 11\./)
  expect(code).toContain('lies in code (from line 5 on). What stands there stays as it is')
  expect(heading).toContain('lies in a heading')
  expect(other).toMatch(/rule 2: its source stands in `.*b\.md`.*once for each file/)
  for (const output of outputs.slice(0, 5)) expect(output).toEndWith('try again.')
  expect(formatted).toContain('"rules"')
  for (const output of [all, named]) expect(output).toContain('parse-rules refused the last rules')
  expect(await project.read('b.md')).toBe('Use tabs.\n')
})

story('format-rules compares each sentence with the words of the file', async () => {
  const project = await start({
    'a.md': 'Keep lines below 100 in `src/`.\n\nAlways run the tests, Ann reads them.\n',
  })
  const keep = rule('lines short', 'Keep lines below 100 in `src/`.', { action: 'keep' })
  const run = rule('the tests', 'Always run the tests', { action: 'run', strength: 'supererogatory' })
  const sentences = ['Rule: Keep lines short.', 'Rule: Ideally, run the tests.']
  const [, parsed, doubt] = await answersIn(project, DISCOVER, parse(keep, run), format(sentences))
  expect(parsed).toContain('In no source, so it goes with its sentence: «, Ann reads them.» (line 3).')
  expect(doubt).toMatch(
    /rule 1 does not say `src\/`[^]*rule 2 makes advice of an order.*parse it as obligatory/,
  )
  expect(doubt).toContain('send the same again')
})

// Sentences that the model insists on, one for each parsed rule or not, and the file after them.
const INSISTED: Array<[sentences: string, after: string]> = [
  ['use tabs|run it', '- use tabs|- Never call eval!|- run it'],
  ['call no eval|run it', '- Use tabs!|- call no eval|- run it'],
  ['use tabs and call no eval|run it', '- use tabs and call no eval|- run it'],
  ['use tabs|call no eval|run it|run it twice', '- use tabs|- call no eval|- run it|- run it twice'],
  ['use tabs|be kind to Ann|call no eval|run it', '- use tabs|- be kind to Ann|- call no eval|- run it'],
]

story(
  'rules that are fewer or more than those that were parsed stand where what they say stood',
  async () => {
    const parsed = parse(
      rule('tabs', 'Use tabs!'),
      rule('eval', 'Never call eval!', { strength: 'forbidden', action: 'call' }),
      rule('it', 'Please run it.', { action: 'run' }),
    )
    for (const [sentences, after] of INSISTED) {
      const project = await start({ 'a.md': '- Use tabs!\n- Never call eval!\n- Please run it.\n' })
      const call = format(sentences.split('|').map((words) => `Rule: ${words}`))
      const [, , doubted] = await answersIn(project, ...[DISCOVER, parsed, ...twice(call), write()])
      expect(doubted).not.toContain('by number')
      expect((await project.read('a.md')).trimEnd()).toBe(after.replaceAll('|', '\n'))
    }
  },
)

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
  expect(outputs[3]).toMatch(/stand in `.*AGENTS\.md` or `.*CLAUDE\.md` alike\. Name one in "files"/)
  for (const at of [4, 8]) expect(outputs[at]).toMatch(/Success \| +1 \|/)
  for (const at of [5, 9, 10]) expect(outputs[at]).toContain('after parse-rules with the source')
  for (const at of [11, 13, 14]) expect(outputs[at]).toContain('these rules stand in the file already')
  const after = text.replace('use tabs!', 'Use tabs.')
  // A restored file does not have them any more.
  expect(await textsOf(project, 'AGENTS.md', 'CLAUDE.md')).toEqual([after, 'Rule: Use tabs.\n'])
})

import type { Call } from '../harness/model.ts'
import { toParsedRule } from '../harness/parsed-rule.ts'
import { story } from '../harness/story.ts'
import { add, addTo, DISCOVER, format, parse, playIn, projectOf, replace } from './calls.ts'
import { restore, rewrite, type Row, ruleStory, sourced, startIn, writeTo } from './calls.ts'

const NO_EVAL = { strength: 'forbidden', action: 'use', target: 'eval' }
// In mode verbose, the text of a rule that has a reason must contain a reason.
const NO_VAR = { ...NO_EVAL, target: 'var', reason: 'It leaks.' }
const TEXTS = ['Rule: do not use eval', 'Rule: do not use with', 'Rule: do not use var\nReason: It leaks.']
const lacksReason = format(TEXTS.with(2, 'Rule: do not use var'), 'verbose')
const prompt = (tool: string, tasks?: unknown): Call => ({ tool, args: { tasks } })

ruleStory(
  'each call has a title for the person',
  { 'a.md': '# Rules\nno eval\n' },
  [DISCOVER, { title: '1 file' }, /^## …\/a\.md\n\n# Rules\nno eval\n$/],
  // Before parse-rules is called, mode verbose wants a reason in each text.
  [format(TEXTS, 'verbose'), { title: 'not as parsed' }, /for mode verbose: .*got rule 1: /],
  [parse(NO_EVAL, { ...NO_EVAL, target: 'with', reason: '' }, NO_VAR), { title: '3 rules' }],
  // The answer lists an issue for rule 3 only, because the other rules have no reason.
  [lacksReason, { title: 'not as parsed' }],
  [/^Schema.*\n {2}- rules\.2: .*mode verbose.*got rule 3: .*\n[^-]*$/],
  [format(TEXTS, 'verbose'), { title: '3 rules' }],
  [writeTo('a.md'), { title: 'not replaced yet' }],
  [writeTo('a.md'), { title: '1 file, 3 rules' }, /^\| a\.md +\| Success \| +3 \| +16 \|/m],
  [prompt('parse-prompt', [{ intent: 'One', subtasks: [{ intent: 'Two' }] }]), { title: '2 tasks' }],
  [prompt('format-prompt'), { title: '2 tasks' }, /^1\. One\n/],
  [prompt('format-prompt', '{"tasks":[]}'), { title: '0 tasks' }, { is: 'No tasks found' }],
  [restore('a.md'), { title: '1 file restored' }],
)

const NOTHING_TO_WRITE = { is: 'There are no rules to write, so nothing was written.' }

ruleStory(
  'a call without rules, or with a hidden character in a rule, writes nothing',
  { 'a.md': 'old\n' },
  [DISCOVER, format([]), replace('a.md', '- fine', '- \u202Eesrever'), /rule 2 .*U\+202E/],
  [addTo('a.md', '- tag \u{E0041}'), /U\+E0041/],
  [[replace('a.md'), rewrite(), add()], NOTHING_TO_WRITE, NOTHING_TO_WRITE, NOTHING_TO_WRITE],
)

const NAMES = Array.from({ length: 70 }, (_, index) => `\`name${index + 1}\``)
const CONTRADICTIONS = NAMES.slice(0, 23).flatMap((
  name,
) => [`obligatory, use, ${name}`, `forbidden, use, ${name}`])

ruleStory(
  'long lists in answers are cut, and the rest is counted',
  { 'a.md': [NAMES.map((name) => `- use ${name}\n`).join(''), '- be nice\n'] },
  [DISCOVER, replace('a.md', '- be nice'), { lacks: 'name11' }],
  [/: 70 lines in no rule: .*; names in no rule: `name1`, .*`name10`, and 60 more\n/],
  // Of the diff's 72 lines, 60 are shown.
  [replace('a.md', '- be nice'), '\n-- use `name59`\n… and 12 more lines\n```\n'],
  [
    parse(...CONTRADICTIONS.map(toParsedRule)),
    /which one holds:\n- rule 1, .*, and rule 2, [^]*\n- and 13 more$/,
  ],
)

story('later rewrites of a session name its first backup while this backup exists', async () => {
  const textAt = (index: number): string => `Ask ${'abcdefghijklmnopqrstuv'[index]}.`
  const project = await projectOf({ 'a.md': `${textAt(0)}\n` })
  const rewriteAt = (
    index: number,
  ): Row => [
    parse(sourced('obligatory, ask, them', textAt(index))),
    format([textAt(index + 1)]),
    rewrite(),
    '| Success |',
  ]
  // The backup `000001` belongs to another session.
  await playIn(project, [DISCOVER], rewriteAt(0))
  const play = await startIn(project)
  await play([DISCOVER])
  const first = /^Backup from before this session's first rewrite \(since OpenCode started\): .*\/000002-/m
  for (let index = 1; index <= 20; index++) {
    const isNamed = index > 1 && index < 20
    await play(rewriteAt(index), [isNamed ? first : { lacks: 'Backup from before' }])
  }
})

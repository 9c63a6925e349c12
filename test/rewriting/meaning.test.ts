import { expect } from 'bun:test'
import { toParsedRule } from '../harness/parsed-rule.ts'
import { story } from '../harness/story.ts'
import { add, answersIn, DISCOVER, format, parse, start, taken, twice, write } from './writer-calls.ts'

const REWRITE = write({ files: 'rules.md' })

const PARSED = parse(
  ...['forbidden, use, eval', 'obligatory, use, early returns', 'permissible, use, type assertions']
    .map(toParsedRule),
)
const RIGHT = ['Rule: do not use eval', 'Rule: use early returns', 'Rule: may use type assertions']

story('what is doubted is not written, but taken when it is sent again, form and session apart', async () => {
  // The rules say all that it says.
  const project = await start({ 'rules.md': 'no eval\n' })
  const rules = ['- use eval', '- use early returns', '- may use type assertions']
  const [, , doubted, left, given, added, formless, , accepted] = await answersIn(
    project,
    ...[DISCOVER, PARSED, format(rules, 'verbose'), REWRITE],
    ...[write({ files: 'rules.md', rules }), add({ rules }), format(rules, 'verbose')],
    ...[format(['- call eval', ...rules.slice(1)]), format(rules, 'concise'), REWRITE],
  )
  for (const output of [doubted, formless]) {
    expect(output).toMatch(/expected for mode verbose[^]*rule 1 does not forbid/)
    expect(output).not.toContain('send the same again')
  }
  expect(left).toContain('Call format-rules first')
  for (const refused of [given, added]) expect(refused).toContain('refused these rules')
  expect(accepted).toBe(taken(...rules))
  expect(await project.read('rules.md')).toBe(`${rules.join('\n')}\n`)
  // In another session, where it is mended in the same turn.
  const calls = [format(rules), format(RIGHT.slice(0, 2)), format(RIGHT), DISCOVER, REWRITE]
  const [, negated, dropped, mended, , rewritten] = await answersIn(project, PARSED, ...calls)
  expect(negated).toMatch(
    /rules\.0: rule 1 does not forbid.*parsed rule 1 is forbidden.*do not use eval.*got "- use eval"/,
  )
  expect(negated).toEndWith('\nIf the rules say what is meant, send the same again in another message.')
  expect(dropped).toContain('parse-rules took 3 rules, got 2 texts')
  expect(mended).toBe(taken(...RIGHT))
  expect(rewritten).toContain('the 3 rules that format-rules last validated')
  expect(await project.read('rules.md')).toBe(`${RIGHT.join('\n\n')}\n`)
})

const leaf = (intent: string) => ({ intent, targets: [], constraints: [], subtasks: [] })
const TASKS = [{ ...leaf('One'), subtasks: [leaf('Two')] }, leaf('Three')]

story('both pipelines, step by step; verbose needs a reason where one was parsed', async () => {
  const project = await start({ 'rules.md': '# Rules\nno eval\n' })
  const bare = { strength: 'forbidden', action: 'use', target: 'eval' }
  const leaks = { ...bare, target: 'var', reason: 'It leaks.' }
  const parsed = [bare, { ...bare, target: 'with', reason: '' }, leaks]
  const rules = ['Rule: do not use eval', 'Rule: do not use with', 'Rule: do not use var\nReason: It leaks.']
  const { outputs, tools } = await (await project.session()).turn(
    'go',
    ...[DISCOVER, format(rules, 'verbose'), parse(...parsed)],
    ...[
      format(rules.with(2, 'Rule: do not use var'), 'verbose'),
      format(rules, 'verbose'),
      ...twice(REWRITE),
    ],
    ...[{ tool: 'parse-prompt', args: { tasks: TASKS } }, { tool: 'format-prompt' }],
    { tool: 'format-prompt', args: { tasks: '{"tasks":[]}' } },
  )
  expect(outputs[0]).toBe(`## ${project.path('rules.md')}\n\n# Rules\nno eval\n`)
  expect(outputs[1]).toMatch(/for mode verbose: .*got rule 1: /)
  expect(outputs[2]).toBe(taken(...parsed))
  expect(outputs[3]).toMatch(
    /^Schema.*\n {2}- rules\.2: .*mode verbose.*got rule 3: .*\n[^-]*$/,
  )
  expect(outputs[4]).toBe(taken(...rules))
  expect(outputs[5]).toContain('1 line in no rule: `# Rules`')
  expect(outputs[6]).toMatch(
    /^\| File +\| Status +\| Rules \|.*\n.*\n\| rules\.md \| Success \| +3 \| +16 \|/,
  )
  expect(await project.read('rules.md')).toBe(`${rules.join('\n\n')}\n`)
  expect(outputs[7]).toBe(JSON.stringify({ tasks: TASKS }, null, 2))
  expect(outputs[8]).toStartWith('├── 1. One\n│   └── 2. Two\n└── 3. Three\n\nRendered: ')
  expect(outputs[9]).toBe('No tasks found')
  expect(tools.map(({ state }) => state.title)).toEqual([
    ...[
      '1 file',
      'not as parsed',
      '3 rules',
      'not as parsed',
      '3 rules',
      'not replaced yet',
      '1 file, 3 rules',
    ],
    ...['3 tasks', '3 tasks', '0 tasks'],
  ])
})

import { expect } from 'bun:test'
import type { Call } from '../harness/model.ts'
import { toParsedRule } from '../harness/parsed-rule.ts'
import { story } from '../harness/story.ts'
import { add, addTo, DISCOVER, format, parse, replace, restore, rewrite } from './calls.ts'
import { anyAnswer, expectAnswers, projectOf } from './play.ts'

story('each call has a title for the person', async () => {
  const project = await projectOf({ 'rules.md': '# Rules\nno eval\n' })
  const noEval = { strength: 'forbidden', action: 'use', target: 'eval' }
  // In mode verbose, the text of a rule that has a reason must contain a reason.
  const noVar = { ...noEval, target: 'var', reason: 'It leaks.' }
  const texts = ['Rule: do not use eval', 'Rule: do not use with', 'Rule: do not use var\nReason: It leaks.']
  const lacksReason = format(texts.with(2, 'Rule: do not use var'), 'verbose')
  const tasks = [{ intent: 'One', subtasks: [{ intent: 'Two' }] }]
  const rows: Array<[title: string, call: Call, answer?: RegExp]> = [
    ['1 file', DISCOVER, /^## .*rules\.md\n\n# Rules\nno eval\n$/],
    // Before parse-rules is called, mode verbose wants a reason in each text.
    ['not as parsed', format(texts, 'verbose'), /for mode verbose: .*got rule 1: /],
    ['3 rules', parse(noEval, { ...noEval, target: 'with', reason: '' }, noVar)],
    // No issue follows the issue of rule 3.
    ['not as parsed', lacksReason, /^Schema.*\n {2}- rules\.2: .*mode verbose.*got rule 3: .*\n[^-]*$/],
    ['3 rules', format(texts, 'verbose')],
    ['not replaced yet', rewrite({ files: 'rules.md' })],
    ['1 file, 3 rules', rewrite({ files: 'rules.md' }), /^\| rules\.md \| Success \|\s+3 \|\s+16 \|/m],
    ['2 tasks', { tool: 'parse-prompt', args: { tasks } }],
    ['2 tasks', { tool: 'format-prompt' }, /^1\. One\n/],
    ['0 tasks', { tool: 'format-prompt', args: { tasks: '{"tasks":[]}' } }, /^No tasks found$/],
    ['1 file restored', restore('rules.md')],
  ]
  const { outputs, tools } = await (await project.session()).turn('go', ...rows.map(([, call]) => call))
  expect(tools.map(({ state }) => state.title)).toEqual(rows.map(([title]) => title))
  for (const [index, [, , answer]] of rows.entries()) if (answer) expect(outputs[index]).toMatch(answer)
})

story('a call without rules, or with a hidden character in a rule, writes nothing', async () => {
  const project = await projectOf({ 'rules.md': 'old\n' })
  const nothingToWrite = { is: 'There are no rules to write, so nothing was written.' }
  await expectAnswers(
    project,
    ...anyAnswer(DISCOVER, format([])),
    [replace('rules.md', '- fine', '- \u202Eesrever'), /rule 2 .*U\+202E/],
    [addTo('rules.md', '- tag \u{E0041}'), /U\+E0041/],
    [[replace('rules.md'), rewrite(), add()], nothingToWrite, nothingToWrite, nothingToWrite],
  )
  expect(await project.read('rules.md')).toBe('old\n')
})

story('long lists in answers are cut, and the rest is counted', async () => {
  const names = Array.from({ length: 70 }, (_, index) => `\`name${index + 1}\``)
  const project = await projectOf({ 'a.md': names.map((name) => `- use ${name}\n`).join('') })
  const replacing = replace('a.md', '- be nice')
  const contradictions = names.slice(0, 23)
    .flatMap((name) => [`obligatory, use, ${name}`, `forbidden, use, ${name}`])
  await expectAnswers(
    project,
    ...anyAnswer(DISCOVER),
    [replacing, /: 70 lines in no rule: .*; names in no rule: `name1`, .*`name10`, and 60 more\n/, {
      lacks: 'name11',
    }],
    // Of the diff's 72 lines, 60 are shown.
    [replacing, '\n-- use `name59`\n… and 12 more lines\n```\n'],
    [
      parse(...contradictions.map(toParsedRule)),
      /which one holds:\n- rule 1, .*, and rule 2, [^]*\n- and 13 more$/,
    ],
  )
})

story('later rewrites of a session mention the backup of the first until it is pruned', async () => {
  const texts = Array.from({ length: 22 }, (_, index) => `Ask ${'abcdefghijklmnopqrstuv'[index]}.`)
  const project = await projectOf({ 'a.md': `${texts[0]}\n` })
  const parseAndFormat = (index: number) => [
    parse({ ...toParsedRule('obligatory, ask, them'), source: texts[index] }),
    format([texts[index + 1]]),
  ]
  const first = /^Backup from before the first rewrite in this session since OpenCode started: .*\/000002-/m
  const withoutFirst = { lacks: 'Backup from before' }
  // The backup `000001` belongs to another session.
  await expectAnswers(project, ...anyAnswer(DISCOVER, ...parseAndFormat(0), rewrite()))
  const session = await expectAnswers(project, ...anyAnswer(DISCOVER))
  for (let index = 1; index <= 20; index++) {
    const isNamed = index > 1 && index < 20
    await expectAnswers(
      session,
      ...anyAnswer(...parseAndFormat(index)),
      [rewrite(), '| Success |', isNamed ? first : withoutFirst],
    )
  }
})

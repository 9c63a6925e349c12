import { expect } from 'bun:test'
import { inProcess, type Project } from './in-process.ts'
import type { Call } from './model.ts'
import { story } from './story.ts'

const RULE = { strength: 'forbidden', action: 'use', target: 'eval', reason: 'unsafe' }
const TASK = { intent: 'Fix it', targets: ['src'], constraints: [], subtasks: [] }
const LINE = 'Rule: do not use eval\nReason: unsafe'

const json = JSON.stringify

const pretty = (value: unknown) => json(value, null, 2)

const start = async (files: Record<string, string> = { 'rules.md': 'be nice\n' }): Promise<Project> =>
  (await inProcess()).project({ files, config: { instructions: Object.keys(files) }, git: false })

const PARSED = pretty({ rules: [RULE] })
const FORMATTED = pretty({ rules: [LINE] })
const TASKS = pretty({ tasks: [TASK] })

const parse = (rules: unknown): Call => ({ tool: 'parse-rules', args: { rules } })
const format = (rules: unknown, more: object = {}): Call => ({
  tool: 'format-rules',
  args: { rules, ...more },
})

const TAKEN: Array<{ name: string; call: Call; output: string }> = [
  { name: 'an object', call: parse({ rules: [RULE] }), output: PARSED },
  { name: 'a bare list', call: parse([RULE]), output: PARSED },
  { name: 'a bare list as text', call: parse(json([RULE])), output: PARSED },
  { name: 'an encoded rule in a list', call: parse([json(RULE)]), output: PARSED },
  { name: 'a wrapper too many', call: parse({ rules: { rules: [RULE] } }), output: PARSED },
  {
    name: 'a fence in prose',
    call: parse(`Here:\n\`\`\`json\n${json({ rules: [RULE] })}\n\`\`\`\nDone.`),
    output: PARSED,
  },
  { name: 'JSON encoded twice', call: parse(json(json({ rules: [RULE] }))), output: PARSED },
  {
    name: 'capitals and null',
    call: parse([{ ...RULE, strength: 'Forbidden', context: null }]),
    output: PARSED,
  },
  {
    name: 'a trailing comma and a comment',
    call: format(`{"rules":[${json(LINE)},] /* all */}`),
    output: FORMATTED,
  },
  { name: 'a raw line break', call: format(`{"rules":["${LINE}"]}`), output: FORMATTED },
  {
    name: 'single quotes, bare keys',
    call: format(`{rules:['${LINE.replace('\n', '\\n')}']}`),
    output: FORMATTED,
  },
  { name: 'a mode of null', call: format([LINE], { mode: null }), output: FORMATTED },
  { name: 'a mode in capitals', call: format([LINE], { mode: 'Verbose ' }), output: FORMATTED },
  {
    name: 'arguments as text',
    call: { tool: 'format-rules', args: json(json({ rules: [LINE] })) },
    output: FORMATTED,
  },
  { name: 'a lone task', call: { tool: 'parse-prompt', args: { tasks: TASK } }, output: TASKS },
  ...[{ intent: 'Fix it', targets: 'src' }, { ...TASK, constraints: '', subtasks: '[]' }, {
    ...TASK,
    constraints: null,
    targets: "['src']",
    context: {},
    priority: null,
  }].map((task, index) => ({
    name: `a task with lists left out, or said otherwise (${index + 1})`,
    call: { tool: 'parse-prompt', args: { tasks: [task], notes: '' } },
    output: TASKS,
  })),
  {
    name: 'one object for the list of subtasks, as Python text',
    call: {
      tool: 'parse-prompt',
      args: { tasks: `[{'intent': 'A', 'subtasks': {'intent': 'B', 'context': None}}]` },
    },
    output: pretty({
      tasks: [{
        ...TASK,
        intent: 'A',
        targets: [],
        subtasks: [{ ...TASK, intent: 'B', targets: [] }],
      }],
    }),
  },
  { name: 'one text for a list', call: format({ rules: LINE }), output: FORMATTED },
  ...['', 'null', 'undefined', [], {}].map((mode) => ({
    name: `a mode that is left out as ${json(mode)}`,
    call: format([LINE], { mode, files: '' }),
    output: FORMATTED,
  })),
  { name: 'prose around', call: parse(`Here: ${json([RULE])}\nAll of it (I hope).`), output: PARSED },
  { name: 'the same twice', call: parse(json([RULE]) + json([RULE])), output: PARSED },
  {
    name: 'tasks in a fence',
    call: { tool: 'format-prompt', args: { tasks: `\`\`\`\n${json([TASK])}\n\`\`\`` } },
    output: '1. Fix it\n  > Targets: src',
  },
]

story('what a model means without doubt is taken, exactly', async () => {
  const session = await (await start()).session()
  const { outputs } = await session.turn('forms', TAKEN.map(({ call }) => call))
  TAKEN.forEach(({ name, output }, index) =>
    expect({ name, output: outputs[index] }).toEqual({ name, output })
  )
})

const ANSWERED: Array<{ name: string; call: Call; says: Array<string> }> = [
  {
    name: 'text that is cut off',
    call: parse('{"rules":[{"strength":"forb'),
    says: ['Invalid JSON: cut off at offset 27'],
  },
  {
    name: 'two payloads',
    call: format('{"rules":["- a"]}{"rules":["- b"]}'),
    says: ['Invalid JSON', 'offset 17'],
  },
  {
    name: 'two payloads in prose',
    call: format('Not ["- a"] but ["- b"]'),
    says: ['more than one JSON text'],
  },
  { name: 'an unescaped quote', call: format('["say "x" now"]'), says: ['Invalid JSON', '\\"'] },
  { name: 'a number for a text', call: format([7]), says: ['rules.0: expected a string; got the number 7'] },
  {
    name: 'an unknown argument',
    call: format([LINE], { style: 'short' }),
    says: ['style: unknown, known here: rules, mode'],
  },
  { name: 'an ellipsis', call: format('{"rules":["- a", ...]}'), says: ['Invalid JSON', 'ellipsis', 'near'] },
  { name: 'a key twice', call: format('{"rules":["- a"],"rules":["- b"]}'), says: ['Invalid JSON', 'twice'] },
  {
    name: 'a wrong strength',
    call: parse([{ ...RULE, strength: 'must' }]),
    says: ['rules.0.strength', 'omissible', '"must"'],
  },
  { name: 'an unknown key', call: parse([{ ...RULE, modality: 'x' }]), says: ['rules.0.modality: unknown'] },
  {
    name: 'an object for a rule',
    call: format([{ rule: 'x', reason: 'y' }]),
    says: ['rules.0: expected a string', '{"rules":["Rule: '],
  },
  {
    name: 'a wrong mode',
    call: format([LINE], { mode: 'short' }),
    says: ['mode: expected one of verbose, balanced, concise'],
  },
  {
    name: 'a rule that is not concise',
    call: format([LINE], { mode: 'concise' }),
    says: ['rules.0', 'rule 1', '"- …"'],
  },
  {
    name: 'a rule without its reason',
    call: format([LINE, 'Rule: x'], { mode: 'verbose' }),
    says: ['rules.1', 'rule 2', 'Reason'],
  },
  {
    name: 'a rule without a label',
    call: format([LINE, 'do x'], { mode: 'balanced' }),
    says: ['rules.1', 'rule 2', 'Rule: '],
  },
  {
    name: 'paths that are cut off',
    call: { tool: 'discover-rules', args: { files: '["rules.md", "ru' } },
    says: ['Invalid JSON: cut off at offset 16', '(argument files)'],
  },
  {
    name: 'no tasks',
    call: { tool: 'parse-prompt', args: { tasks: null } },
    says: ['tasks: expected JSON text; got null', '{"tasks":['],
  },
]

story('what is cut off, ambiguous or wrong is answered so that it can be mended', async () => {
  const session = await (await start()).session()
  const { outputs } = await session.turn('faults', ANSWERED.map(({ call }) => call))
  ANSWERED.forEach(({ name, says }, index) => {
    for (const words of [...says, 'Fix the issues and try again.']) {
      expect({ name, output: outputs[index] }).toEqual({ name, output: expect.stringContaining(words) })
    }
    expect(outputs[index]!.length).toBeLessThanOrEqual(2_000)
  })
})

story('paths come as a list, as a list in text, or with commas; null is all of them', async () => {
  const files = { 'a,b.md': 'one\n', 'c.md': 'two\n' }
  const project = await start(files)
  const { outputs } = await (await project.session()).turn(
    'read',
    [['a,b.md', 'c.md'], '["a,b.md","c.md"]', null, 'c.md', ['c.md']].map((paths) => ({
      tool: 'discover-rules',
      args: { files: paths },
    })),
    { tool: 'add-rules', args: { rules: ['- x'], file: ['c.md'], mode: null } },
    { tool: 'rewrite-rules', args: { rules: ['- y'], files: ['a,b.md'] } },
  )
  const both = `## ${project.path('a,b.md')}\n\none\n\n\n---\n\n## ${project.path('c.md')}\n\ntwo\n`
  const last = `## ${project.path('c.md')}\n\ntwo\n`
  expect(outputs.slice(0, 5)).toEqual([both, both, both, last, last])
  expect(await project.read('c.md')).toBe('two\n\n- x\n')
  expect(await project.read('a,b.md')).toBe('- y\n')
})

story(
  'the writers write what was last validated in this session, in its mode, and nothing else',
  async () => {
    const project = await start({ 'a.md': 'a\n', 'b.md': 'b\n' })
    const session = await project.session()
    const rewrite = (files: string, more: object = {}): Call => ({
      tool: 'rewrite-rules',
      args: { files, ...more },
    })
    const add = (file: string): Call => ({ tool: 'add-rules', args: { file } })
    const { outputs } = await session.turn(
      'tidy',
      { tool: 'discover-rules' },
      rewrite('a.md'),
      add('a.md'),
      format(['- use tabs', '- use semicolons'], { mode: 'concise' }),
      rewrite('a.md', { mode: 'verbose' }),
      rewrite('a.md', { rules: null }),
      add('b.md'),
      format(['Rule: use tabs'], { mode: 'concise' }),
      rewrite('b.md'),
      format(['- use spaces']),
      parse([RULE]),
      rewrite('b.md'),
    )
    expect(outputs[1]).toMatch(/Call format-rules first/)
    expect(outputs[2]).toMatch(/Call format-rules first/)
    expect(outputs[4]).toMatch(/mode verbose[\s\S]*rules\.0/)
    expect(outputs[5]).toContain('the 2 rules that format-rules last validated')
    expect(outputs[6]).toBe(
      `Added 2 rule(s) to ${project.path('b.md')}\n\nWritten: the 2 rules that format-rules last validated.`,
    )
    expect(await project.read('a.md')).toBe('- use tabs\n- use semicolons\n')
    expect(await project.read('b.md')).toBe('b\n\n- use tabs\n- use semicolons\n')
    expect(outputs[8]).toMatch(/Call format-rules first/)
    expect(outputs[11]).toMatch(/Call format-rules first/)

    const other = await project.session()
    const apart = await other.turn('tidy', format(['Rule: write haiku']), { tool: 'discover-rules' })
    expect(apart.outputs[0]).toBe(pretty({ rules: ['Rule: write haiku'] }))
  },
)

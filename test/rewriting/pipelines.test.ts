import { expect, test } from 'bun:test'
import type { ParsedRule } from '../../src/rule-schema.ts'
import { type Project, sharedHost } from '../harness/host.ts'
import { inProcess } from '../harness/in-process.ts'
import { story } from '../harness/story.ts'

const toProject = (files: Record<string, string>) => ({
  files,
  config: { instructions: Object.keys(files) },
  git: false,
})

const start = async (files: Record<string, string>): Promise<Project> =>
  (await inProcess()).project(toProject(files))

const startInHost = async (files: Record<string, string>): Promise<Project> =>
  (await sharedHost()).project(toProject(files))

const toJson = (value: unknown) => JSON.stringify(value)

const VERBOSE = [
  'Rule: use early returns over if-else statements\nReason: To reduce nesting and improve readability by handling edge cases first.',
  'Rule: do not use non-null assertions\nReason: Use narrowing type guards to verify values before accessing them.',
  'Rule: do not use ternaries unless used for simple const or object assignment\nReason: To keep conditional logic readable and explicit.',
]
const BALANCED = [...VERBOSE.slice(0, 2), VERBOSE[2]!.split('\n')[0]!]
const CONCISE = VERBOSE.map((rule) => rule.split('\n')[0]!.replace('Rule: ', '- '))

const PARSED: Array<ParsedRule> = [
  {
    strength: 'obligatory',
    action: 'use',
    target: 'early returns over if-else statements',
    reason: 'Reduces nesting.',
  },
  {
    strength: 'forbidden',
    action: 'use',
    target: 'non-null assertions',
    reason: 'Use narrowing type guards instead.',
  },
  {
    strength: 'forbidden',
    action: 'use',
    target: 'ternaries',
    context: 'unless used for simple const or object assignment',
    reason: 'To keep conditional logic readable and explicit.',
  },
]

// What each mode gives, to the byte.
const FILES = {
  verbose: `Rule: use early returns over if-else statements
Reason: To reduce nesting and improve readability by handling edge cases first.

Rule: do not use non-null assertions
Reason: Use narrowing type guards to verify values before accessing them.

Rule: do not use ternaries unless used for simple const or object assignment
Reason: To keep conditional logic readable and explicit.
`,
  balanced: `Rule: use early returns over if-else statements
Reason: To reduce nesting and improve readability by handling edge cases first.

Rule: do not use non-null assertions
Reason: Use narrowing type guards to verify values before accessing them.

Rule: do not use ternaries unless used for simple const or object assignment
`,
  concise: `- use early returns over if-else statements
- do not use non-null assertions
- do not use ternaries unless used for simple const or object assignment
`,
}

story(
  'the rules pipeline: each step answers as the spec says, one file is rewritten, the other left alone',
  async () => {
    const messy =
      '# Rules\n\nPlease use early returns!!\nand dont use non-null assertions, ternaries neither\n'
    const project = await startInHost({ 'rules.md': messy, 'other.md': 'leave me\n' })
    const session = await project.session()
    const { tools, outputs } = await session.turn(
      'tidy the rules',
      { tool: 'discover-rules' },
      { tool: 'parse-rules', args: { rules: toJson({ rules: PARSED }) } },
      { tool: 'format-rules', args: { rules: toJson({ rules: VERBOSE }), mode: 'verbose' } },
      {
        tool: 'rewrite-rules',
        args: { rules: toJson({ rules: VERBOSE }), files: 'rules.md', mode: 'verbose' },
      },
    )
    expect(outputs[0]).toBe(
      `## ${project.path('rules.md')}\n\n${messy}\n\n---\n\n## ${project.path('other.md')}\n\nleave me\n`,
    )
    expect(outputs[1]).toBe(JSON.stringify({ rules: PARSED }, null, 2))
    expect(outputs[2]).toBe(JSON.stringify({ rules: VERBOSE }, null, 2))
    expect(outputs[3]).toMatch(
      /^\| File +\| Status +\| Rules \| Original \| Generated \| +Diff \| +Change \|\n/,
    )
    expect(outputs[3]).toContain('| rules.md | Success |     3 |       88 |       375 | +287 | +326.1% |\n')
    expect(outputs[3]).toContain('INCREASED 287 bytes (326.1%)')
    expect(tools.map(({ state }) => state.title)).toEqual([
      '2 files',
      '3 rules',
      '3 rules',
      '1 file, 3 rules',
    ])
    expect(await project.read('rules.md')).toBe(FILES.verbose)
    expect(await project.read('other.md')).toBe('leave me\n')
  },
)

story(
  'the rules pipeline: each mode writes its form of the rules, and without a mode they are balanced',
  async () => {
    const project = await start({ 'rules.md': 'be nice\n' })
    const session = await project.session()
    await session.turn('look', { tool: 'discover-rules' })
    for (const [mode, rules] of [['concise', CONCISE], ['balanced', BALANCED]] as const) {
      await session.turn(mode, {
        tool: 'rewrite-rules',
        args: { rules: toJson({ rules }), files: 'rules.md', mode },
      })
      expect(await project.read('rules.md')).toBe(FILES[mode])
    }
    await session.turn('no mode', {
      tool: 'rewrite-rules',
      args: { rules: toJson({ rules: BALANCED }), files: 'rules.md' },
    })
    expect(await project.read('rules.md')).toBe(FILES.balanced)
  },
)

story('without files every instruction file gets the same rules, and the answer says so', async () => {
  const project = await start({ 'a.md': 'a\n', 'b.md': 'b\n' })
  const { outputs } = await (await project.session()).turn(
    'all of them',
    { tool: 'discover-rules' },
    { tool: 'rewrite-rules', args: { rules: toJson({ rules: CONCISE }), mode: 'concise' } },
  )
  expect(outputs[1]).toContain('The same rules were written to 2 files')
  expect([await project.read('a.md'), await project.read('b.md')]).toEqual([FILES.concise, FILES.concise])
})

story('nothing is written before discovery', async () => {
  const project = await start({ 'rules.md': 'be nice\n' })
  const { outputs } = await (await project.session()).turn('write', [
    { tool: 'rewrite-rules', args: { rules: toJson({ rules: ['- x'] }) } },
    { tool: 'add-rules', args: { rules: toJson({ rules: ['- x'] }), file: 'rules.md' } },
  ])
  for (const output of outputs) expect(output).toContain('discover-rules')
  expect(await project.read('rules.md')).toBe('be nice\n')
})

story('add-rules adds after a blank line, however the file ends', async () => {
  const endings = { 'none.md': 'old', 'one.md': 'old\n', 'two.md': 'old\n\n', 'empty.md': '' }
  const project = await start(endings)
  const { outputs } = await (await project.session()).turn(
    'add',
    { tool: 'discover-rules' },
    Object.keys(endings).map((file) => ({
      tool: 'add-rules',
      args: { rules: toJson({ rules: BALANCED.slice(1) }), file },
    })),
  )
  const added = `${BALANCED[1]}\n\n${BALANCED[2]}\n`
  expect(await Promise.all(Object.keys(endings).map((file) => project.read(file)))).toEqual([
    `old\n\n${added}`,
    `old\n\n${added}`,
    `old\n\n${added}`,
    added,
  ])
  expect(outputs[1]).toBe(`Added 2 rule(s) to ${project.path('none.md')}`)
})

story('the prompt pipeline: the lone task, the nested tree, and no task at all', async () => {
  const lone = {
    tasks: [{
      intent: 'Fix type errors in utils',
      targets: ['src/utils'],
      constraints: ['Run tests after'],
      context: '',
      subtasks: [],
    }],
  }
  const leaf = (intent: string) => ({ intent, targets: ['src'], constraints: [], subtasks: [] })
  const nested = { tasks: [{ ...leaf('One\nbroken'), subtasks: [leaf('Two'), leaf('Three')] }, leaf('Four')] }
  const project = await startInHost({ 'rules.md': 'x' })
  const { tools, outputs } = await (await project.session()).turn(
    'refine',
    { tool: 'parse-prompt', args: { tasks: toJson(lone) } },
    { tool: 'format-prompt', args: { tasks: toJson(lone) } },
    { tool: 'format-prompt', args: { tasks: toJson(nested) } },
    { tool: 'format-prompt', args: { tasks: toJson({ tasks: [] }) } },
  )
  expect(outputs).toEqual([
    JSON.stringify(lone, null, 2),
    '1. Fix type errors in utils\n  > Targets: src/utils\n  > Constraints: Run tests after',
    [
      '├── 1. One broken',
      '│   │ > Targets: src',
      '│   ├── 2. Two',
      '│   │     > Targets: src',
      '│   └── 3. Three',
      '│         > Targets: src',
      '└── 4. Four',
      '      > Targets: src',
    ].join('\n'),
    'No tasks found',
  ])
  expect(tools[2]?.state.title).toBe('4 tasks')
})

const nestedTasks = (depth: number): unknown =>
  Array.from({ length: depth }).reduce<Array<unknown>>(
    (subtasks) => [{ intent: 'x', targets: [], constraints: [], subtasks }],
    [],
  )

const FAULTS: Array<{ name: string; tool: string; args: unknown; says: Array<RegExp> }> = [
  { name: 'a missing argument', tool: 'parse-rules', args: {}, says: [/^ {2}- rules: missing/m] },
  {
    name: 'several at once',
    tool: 'rewrite-rules',
    args: { rules: '{"rules":["", 5]}', mode: 'terse', file: 'a.md' },
    says: [/rules\.0/, /rules\.1/, /^ {2}- mode:/m, /^ {2}- file: .*"files"/m],
  },
  {
    name: 'tasks nested beyond sense',
    tool: 'format-prompt',
    args: { tasks: toJson({ tasks: nestedTasks(65) }) },
    says: [/tasks: .*64/],
  },
  {
    name: 'tasks nested beyond any stack',
    tool: 'format-prompt',
    args: { tasks: toJson({ tasks: nestedTasks(4_000) }) },
    says: [/deep/],
  },
]

story('what is wrong comes back as one answer that names each fault by its path', async () => {
  const project = await start({ 'rules.md': 'be nice\n' })
  const { tools } = await (await project.session()).turn(
    'faults',
    FAULTS.map(({ tool, args }) => ({ tool, args })),
  )
  FAULTS.forEach(({ name, says }, index) => {
    const { state } = tools[index]!
    expect({ name, status: state.status }).toEqual({ name, status: 'completed' })
    for (const words of says) expect(state.output).toMatch(words)
    expect(state.output).toContain('Fix the issues and try again.')
  })
})

test('64 levels of tasks are still fine', async () => {
  const { validateJson } = await import('../../src/validate.ts')
  const { ParsedPromptSchema } = await import('../../src/prompt-schema.ts')
  expect(validateJson(toJson({ tasks: nestedTasks(64) }), ParsedPromptSchema).error).toBeNull()
})

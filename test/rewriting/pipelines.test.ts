import { expect } from 'bun:test'
import { toParsedRule } from '../harness/parsed-rule.ts'
import { story } from '../harness/story.ts'
import { DISCOVER, start, taken, textsOf, twice, write } from './writer-calls.ts'

const toJson = (value: unknown) => JSON.stringify(value)

const VERBOSE = [
  'Rule: use early returns over if-else statements\nReason: To reduce nesting and improve readability by handling edge cases first.',
  'Rule: do not use non-null assertions\nReason: Use narrowing type guards to verify values before accessing them.',
  'Rule: do not use ternaries unless used for simple const or object assignment\nReason: To keep conditional logic readable and explicit.',
]

const PARSED = [
  'obligatory, use, early returns over if-else statements',
  'forbidden, use, non-null assertions',
  'forbidden, use, ternaries, unless used for simple const or object assignment',
].map(toParsedRule)

const LONE = {
  tasks: [{
    intent: 'Fix type errors in utils',
    targets: ['src/utils'],
    constraints: ['Run tests after'],
    context: '',
    subtasks: [],
  }],
}
const leaf = (intent: string) => ({ intent, targets: ['src'], constraints: [], subtasks: [] })
const NESTED = { tasks: [{ ...leaf('One\nbroken'), subtasks: [leaf('Two'), leaf('Three')] }, leaf('Four')] }
const TREE = `├── 1. One broken
│   │ > Targets: src
│   ├── 2. Two
│   │     > Targets: src
│   └── 3. Three
│         > Targets: src
└── 4. Four
      > Targets: src`

const formatPrompt = (tasks: object) => ({ tool: 'format-prompt', args: { tasks: toJson(tasks) } })

const MESSY = '# Rules\n\nPlease use early returns!!\nand dont use non-null assertions, ternaries neither\n'

story('the pipelines: each step answers as the spec says, and one of two files is rewritten', async () => {
  const project = await start({ 'rules.md': MESSY, 'other.md': 'leave me\n' })
  const rules = toJson({ rules: VERBOSE })
  const { tools, outputs } = await (await project.session()).turn(
    'tidy the rules',
    DISCOVER,
    { tool: 'parse-rules', args: { rules: toJson({ rules: PARSED }) } },
    { tool: 'format-rules', args: { rules, mode: 'verbose' } },
    ...twice(write({ rules, files: 'rules.md', mode: 'verbose' })),
    { tool: 'parse-prompt', args: { tasks: toJson(LONE) } },
    [{ tool: 'format-prompt' }, ...[LONE, NESTED, { tasks: [] }].map(formatPrompt)],
  )
  const lone = '1. Fix type errors in utils\n  > Targets: src/utils\n  > Constraints: Run tests after'
  expect(outputs.toSpliced(3, 2)).toEqual([
    `## ${project.path('rules.md')}\n\n${MESSY}\n\n---\n\n## ${project.path('other.md')}\n\nleave me\n`,
    taken(...PARSED),
    taken(...VERBOSE),
    JSON.stringify(LONE, null, 2),
    `${lone}\n\nRendered: what parse-prompt last took (1 task).`,
    lone,
    TREE,
    'No tasks found',
  ])
  expect(outputs[3]).toContain('1 line in no rule: `# Rules`')
  expect(outputs[4]).toMatch(
    /^\| File +\| Status +\| Rules \| Original \| Generated \| +Diff \| +Change \|\n/,
  )
  expect(outputs[4]).toContain('| rules.md | Success |     3 |       88 |       375 | +287 | +326.1% |\n')
  expect(outputs[4]).toContain('INCREASED 287 bytes (326.1%)')
  expect(await textsOf(project, 'rules.md', 'other.md')).toEqual([`${VERBOSE.join('\n\n')}\n`, 'leave me\n'])
  const titles = tools.map(({ state }) => state.title)
  expect(titles.slice(0, 5)).toEqual(['2 files', '3 rules', '3 rules', 'not replaced yet', '1 file, 3 rules'])
  expect(titles[8]).toBe('4 tasks')
})

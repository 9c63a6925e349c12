import { expect, test } from 'bun:test'
import { formatPrompt } from './format-prompt.ts'
import type { ParsedTask } from './prompt-schema.ts'

const task = (intent: string, more: Partial<ParsedTask> = {}): ParsedTask => ({
  intent,
  targets: [],
  constraints: [],
  subtasks: [],
  ...more,
})

const CASES: Array<[name: string, tasks: Array<ParsedTask>, tree: Array<string>]> = [
  ['no tasks', [], []],
  ['a lone task, two spaces in; empty values are left out', [
    task('Fix', { targets: ['a', ' ', 'b', ''], constraints: ['', 'c', 'd'], context: 'since Monday' }),
  ], ['1. Fix', '  > Targets: a, b', '  > Constraints: c, d', '  > Context: since Monday']],
  ['a lone task with subtasks: its metadata carries their pipe', [
    task('One', { targets: ['a'], subtasks: [task('Two', { targets: ['b'] }), task('Three')] }),
  ], ['1. One', '│ > Targets: a', '├── 2. Two', '│     > Targets: b', '└── 3. Three']],
  ['numbers run through the whole tree', [
    task('One', {
      targets: ['a'],
      subtasks: [task('Two', { subtasks: [task('Three', { constraints: ['x'] })] }), task('Four')],
    }),
    task('Five', { subtasks: [task('Six', { context: 'why' })] }),
  ], [
    '├── 1. One',
    '│   │ > Targets: a',
    '│   ├── 2. Two',
    '│   │   └── 3. Three',
    '│   │         > Constraints: x',
    '│   └── 4. Four',
    '└── 5. Five',
    '    └── 6. Six',
    '          > Context: why',
  ]],
  ['line breaks of every kind stay inside the line', [
    task('One\nTwo\r\nThree\u2028Four\vFive\u0085Six\tSeven\u007f\u009bEight', {
      constraints: ['a\n\nb'],
      context: '\nc\n',
    }),
  ], ['1. One Two Three Four Five Six Seven Eight', '  > Constraints: a b', '  > Context: c']],
]

test.each(CASES)('%s', (_, tasks, tree) => {
  expect(formatPrompt({ tasks })).toBe(tree.join('\n'))
})

import { expect, test } from 'bun:test'
import { formatPrompt } from './format-prompt.ts'
import type { ParsedTask } from './prompt-schema.ts'

const BARE = { targets: [], constraints: [], subtasks: [] }
const task = (intent: string, parts: Partial<ParsedTask> = {}): ParsedTask => ({ intent, ...BARE, ...parts })

const CASES: Array<[name: string, tasks: Array<ParsedTask>, tree: Array<string>]> = [
  ['without tasks, the text is empty', [], []],
  ['the lines below a lone task are indented by two spaces, and empty values are left out', [
    task('Fix', { targets: ['a', ' ', 'b', ''], constraints: ['', 'c', 'd'], context: 'since Monday' }),
  ], ['1. Fix', '  > Targets: a, b', '  > Constraints: c, d', '  > Context: since Monday']],
  ['numbers run through the whole tree', [
    task('One', { subtasks: [task('Two', { subtasks: [task('Three')] }), task('Four')] }),
    task('Five', { subtasks: [task('Six', { context: 'why' })] }),
  ], [
    '├── 1. One',
    '│   ├── 2. Two',
    '│   │   └── 3. Three',
    '│   └── 4. Four',
    '└── 5. Five',
    '    └── 6. Six',
    '          > Context: why',
  ]],
  ['control codes and rare line breaks become spaces, and blank lines around a text are removed', [
    task('One\u2028Two\vThree\u0085Four\tFive\u007f\u009bSix', { context: '\n\na\u001b[1mb\n' }),
  ], ['1. One Two Three Four Five Six', '  > Context: a [1mb']],
  ["if a text has several lines, they stay to the right of the tree's branches and keep their indentation", [
    task('Make it say:\r\n\r\n\tif (a) b()', {
      constraints: ['keep it', 'run:\nnpm  test'],
      context: 'Was:\n  print( "x" )\n\n\nend',
      subtasks: [task('Two\nand three')],
    }),
    task('Four\n  five'),
  ], [
    '├── 1. Make it say:',
    '│   │',
    '│   │ \tif (a) b()',
    '│   │ > Constraints: keep it',
    '│   │ > run:',
    '│   │ > npm  test',
    '│   │ > Context: Was:',
    '│   │ >   print( "x" )',
    '│   │ >',
    '│   │ >',
    '│   │ > end',
    '│   └── 2. Two',
    '│         and three',
    '└── 3. Four',
    '        five',
  ]],
]

test.each(CASES)('%s', (_, tasks, tree) => {
  expect(formatPrompt({ tasks })).toBe(tree.join('\n'))
})

import { expect, test } from 'bun:test'
import fc from 'fast-check'
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

const text = fc.string({ unit: 'grapheme', minLength: 1 })

const taskOf = (depth: number): fc.Arbitrary<ParsedTask> =>
  fc.record({
    intent: text,
    targets: fc.array(text, { maxLength: 2 }),
    constraints: fc.array(text, { maxLength: 2 }),
    context: fc.option(text, { nil: undefined }),
    subtasks: depth === 0 ? fc.constant([]) : fc.array(taskOf(depth - 1), { maxLength: 3 }),
  })

/** The columns of a line in which a branch of the tree runs on to the next line. */
const runsOn = (line: string) =>
  [...line].flatMap((sign, column) => sign === '│' || sign === '├' ? [column] : [])

const flatten = (all: Array<ParsedTask>): Array<ParsedTask> =>
  all.flatMap((one) => [one, ...flatten(one.subtasks)])

test('every branch is drawn without a gap, every task once and in order', () => {
  fc.assert(fc.property(fc.array(taskOf(3), { maxLength: 4 }), (all) => {
    const lines = formatPrompt({ tasks: all }).split('\n').filter((line) => line !== '')
    const heads = lines.map((line) => /^((?:│   |    )*(?:[├└]── )?)(\d+)\. /.exec(line)).filter((head) =>
      head !== null
    )
    expect(heads.map((head) => Number(head[2]))).toEqual(flatten(all).map((_, index) => index + 1))

    lines.forEach((line, index) => {
      const art = /^[│├└─ ]*/.exec(line)?.[0] ?? ''
      const above = lines[index - 1] ?? ''
      const aboveArt = /^[│├└─ ]*/.exec(above)?.[0] ?? ''
      for (const [column, sign] of [...art].entries()) {
        if (!'│├└'.includes(sign) || index === 0) continue
        // Either the branch comes down from the line above, or it starts right under its parent's number.
        expect(runsOn(aboveArt).includes(column) || column === aboveArt.length).toBe(true)
      }
    })
  }))
})

import { expect, test } from 'bun:test'
import { depthOf, MAX_TASK_DEPTH, ParsedPromptSchema, type ParsedTask } from './prompt-schema.ts'

const TASK: ParsedTask = { intent: 'x', targets: [], constraints: [], subtasks: [] }

const nested = (depth: number): Array<ParsedTask> =>
  depth === 0 ? [] : [{ ...TASK, subtasks: nested(depth - 1) }]

test('lists that are left out are filled in', () => {
  expect(ParsedPromptSchema.parse({ tasks: [{ intent: 'x' }] })).toEqual({ tasks: [TASK] })
})

test.each([0, 1, 5, MAX_TASK_DEPTH])('%d levels of tasks are counted and taken', (depth) => {
  expect(depthOf(nested(depth))).toBe(depth)
  expect(ParsedPromptSchema.safeParse({ tasks: nested(depth) }).success).toBe(true)
})

test('a level more is one fault that names both figures', () => {
  const { error } = ParsedPromptSchema.safeParse({ tasks: nested(MAX_TASK_DEPTH + 1) })
  expect(error!.issues.map(({ message }) => message)).toEqual([expect.stringMatching(/65 levels.*64/)])
})

test.each([
  { ...TASK, intent: ' ' },
  { ...TASK, targets: [1] },
  { ...TASK, goal: 'x' },
  { ...TASK, subtasks: [{ ...TASK, goal: 'x' }] },
])('%j is no task', (task) => {
  expect(ParsedPromptSchema.safeParse({ tasks: [task] }).success).toBe(false)
})

import { expect, test } from 'bun:test'
import { depthOf, MAX_TASK_DEPTH, ParsedPromptSchema, type ParsedTask } from './prompt-schema.ts'

const nested = (depth: number): Array<ParsedTask> =>
  depth === 0 ? [] : [{ intent: 'x', targets: [], constraints: [], subtasks: nested(depth - 1) }]

test.each([0, 1, 5, MAX_TASK_DEPTH])('%d levels of tasks are counted and taken', (depth) => {
  expect(depthOf(nested(depth))).toBe(depth)
  expect(ParsedPromptSchema.safeParse({ tasks: nested(depth) }).success).toBe(true)
})

test('a level more is one fault that names both figures', () => {
  const { error } = ParsedPromptSchema.safeParse({ tasks: nested(MAX_TASK_DEPTH + 1) })
  expect(error!.issues.map(({ message }) => message)).toEqual([expect.stringMatching(/65 levels.*64/)])
})

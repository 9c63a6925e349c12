import { expect, test } from 'bun:test'
import { z } from 'zod'
import { toolOutput } from '../../test/harness/tool-output.ts'
import { ParsedPromptSchema, ParsedTaskSchema } from '../prompt-schema.ts'
import { PermissionRefused } from '../writing/ask-permission.ts'
import { answer, argument, defineTool, paths } from './define-tool.ts'

// `arguments.test.ts` tests other arguments.
const echo = defineTool({
  description: 'Echoes.',
  args: { files: paths('The paths') },
  execute: async (args) => answer('echo', JSON.stringify(args)),
})

test.each<[unknown, object]>([
  [null, {}],
  [{ files: '[]' }, {}],
  ...['["a,b", "c",]', "['a,b', 'c']", ['a,b', 'c']]
    .map((files): [object, object] => [{ files }, { files: ['a,b', 'c'] }]),
  ...['a,b', '[slug].md'].map((files): [object, object] => [{ files }, { files }]),
  [{ files: '"a, b"' }, { files: 'a, b' }],
])('paths: %j is accepted', async (args, data) => {
  expect(JSON.parse(await toolOutput(echo, args))).toEqual(data)
})

test('the schema of a task has all keys, that of a subtask and of another tool only the required ones', () => {
  const texts = { type: 'array', items: { type: 'string' } } as const
  const intent = { type: 'string' } as const
  const task: z.core.JSONSchema.JSONSchema = { type: 'object', properties: { intent }, required: ['intent'] }
  const tasks = { type: 'array' as const, items: task }
  const shown = (tasks: ReturnType<typeof argument>) =>
    z.toJSONSchema(z.object({ tasks: tasks.shown }), { io: 'input' })
  expect(shown(argument(ParsedPromptSchema)).properties!['tasks']).toEqual({
    type: 'array',
    items: {
      type: 'object',
      properties: {
        intent,
        targets: texts,
        constraints: texts,
        context: { type: 'string' },
        subtasks: { ...tasks, description: 'tasks' },
      },
      required: ['intent'],
    },
  })
  expect(shown(argument(ParsedPromptSchema.optional(), [ParsedTaskSchema]))).toEqual({
    $schema: expect.any(String),
    type: 'object',
    properties: { tasks },
  })
})

test('an error in a tool is an answer, a refused permission is the host’s own error', async () => {
  const failing = (thrown: unknown) =>
    toolOutput(defineTool({ description: 'Fails.', args: {}, execute: () => Promise.reject(thrown) }), {})
  expect(await failing(new Error('no luck'))).toBe('The tool failed: no luck')
  const refusal = new Error('The user said no')
  await expect(failing(new PermissionRefused(refusal))).rejects.toBe(refusal)
})

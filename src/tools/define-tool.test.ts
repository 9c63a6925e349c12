import { expect, test } from 'bun:test'
import { z } from 'zod'
import { toolOutput } from '../../test/harness/tool-output.ts'
import { ParsedPromptSchema, ParsedTaskSchema } from '../prompt-schema.ts'
import { FormatResponseSchema, ModeSchema } from '../rule-schema.ts'
import { PermissionRefused } from '../writing/ask-permission.ts'
import { answer, argument, defineTool, paths } from './define-tool.ts'

const echo = defineTool({
  description: 'Echoes.',
  args: {
    rules: argument(FormatResponseSchema.optional().describe('The rules')),
    files: paths('The paths'),
    mode: argument(ModeSchema.optional().describe('The mode')),
  },
  execute: async (args) => answer('echo', JSON.stringify(args)),
})

const run = (args: unknown) => toolOutput(echo, args)

const TAKEN: Array<[unknown, object]> = [
  [null, {}],
  ['{"mode":"concise"}', { mode: 'concise' }],
  [{ rules: '[]', files: '[]', mode: 'null' }, {}],
  ...['["a,b", "c",]', "['a,b', 'c']", ['a,b', 'c']]
    .map((files): [object, object] => [{ files }, { files: ['a,b', 'c'] }]),
  ...['a,b', '[slug].md'].map((files): [object, object] => [{ files }, { files }]),
  [{ files: '"a, b"' }, { files: 'a, b' }],
]

test.each(TAKEN)('%j is taken', async (args, data) => {
  expect(JSON.parse(await run(args))).toEqual(data)
})

const ANSWERED: Array<[unknown, RegExp]> = [
  ['no JSON', /^Invalid JSON: expected JSON.*near "no JSON"/],
  ['{"mode":', /^Invalid JSON: cut off at offset 8/],
  [[], / {2}- input: expected an object with rules, files, mode; got a list of 0/],
  [{ rules: '["x', mode: 'none' }, / {2}- rules: Invalid JSON: cut off[^]* {2}- mode: expected one of/],
  [{ files: '["a", "b' }, /^Invalid JSON: cut off at offset 8.*\(argument files\)/],
]

test.each(ANSWERED)('%j is answered', async (args, words) => {
  const output = await run(args)
  expect(output).toMatch(words)
  expect(output).toEndWith('Fix the issues and try again.')
})

test('a task is shown by its keys, one in another or of another tool by what it must have', () => {
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

test('what goes wrong inside is an answer, but a refused permission is the host’s own error', async () => {
  const failing = (thrown: unknown) =>
    toolOutput(defineTool({ description: 'Fails.', args: {}, execute: () => Promise.reject(thrown) }), {})
  expect(await failing(new Error('no luck'))).toBe('The tool failed: no luck')
  const refusal = new Error('The user said no')
  expect(failing(new PermissionRefused(refusal))).rejects.toBe(refusal)
})

import { expect, test } from 'bun:test'
import { z } from 'zod'
import { toolOutput } from '../../test/harness/tool-output.ts'
import { ParsedPromptSchema, ParsedTaskSchema } from '../prompt-schema.ts'
import { PermissionRefused } from '../writing/ask-host.ts'
import { answer, argument, defineTool, pathsArgument } from './define-tool.ts'

const echo = defineTool({
  description: 'Echoes.',
  args: { files: pathsArgument('The paths') },
  execute: async (args) => answer('echo', JSON.stringify(args)),
})

test.each<[args: unknown, files: unknown]>([
  [null, undefined],
  [{ files: '[]' }, undefined],
  [{ files: '["a,b", "c",]' }, ['a,b', 'c']],
  [{ files: "['a,b', 'c']" }, ['a,b', 'c']],
  [{ files: ['a,b', 'c'] }, ['a,b', 'c']],
  [{ files: 'a,b' }, 'a,b'],
  [{ files: '[slug].md' }, '[slug].md'],
  [{ files: '"a, b"' }, 'a, b'],
])('in the arguments %j, the paths are %j', async (args, files) => {
  expect(JSON.parse(await toolOutput(echo, args))).toEqual({ files })
})

test('the schema of a task shows all keys where it first occurs, and later only the required keys', () => {
  type Tasks = z.ZodArray<z.ZodObject<{ subtasks: z.ZodOptional<Tasks> }>>
  const keysIn = (tasks: Tasks) => Object.keys(tasks.element.shape)
  const tasks = argument(ParsedPromptSchema).shown as Tasks
  expect(keysIn(tasks)).toEqual(['intent', 'targets', 'constraints', 'context', 'subtasks'])
  expect(keysIn(tasks.element.shape.subtasks.unwrap())).toEqual(['intent'])
  const inSecond = argument(ParsedPromptSchema.optional(), [ParsedTaskSchema]).shown as z.ZodOptional<Tasks>
  expect(keysIn(inSecond.unwrap())).toEqual(['intent'])
})

test('an error becomes an answer, unless it is a refused permission', async () => {
  const failing = (thrown: unknown) =>
    toolOutput(defineTool({ description: 'Fails.', args: {}, execute: () => Promise.reject(thrown) }), {})
  expect(await failing(new Error('no luck'))).toBe('The tool failed: no luck')
  const refusal = new Error('The user said no')
  await expect(failing(new PermissionRefused(refusal))).rejects.toBe(refusal)
})

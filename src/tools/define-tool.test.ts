import { expect, test } from 'bun:test'
import { z } from 'zod'
import { toolOutput } from '../../test/harness/tool-output.ts'
import { ParsedPromptSchema, ParsedTaskSchema } from '../prompt-schema.ts'
import { PermissionRefused } from '../writing/ask-permission.ts'
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

type Schema = { type?: string; items?: Schema; properties?: Record<string, Schema>; required?: Array<string> }

/** Returns the types in a JSON Schema: `[…]` for a list, `'key?'` for an optional key. */
const outlineOf = ({ type, items, properties, required = [] }: Schema): unknown => {
  if (items !== undefined) return [outlineOf(items)]
  const entries = Object.entries(properties ?? {})
    .map(([key, schema]) => [required.includes(key) ? key : `${key}?`, outlineOf(schema)])
  return properties === undefined ? type : Object.fromEntries(entries)
}

test('one tool shows the model all keys of a task; subtasks and other tools show only required ones', () => {
  const outlineShown = ({ shown: tasks }: ReturnType<typeof argument>) =>
    outlineOf(z.toJSONSchema(z.object({ tasks }), { io: 'input' }) as Schema)
  const texts = ['string']
  const task = {
    intent: 'string',
    'targets?': texts,
    'constraints?': texts,
    'context?': 'string',
    'subtasks?': [{ intent: 'string' }],
  }
  expect(outlineShown(argument(ParsedPromptSchema))).toEqual({ tasks: [task] })
  expect(outlineShown(argument(ParsedPromptSchema.optional(), [ParsedTaskSchema])))
    .toEqual({ 'tasks?': [{ intent: 'string' }] })
})

test('an error becomes an answer, unless it is a refused permission', async () => {
  const failing = (thrown: unknown) =>
    toolOutput(defineTool({ description: 'Fails.', args: {}, execute: () => Promise.reject(thrown) }), {})
  expect(await failing(new Error('no luck'))).toBe('The tool failed: no luck')
  const refusal = new Error('The user said no')
  await expect(failing(new PermissionRefused(refusal))).rejects.toBe(refusal)
})

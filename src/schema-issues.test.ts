import { expect, test } from 'bun:test'
import { z } from 'zod'
import { describeValue, issuesOf, likelyName } from './schema-issues.ts'

const SCHEMA = z.strictObject({
  name: z.string(),
  size: z.enum(['small', 'large']).optional(),
  parts: z.array(z.strictObject({ count: z.number() })),
  paths: z.union([z.string(), z.array(z.string())]).optional(),
}).meta({ example: '{"name":"x","parts":[]}' })

const faults = (input: unknown): Array<string> => {
  const checked = SCHEMA.safeParse(input)
  return checked.success
    ? []
    : issuesOf(checked.error, SCHEMA, input).map(({ path, message }) => `${path.join('.')}: ${message}`)
}

const VALID = { name: 'x', parts: [{ count: 1 }] }

test.each([
  [VALID, []],
  [{ parts: [] }, ['name: missing, expected a string']],
  [{ ...VALID, name: 7 }, ['name: expected a string; got the number 7']],
  [{ ...VALID, size: 'huge' }, ['size: expected one of small, large; got "huge"']],
  [{ ...VALID, parts: {} }, ['parts: expected a list; got an object with no keys']],
  [{ ...VALID, parts: [{ count: 'two' }] }, ['parts.0.count: expected a number; got "two"']],
  [{ ...VALID, parts: [{ count: 1, cuont: 2 }] }, ['parts.0.cuont: unknown, did you mean "count"?']],
  [{ ...VALID, colour: 1 }, ['colour: unknown, known here: name, size, parts, paths']],
  [{ title: 'x', parts: [] }, ['name: missing, expected a string', 'title: unknown, did you mean "name"?']],
  [{ ...VALID, paths: ['a', 1] }, ['paths.1: expected a string; got the number 1']],
  ['x', [': expected an object; got "x"']],
])('%j', (input, expected) => {
  expect(faults(input)).toEqual(expected)
})

test('the example of the schema goes with faults of the shape only', () => {
  const examplesOf = (input: unknown) =>
    issuesOf(SCHEMA.safeParse(input).error!, SCHEMA, input).map(({ example }) => example)
  expect(examplesOf({ ...VALID, name: 7 })).toEqual(['{"name":"x","parts":[]}'])
  expect(examplesOf({ ...VALID, size: 'huge' })).toEqual([undefined])
})

test.each([
  [undefined, 'nothing'],
  [null, 'null'],
  [true, 'the boolean true'],
  [[1, 2], 'a list of 2'],
  [{ a: 1, b: 2 }, 'an object with a, b'],
  ['x'.repeat(61), `"${'x'.repeat(60)}…"`],
  [{ ['k'.repeat(100)]: 1 }, `an object with ${'k'.repeat(60)}…`],
])('%j is described', (value, words) => {
  expect(describeValue(value)).toBe(words)
})

test.each([
  ['file', 'files'],
  ['MODE', 'mode'],
  ['rulse', 'rules'],
  ['rulesJson', 'rules'],
  ['directory', undefined],
])('%s most likely stands for %s', (unknown, meant) => {
  expect(likelyName(unknown, ['rules', 'files', 'mode'])).toBe(meant)
})

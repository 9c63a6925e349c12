import { expect, test } from 'bun:test'
import { z } from 'zod'
import { describeValue, toIssue, unknownKey, unknownKeyIssues, wordsOf } from './issues.ts'

const SCHEMA = z.object({
  name: z.string(),
  size: z.enum(['small', 'large']).optional(),
  parts: z.array(z.object({ count: z.number() })),
})

const faults = (input: unknown): Array<string> =>
  (SCHEMA.safeParse(input, { reportInput: true }).error?.issues ?? [])
    .map(toIssue)
    .map((issue) => `${issue.path.join('.')}: ${wordsOf(issue)}`)

const VALID = { name: 'x', parts: [{ count: 1 }] }

test.each([
  [VALID, []],
  [{ parts: [] }, ['name: missing, expected a string']],
  [{ ...VALID, name: 7 }, ['name: expected a string; got the number 7']],
  [{ ...VALID, size: 'huge' }, ['size: expected one of small, large; got "huge"']],
  [{ ...VALID, parts: {} }, ['parts: expected a list; got an object with no keys']],
  [{ ...VALID, parts: [{ count: 'two' }] }, ['parts.0.count: expected a number; got "two"']],
  ['x', [': expected an object; got "x"']],
])('%j', (input, expected) => {
  expect(faults(input)).toEqual(expected)
})

test.each([
  [['cuont'], { count: 1 }, ['parts.0.cuont: unknown, did you mean "count"?']],
  [['colour'], { count: 1 }, ['parts.0.colour: unknown, known here: count']],
  [['total'], {}, ['parts.0.total: unknown, did you mean "count"?']],
  [['total', 'colour'], {}, [
    'parts.0.total: unknown, known here: count',
    'parts.0.colour: unknown, known here: count',
  ]],
])('unknown keys %j next to %j', (unknown, value, expected) => {
  const issues = unknownKeyIssues(unknown, SCHEMA.shape.parts.element.shape, value, ['parts', 0])
  expect(issues.map((issue) => `${issue.path.join('.')}: ${wordsOf(issue)}`)).toEqual(expected)
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
  ['file', 'unknown, did you mean "files"?'],
  ['MODE', 'unknown, did you mean "mode"?'],
  ['rulse', 'unknown, did you mean "rules"?'],
  ['rulesJson', 'unknown, did you mean "rules"?'],
  ['directory', 'unknown, known here: rules, files, mode'],
])('%s is %s', (unknown, words) => {
  expect(unknownKey(unknown, ['rules', 'files', 'mode'])).toBe(words)
})

import { expect, test } from 'bun:test'
import { z } from 'zod'
import { describeIssue, describeUnknownKey, describeValue, unknownIssues } from './issues.ts'

const PART = { count: z.number() }

test.each<[Record<string, unknown>, Array<string>]>([
  [{ cuont: 2, count: 1, more: null, other: [] }, ['parts.0.cuont: unknown, did you mean "count"?']],
  [{ colour: 2, count: 1 }, ['parts.0.colour: unknown, known here: count']],
  [{ total: 2, colour: 2 }, [
    'parts.0.total: unknown, known here: count',
    'parts.0.colour: unknown, known here: count',
  ]],
])('unknown keys of %j', (value, expected) => {
  const issues = unknownIssues(PART, value, ['parts', 0])
  expect(issues.map((issue) => `${issue.path.join('.')}: ${describeIssue(issue)}`)).toEqual(expected)
})

test.each([
  [undefined, 'nothing'],
  [null, 'null'],
  [[1, 2], 'a list of 2'],
  [{ a: 1, b: 2 }, 'an object with a, b'],
  ['x'.repeat(61), `"${'x'.repeat(60)}…"`],
  [{ ['k'.repeat(100)]: 1 }, `an object with ${'k'.repeat(60)}…`],
])('%j is described', (value, words) => {
  expect(describeValue(value)).toBe(words)
})

test.each([
  ['file', 'unknown, did you mean "files"?'],
  ['rulse', 'unknown, did you mean "rules"?'],
  ['tiles', 'unknown, did you mean "files"?'],
])('the key %s is %s', (unknown, words) => {
  expect(describeUnknownKey(unknown, ['rules', 'files', 'mode'])).toBe(words)
})

import { expect, test } from 'bun:test'
import { FormatResponseSchema, ParsedSchema, ParseResponseSchema, STRENGTHS } from './rule-schema.ts'
import { validateValue } from './validate.ts'

const RULE = { strength: 'obligatory', action: 'use', target: 'tabs', reason: '' }

test('every strength is a strength, context and reason are optional, a reason may be empty', () => {
  for (const strength of STRENGTHS) expect(ParsedSchema.safeParse([{ ...RULE, strength }]).success).toBe(true)
  expect(ParsedSchema.safeParse([{ ...RULE, context: 'in Go' }]).success).toBe(true)
  expect(ParsedSchema.safeParse([{ ...RULE, reason: undefined }]).success).toBe(true)
})

test.each([
  { ...RULE, strength: 'must' },
  { ...RULE, action: '' },
  { ...RULE, target: ' \n' },
  { ...RULE, context: 1 },
  { ...RULE, modality: 'x' },
])('%j is no parsed rule', (rule) => {
  expect(validateValue([rule], ParsedSchema).error).toBe('schema')
})

test.each(['', ' ', 7, { rule: 'x' }, 'a\u200Bb'])('%j is no formatted rule', (rule) => {
  expect(FormatResponseSchema.safeParse({ rules: ['Rule: x', rule] }).success).toBe(false)
})

test('a key next to the rules is not dropped silently', () => {
  expect(FormatResponseSchema.safeParse({ rules: [], more: [] }).success).toBe(false)
  expect(ParseResponseSchema.safeParse({ rules: [], more: [] }).success).toBe(false)
})

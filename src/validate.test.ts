import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { z } from 'zod'
import { coerceToSchema } from './json/coerce-to-schema.ts'
import { ParsedPromptSchema } from './prompt-schema.ts'
import { FormatResponseSchema, ParseResponseSchema, STRENGTHS } from './rule-schema.ts'
import { formatValidationError, validateJson, type ValidationFailure } from './validate.ts'

const SCHEMAS = [ParseResponseSchema, FormatResponseSchema, ParsedPromptSchema]
const RULE = { strength: 'forbidden', action: 'use', target: 'eval', reason: 'unsafe' }

const json = JSON.stringify

const failureOf = (input: unknown, schema: z.ZodType): ValidationFailure => {
  const result = validateJson(input, schema)
  if (result.error === null) throw new Error(`valid: ${json(result.data)}`)
  return result
}

const answerTo = (input: unknown, schema: z.ZodType): string =>
  formatValidationError(failureOf(input, schema))

test('invalid JSON is a parse failure, and a wrong value is a schema failure', () => {
  const reason = expect.stringContaining('offset 9')
  expect(failureOf('{"rules":', FormatResponseSchema)).toMatchObject({ error: 'parse', reason })
  const issues = [{ path: ['rules'], expected: 'a list', got: 'the number 1' }]
  expect(failureOf('{"rules":1}', FormatResponseSchema)).toMatchObject({ error: 'schema', issues })
  expect(formatValidationError({ data: null, error: 'parse' })).toStartWith('Invalid JSON: it cannot be read')
})

test('the example in the answer is valid for its schema', () => {
  for (const schema of SCHEMAS) {
    const [, example] = /^A valid example: (.+)$/m.exec(answerTo('no', schema))!
    expect(validateJson(example, schema).error).toBeNull()
  }
})

test('an answer shows an example only if the shape is wrong', () => {
  const hasExample = (part: object): boolean =>
    answerTo({ rules: [{ ...RULE, ...part }] }, ParseResponseSchema).includes('A valid example')
  expect([{ action: 7 }, { actoin: 'use' }, { note: 'x' }].map(hasExample)).toEqual([true, true, true])
  expect([{ strength: 'must' }, { action: ' ' }].map(hasExample)).toEqual([false, false])
})

const repeated = <T>(times: number, item: T): Array<T> => Array<T>(times).fill(item)
const NUMBERED_KEYS = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`k${index}`, 1]))

test.each<[name: string, rules: Array<unknown>, faults: number]>([
  ['wrong strengths', repeated(1_000, { ...RULE, strength: 'x'.repeat(100) }), 1_000],
  ['numbers', repeated(1_000, 7), 1_000],
  ['unknown keys in a rule that lacks three required keys', [NUMBERED_KEYS], 1_003],
])('the answer to a thousand faults (%s) has at most 2,000 characters', (_, rules, faults) => {
  const answer = answerTo(rules, ParseResponseSchema)
  expect(answer.length).toBeLessThanOrEqual(2_000)
  const listed = answer.match(/^ {2}- /gm)!.length
  expect(listed).toBeGreaterThan(10)
  expect(answer).toContain(`\n  … and ${faults - listed} more\n`)
})

test('of 25 short faults, 20 are listed', () => {
  const wrong = repeated(25, { ...RULE, strength: 'must' })
  const end = '  - rules.19.strength: expected the same; got "must"\n  … and 5 more\n'
  expect(answerTo(wrong, ParseResponseSchema)).toContain(end)
})

test.each([
  ['deep', JSON.parse('{"tasks":'.repeat(500) + '1' + '}'.repeat(500))],
  ['wide', repeated(200_000, 1)],
  ['wide once its text is decoded', { rules: json(repeated(120_000, 'x')) }],
])('a value is refused if it is too %s', (_, input) => {
  expect(answerTo(input, FormatResponseSchema)).toMatch(/too (deep|many)/)
})

test('a long key is truncated in the path of a fault', () => {
  const answer = answerTo({ rules: [{ ...RULE, ['k'.repeat(31)]: 1 }] }, ParseResponseSchema)
  expect(answer).toContain(`\n  - rules.0.${'k'.repeat(30)}…: unknown`)
})

test('if a value contains texts with JSON, their levels count toward the depth limit of the value', () => {
  const nest = (times: number, tasks: unknown): unknown =>
    times === 0 ? tasks : [{ intent: 'x', subtasks: nest(times - 1, tasks) }]
  // Each of the six nested texts has 300 levels, and the limit is 400.
  let tasks: unknown = []
  for (let level = 0; level < 6; level++) tasks = json(nest(150, tasks))
  expect(answerTo({ tasks }, ParsedPromptSchema)).toContain('too deep')
  // The texts below level 400 stay encoded, because a walk into all texts would overflow Node's stack.
  expect(json(coerceToSchema({ tasks }, ParsedPromptSchema).value)).toContain('\\"subtasks\\"')
})

const LONG = 'x'.repeat(4_001)

test.each<[schema: z.ZodType, rules: Array<unknown>, line: RegExp]>([
  [ParseResponseSchema, repeated(1_001, RULE), / - rules: 1001 rules are too many: send at most 1000/],
  [FormatResponseSchema, repeated(1_001, '- x'), / - rules: 1001 rules are too many: send at most 1000/],
  [ParseResponseSchema, [{ ...RULE, source: repeated(1_001, 'x') }], / - rules: 1001 sources are too many/],
  [ParseResponseSchema, [RULE, { ...RULE, source: ['x', LONG] }], / - rules\.1\.source: .* source has 4001 /],
  [ParseResponseSchema, [{ ...RULE, target: LONG }], / - rules\.0\.target: rule 1: the target has 4001 /],
  [FormatResponseSchema, [LONG], / - rules\.0: rule 1: the text has 4001 characters, at most 4000/],
])('too many rules, too many sources or a text that is too long is a fault', (schema, rules, line) => {
  expect(answerTo({ rules }, schema)).toMatch(line)
})

const ODD_TEXTS =
  'say "x", [y] {z};don\'t;a // b;a\nb\tc;```ts\nx\n```;{"rules":["x"]};\\d+\\;ends, ];/* x;…;["x"];"x";null;```json\n[]\n```'
    .split(';')

const text = fc.oneof(
  fc.string({ minLength: 1 }),
  fc.string({ unit: 'grapheme', minLength: 1 }),
  fc.constantFrom(...ODD_TEXTS),
).filter((words) => words.trim() !== '' && !/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(words))

const ruleText = text.filter((words) => validateJson({ rules: [words] }, FormatResponseSchema).error === null)
const parsedRule = fc.record(
  { strength: fc.constantFrom(...STRENGTHS), action: text, target: text, context: text, reason: text },
  { requiredKeys: ['strength', 'action', 'target', 'reason'] },
)
const texts = fc.array(text, { maxLength: 2 })
const tasks = (depth: number): fc.Arbitrary<Array<unknown>> => {
  const subtasks = depth === 0 ? fc.constant([]) : tasks(depth - 1)
  const task = { intent: text, targets: texts, constraints: texts, context: text, subtasks }
  const requiredKeys = ['intent', 'targets', 'constraints', 'subtasks'] as const
  return fc.array(fc.record(task, { requiredKeys: [...requiredKeys] }), { maxLength: 2 })
}

type Payload = { schema: z.ZodType; key: string; items: Array<unknown> }

const payloads: fc.Arbitrary<Payload> = fc.oneof(
  fc.array(parsedRule, { maxLength: 4 })
    .map((items) => ({ schema: ParseResponseSchema, key: 'rules', items })),
  fc.array(ruleText, { maxLength: 4 })
    .map((items) => ({ schema: FormatResponseSchema, key: 'rules', items })),
  tasks(2).map((items) => ({ schema: ParsedPromptSchema, key: 'tasks', items })),
)

const SURROUNDINGS: Record<string, (words: string) => string> = {
  none: (words) => words,
  fence: (words) => `\`\`\`json\n${words}\n\`\`\``,
  'fence in prose': (words) =>
    `Here are the {rules} [all of them], don't worry:\n\n\`\`\`\n${words}\n\`\`\`\n\nDone (see above).`,
  // Puts no prose around an empty list or object, because `[ ]` in prose may be a check box.
  prose: (words) =>
    /^[[{]\s*[\]}]/.test(words) ? words : `Here's what I made of it (all):\n${words}\nDone, I hope.`,
  twice: (words) => `${words}\n${words}`,
  'byte-order mark': (words) => `\uFEFF${words}\n`,
}

// `src/tools/arguments.test.ts` tests further forms, such as `null` for an optional key.
const forms = fc.record({
  trailingCommas: fc.boolean(),
  comments: fc.boolean(),
  quotes: fc.constantFrom('double', 'single', 'curly'),
  unquotedKeys: fc.boolean(),
  unescapedBreaks: fc.boolean(),
  blanks: fc.constantFrom('', ' ', '\n  ', '\r\n\t'),
  itemsAsText: fc.boolean(),
  wrapper: fc.constantFrom('none', 'key', 'key twice', 'text in key'),
  surroundings: fc.constantFrom(...Object.keys(SURROUNDINGS)),
  timesEncoded: fc.integer({ min: 0, max: 2 }),
})

type Form = typeof forms extends fc.Arbitrary<infer Drawn> ? Drawn : never

const writeJson = (value: unknown, form: Form): string => {
  const { trailingCommas, comments, quotes, unquotedKeys, unescapedBreaks, blanks } = form
  const gap = blanks + (comments ? '/* a "comment", */ ' : '')
  const quote = (words: string): string => {
    const inside = json(words).slice(1, -1)
    // In JSON, `\\n` is a backslash and an `n`, not a line break.
    const broken = unescapedBreaks ? inside.replace(/(\\\\)|\\n/g, (_, pair) => pair ?? '\n') : inside
    if (quotes === 'curly' && !/[“”]/.test(words)) return `“${broken}”`
    return quotes === 'single' ? `'${broken.replaceAll('\\"', '"').replaceAll("'", "\\'")}'` : `"${broken}"`
  }
  const join = (items: Array<string>) =>
    items.join(`,${gap}`) + (trailingCommas && items.length > 0 ? ',' : '') + gap
  if (Array.isArray(value)) return `[${gap}${join(value.map((item) => writeJson(item, form)))}]`
  if (typeof value === 'string') return quote(value)
  if (typeof value !== 'object' || value === null) return json(value)
  const entries = Object.entries(value).map(([key, item]) =>
    `${unquotedKeys ? key : quote(key)}:${gap}${writeJson(item, form)}`
  )
  return `{${gap}${join(entries)}}`
}

const encode = ({ key, items }: Payload, form: Form): string => {
  const list = form.itemsAsText ? items.map((item) => typeof item === 'string' ? item : json(item)) : items
  const wrapped = { [key]: list }
  const valuesByWrapper: Record<string, unknown> = {
    none: list,
    key: wrapped,
    'key twice': { [key]: wrapped },
    'text in key': { [key]: writeJson(wrapped, form) },
  }
  let words = SURROUNDINGS[form.surroundings]!(writeJson(valuesByWrapper[form.wrapper], form))
  for (let times = 0; times < form.timesEncoded; times++) words = json(words)
  return words
}

test('valid data is read correctly, however a model writes it', () => {
  fc.assert(
    fc.property(payloads, forms, (payload, form) => {
      const { schema, key, items } = payload
      for (const input of [encode(payload, form), { [key]: items }, items]) {
        expect(validateJson(input, schema)).toEqual({ data: { [key]: items }, error: null })
      }
    }),
    { numRuns: 500 },
  )
})

test('JSON that is cut off is refused with a short answer, unless all of its data can be read', () => {
  fc.assert(
    fc.property(payloads, forms, fc.nat(), (payload, form, cut) => {
      const whole = encode(payload, form)
      const result = validateJson(whole.slice(0, cut % (whole.length + 1)), payload.schema)
      if (result.error === null) expect(result.data).toEqual({ [payload.key]: payload.items })
      else expect(formatValidationError(result).length).toBeLessThanOrEqual(2_000)
    }),
    { numRuns: 500 },
  )
})

const PIECES_OF_JSON = '{ } [ ] , : " \' “ ” \\ / * ` ``` a 1 null rules "x" ...'.split(' ')
  .concat('\n', '```json\n', ' ')

test('the answer to a random text or value has at most 2,000 characters', () => {
  const likeJson = fc.array(fc.constantFrom(...PIECES_OF_JSON)).map((pieces) => pieces.join(''))
  const anyText = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units))
  fc.assert(
    fc.property(fc.oneof(likeJson, anyText, fc.json(), fc.jsonValue()), (input) => {
      for (const schema of SCHEMAS) {
        const result = validateJson(input, schema)
        if (result.error !== null) expect(formatValidationError(result).length).toBeLessThanOrEqual(2_000)
      }
    }),
    { numRuns: 660 },
  )
})

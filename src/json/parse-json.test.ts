import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { MAX_JSON_LENGTH } from './limits.ts'
import { parseJson } from './parse-json.ts'

const FENCE = '```'

// Random combinations of commas, quotes, fences and prose are tested in `../validate.test.ts`.
const ACCEPTED: Array<[name: string, text: string, value: unknown]> = [
  ['strict JSON', '{"a":[1,-2.5e3,true,null,"x"]}', { a: [1, -2500, true, null, 'x'] }],
  ["Python's words", "{'a':[True,False,None]}", { a: [true, false, null] }],
  ['a repeated key with one value', '{"a":1,"a":1}', { a: 1 }],
  ['quoted prose after a fenced value', `${FENCE}\n{"a":1}\n${FENCE}\n"done"`, { a: 1 }],
  ['a fence that is not closed', `${FENCE}json\n{"a":1}\n`, { a: 1 }],
  ['prose before bare keys', 'const rules = {a: 1};', { a: 1 }],
  ['the same value twice in a row', '{"a":1,"b":2}{"b":2,"a":1}', { a: 1, b: 2 }],
  ['a word alone', 'null', null],
  ['a NUL at the end', '{"a":1}\0', { a: 1 }],
  ['JSON encoded thrice', JSON.stringify(JSON.stringify('{"a":1}')), { a: 1 }],
  ['JSON encoded twice, without the outer quotes', '{\\"a\\":\\"b\\"}', { a: 'b' }],
]

test.each(ACCEPTED)('a text is accepted as JSON: %s', (_, text, value) => {
  const { data, error } = parseJson(text)
  expect([data, error]).toEqual([value, null])
})

const REFUSED: Array<[name: string, text: string, says: RegExp, offset: number]> = [
  ['nothing', ' ', /empty/, 0],
  ['prose', 'use early returns', /expected JSON.*near "use early returns"/, 0],
  ['cut off in a string', '{"a":"do not', /cut off at offset 12, in a string, after ".*do not/, 12],
  ['cut off in an escape', '["a\\u00', /cut off at offset 7, in a string/, 7],
  ['cut off in a comment', '[1 /* a', /cut off at offset 7, in a comment/, 7],
  ['cut off in a fence', `${FENCE}\n[1,\n${FENCE}`, /cut off at offset 8/, 8],
  ['cut off in JSON encoded twice', '"[1,2"', /cut off at offset 4, in a list/, 4],
  ['JSON lines', '{"a":1}\n{"a":2}', /more than one JSON value.*line 2, column 1/, 8],
  ['a bracket too many', '["a"]]', /more text after/, 5],
  ['items without brackets', '{"a":1}, {"a":1}', /more text after the JSON; send one value: a list in \[/, 7],
  ['a key and its value without braces', '"a": [1]', /more text after/, 3],
  ['a repeated key with two values', '{"a":"\\":","b\\": ":[{"c":1,"c":2}]}', /key "c" occurs twice/, 31],
  ['a quote in a string', '["say "x" now"]', /quote inside a string is written \\"/, 7],
  ['a missing comma', '["a" "b"]', /expected a comma or \], found a string/, 5],
  ['a missing colon', '{"a" 1}', /expected a colon/, 5],
  ['words without quotes', '{"a": use tabs}', /expected a value, found "use"/, 6],
  ['an ellipsis in a comment', '{"rules": [1, // ... more\n]}', /found an ellipsis, which omits data/, 14],
  ['an unknown escape', '["\\d+"]', /backslash inside a string is written \\\\/, 2],
]

test.each(REFUSED)('a text is refused, with the offset of its fault: %s', (_, text, says, offset) => {
  const { data, error } = parseJson(text)
  expect(data).toBeNull()
  expect(error).toMatch(says)
  expect(error).toContain(`at offset ${offset}`)
})

test('a text of more than two million characters is not read', () => {
  expect(parseJson(`"${'x'.repeat(MAX_JSON_LENGTH)}"`).error).toContain('too many')
})

test('a list of 40,000 texts with a trailing comma is read completely', () => {
  const list = Array.from({ length: 40_000 }, (_, index) => `rule ${index} says what it says`)
  expect(parseJson(`${JSON.stringify(list).slice(0, -1)},]`).data).toEqual(list)
})

const pairs = fc.uniqueArray(fc.tuple(fc.string(), fc.jsonValue()), { selector: ([key]) => key })
const blanks = fc.constantFrom('', ' ', '\n  ')

test('a repeated key with two values is refused, at any depth and whatever the strings contain', () => {
  fc.assert(
    fc.property(pairs, fc.string(), fc.nat(5), blanks, (entries, key, depth, blank) => {
      const others = entries.filter(([other]) => other !== key)
      const members = [[key, '":'], ...others, [key, 1]]
        .map(([name, value]) => `${JSON.stringify(name)}${blank}:${JSON.stringify(value)}`)
      const { error } = parseJson(`${'['.repeat(depth)}{${members.join(`,${blank}`)}}${']'.repeat(depth)}`)
      expect(error).toContain('occurs twice')
    }),
  )
})

test('400 nested lists are read, 401 are not', () => {
  expect(parseJson('['.repeat(400) + ']'.repeat(400)).error).toBeNull()
  expect(parseJson('['.repeat(401) + ']'.repeat(401)).error).toContain('400 levels')
})

import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { MAX_JSON_LENGTH } from './limits.ts'
import { parseJson } from './parse-json.ts'

const FENCE = '```'

// Commas, quotes, fences and prose in all of their combinations: the property in `validate.test.ts`.
const TAKEN: Array<[name: string, text: string, data: unknown]> = [
  ['strict JSON', '{"a":[1,-2.5e3,true,null,"x"]}', { a: [1, -2500, true, null, 'x'] }],
  ['comments', '// rules\n{"a":1, /* two */ "b":2}', { a: 1, b: 2 }],
  ['what looks like a comment in a string', '["a // b", "c /* d */",]', ['a // b', 'c /* d */']],
  ['single quotes', `{'a':'say "b"', "c":'it\\'s',}`, { a: 'say "b"', c: "it's" }],
  ['curly quotes', '{“a”: “it’s "b"”}', { a: 'it’s "b"' }],
  ["Python's literals", '[True, False, None]', [true, false, null]],
  ['a known escape next to a trailing comma', '["\\u00e9\\n\\"\\\\d",]', ['é\n"\\d']],
  ['a key twice with one value', '{"a":1,"a":1}', { a: 1 }],
  ['a fence of tildes', 'So:\n~~~json\n{"a":"```"}\n~~~\n', { a: '```' }],
  ['a fence with a title', `${FENCE}json title="x"\n[1]\n${FENCE}`, [1]],
  ['a fence on one line', `${FENCE}json [1] ${FENCE}`, [1]],
  ['a fence that is not closed', `${FENCE}json\n{"a":1}\n`, { a: 1 }],
  ['a longer fence', `${FENCE}\`\n{"a":1}\n${FENCE}\``, { a: 1 }],
  ['a fence in a string in a fence', 'So:\n```json\n{"a":"x\n```ts\ny\n```\nz"}\n```', {
    a: 'x\n```ts\ny\n```\nz',
  }],
  ['a fence in a string', `["${FENCE}json\\n{}\\n${FENCE}"]`, [`${FENCE}json\n{}\n${FENCE}`]],
  ['the same twice in a fence', `${FENCE}\n["a"] or ['a']\n${FENCE}`, ['a']],
  ['other code next to the JSON', 'In\n```ts\nconst a = {}\n```\nI see\n```json\n{"a":1}\n```', { a: 1 }],
  ['prose around a list of texts', "I've kept [all] of it: ['a'].", ['a']],
  ['prose before bare keys', 'const rules = {a: 1};', { a: 1 }],
  ['a call', 'callback({"a":1})', { a: 1 }],
  ['prose after a comma', 'Here is {"a":1}, as you asked.', { a: 1 }],
  ['a fence in a string in prose', 'So {"a":"\n```\n[1]\n```\n"}', { a: '\n```\n[1]\n```\n' }],
  ['the same run together', '{"a":1,"b":2}{"b":2,"a":1}', { a: 1, b: 2 }],
  ['the same once more in prose', 'Here: {\'a\':1}\nor [as said] {"a":1}', { a: 1 }],
  ['a NUL at the end', '{"a":1}\0', { a: 1 }],
  ['a key that objects have', '{"__proto__":{"a":1},}', JSON.parse('{"__proto__":{"a":1}}')],
  ['JSON encoded thrice', JSON.stringify(JSON.stringify('{"a":1}')), { a: 1 }],
  ['encoded twice, its quotes lost', '{\\"a\\":\\"b\\"}', { a: 'b' }],
]

test.each(TAKEN)('taken: %s', (_, text, data) => {
  const read = parseJson(text)
  expect([read.data?.value, read.error]).toEqual([data, null])
})

const ANSWERED: Array<[name: string, text: string, says: RegExp, offset: number]> = [
  ['nothing', ' ', /empty/, 0],
  ['prose', 'use early returns', /expected JSON.*near "use early returns"/, 0],
  ['cut off in a string', '{"a":"do not', /cut off at offset 12, in a string, after ".*do not/, 12],
  ['cut off in a list', '{"a":[1,2', /cut off at offset 9, in a list/, 9],
  ['cut off after a colon', '{"a":', /cut off at offset 5, in an object/, 5],
  ['cut off in an escape', '["a\\', /cut off at offset 4, in a string/, 4],
  ['cut off in a code point', '["a\\u00', /cut off at offset 7, in a string/, 7],
  ['cut off among lost quotes', '{\\"a\\":[\\"b', /cut off at offset 8, in a string/, 8],
  ['cut off in a comment', '[1 /* a', /cut off at offset 7, in a comment/, 7],
  ['cut off in a fence', `${FENCE}\n[1,\n${FENCE}`, /cut off at offset 8/, 8],
  ['cut off in JSON encoded twice', '"[1,2"', /cut off at offset 4, in a list/, 4],
  ['JSON lines', '{"a":1}\n{"a":2}', /more than one JSON text.*line 2, column 1/, 8],
  ['a bracket too many', '["a"]]', /more text after/, 5],
  ['JSON in and after a fence', `${FENCE}\n[1]\n${FENCE}\n["b"]`, /more than one JSON/, 12],
  ['an ellipsis after data, next to a fence', `So ["a", …]:\n${FENCE}\n["b"]\n${FENCE}`, /ellipsis/, 9],
  ['a comment that is cut off in a fence', '```\n/* not ["a"]', /cut off at offset 16, in a comment/, 16],
  ['a fence in a JSON text that is cut off', `{"a":"${FENCE}\n[1]\n${FENCE}`, /cut off/, 17],
  ['an ellipsis in a list', '[1, ...]', /ellipsis/, 4],
  ['one key twice after one in text', '{"a":"\\":","b\\": ":[{"c":1,"c":2}]}', /key "c" is there twice/, 31],
  ['a quote in a string', '["say "x" now"]', /quote inside a string is written \\"/, 7],
  ['a missing colon', '{"a" 1}', /expected a colon/, 5],
  ['two commas', '[1,,2]', /expected a value, found ","/, 3],
  ['words without quotes', '{"a": use tabs}', /expected a value, found "use"/, 6],
  ['a number of no known form', '[007]', /expected a value/, 1],
  ['items without brackets', '{"a":1}, {"a":1}', /more text after the JSON; send one value, a list in \[/, 7],
  ['a key without braces', '"a": [1]', /more text after/, 3],
  ['the same twice, once cut off', '{"a":1}\n{"a":', /cut off at offset 13/, 13],
  ['a broken one, a whole one in a fence', 'So {"a":["say "x" [y]", "```\n[1]\n```"]}', /quote inside/, 15],
  ['a bracket that opens after', '{"a":1}{', /cut off at offset 8/, 8],
  ['an unknown escape', '["\\d+"]', /backslash inside a string is written \\\\/, 2],
  ['wrong brackets', '{"a":[1}', /expected a comma or \]/, 7],
]

test.each(ANSWERED)('answered: %s', (_, text, says, offset) => {
  const { data, error } = parseJson(text)
  expect(data).toBeNull()
  expect(error!.reason).toMatch(says)
  expect(error!.offset).toBe(offset)
})

test('what is longer than two million characters is not read', () => {
  expect(parseJson(`"${'x'.repeat(MAX_JSON_LENGTH)}"`).error!.reason).toContain('too many')
})

test('a list of two million characters is read whole', () => {
  const list = Array.from({ length: 40_000 }, (_, index) => `rule ${index} says what it says`)
  expect(parseJson(`${JSON.stringify(list).slice(0, -1)},]`).data?.value).toEqual(list)
})

const pairs = fc.uniqueArray(fc.tuple(fc.string(), fc.jsonValue()), { selector: ([key]) => key })

test('a key that is there twice with two values is found at any depth, whatever the strings hold', () => {
  fc.assert(
    fc.property(pairs, fc.nat(), fc.nat(5), fc.constantFrom('', ' ', '\n  '), (entries, at, depth, blank) => {
      const [key] = entries[at % (entries.length || 1)] ?? ['a']
      const others = entries.filter(([other]) => other !== key)
      const text = [[key, '":'], ...others, [key, 1]]
        .map(([name, value]) => `${JSON.stringify(name)}${blank}:${JSON.stringify(value)}`)
      const { error } = parseJson(`${'['.repeat(depth)}{${text.join(`,${blank}`)}}${']'.repeat(depth)}`)
      expect(error?.reason).toContain('is there twice')
    }),
  )
})

test('400 levels are read, 401 are not', () => {
  expect(parseJson('['.repeat(400) + ']'.repeat(400)).error).toBeNull()
  expect(parseJson('['.repeat(401) + ']'.repeat(401)).error!.reason).toContain('400 levels')
})

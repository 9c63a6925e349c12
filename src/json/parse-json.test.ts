import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { MAX_JSON_LENGTH } from './limits.ts'
import { parseJson } from './parse-json.ts'

const FENCE = '```'

const TAKEN: Array<{ name: string; text: string; data: unknown }> = [
  { name: 'strict JSON', text: '{"a":[1,-2.5e3,true,null,"x"]}', data: { a: [1, -2500, true, null, 'x'] } },
  { name: 'blanks around', text: ' \n{"a":1}\t\n', data: { a: 1 } },
  { name: 'a byte-order mark', text: '\uFEFF{"a":1}', data: { a: 1 } },
  { name: 'trailing commas', text: '{"a":[1,2,],}', data: { a: [1, 2] } },
  { name: 'comments', text: '// rules\n{"a":1, /* two */ "b":2}', data: { a: 1, b: 2 } },
  { name: 'comments without a blank between', text: '[/* a *//* b */1]', data: [1] },
  {
    name: 'what looks like a comment in a string',
    text: '["a // b", "c /* d */",]',
    data: ['a // b', 'c /* d */'],
  },
  { name: 'single quotes', text: `{'a':'say "b"', "c":'it\\'s',}`, data: { a: 'say "b"', c: "it's" } },
  { name: 'curly quotes', text: '{“a”: “it’s "b"”}', data: { a: 'it’s "b"' } },
  { name: 'bare keys', text: '{a: "b", c_d: 1}', data: { a: 'b', c_d: 1 } },
  { name: "Python's literals", text: '[True, False, None]', data: [true, false, null] },
  { name: 'raw line breaks and tabs', text: '{"a":"x\n\ty"}', data: { a: 'x\n\ty' } },
  { name: 'a known escape next to a trailing comma', text: '["\\u00e9\\n\\"\\\\d",]', data: ['é\n"\\d'] },
  { name: 'an empty string value', text: '{"a":"",}', data: { a: '' } },
  { name: 'a key twice with one value', text: '{"a":1,"a":1}', data: { a: 1 } },
  { name: 'a fence', text: `${FENCE}json\n{"a":1}\n${FENCE}`, data: { a: 1 } },
  { name: 'a fence without a language', text: `${FENCE}\n[1]\n${FENCE}`, data: [1] },
  { name: 'a fence of tildes', text: 'So:\n~~~json\n{"a":"```"}\n~~~\n', data: { a: '```' } },
  { name: 'a fence with a title', text: `${FENCE}json title="x"\n[1]\n${FENCE}`, data: [1] },
  { name: 'a fence on one line', text: `${FENCE}json [1] ${FENCE}`, data: [1] },
  {
    name: 'prose around a fence',
    text: `Here {you} go:\n\n${FENCE}json\n{"a":1}\n${FENCE}\nHope it helps [1].`,
    data: { a: 1 },
  },
  { name: 'a fence that is not closed', text: `${FENCE}json\n{"a":1}\n`, data: { a: 1 } },
  { name: 'a fence that is only closed', text: `{"a":1}\n${FENCE}`, data: { a: 1 } },
  { name: 'a longer fence', text: `${FENCE}\`\n{"a":1}\n${FENCE}\``, data: { a: 1 } },
  {
    name: 'a fence in a string in a fence',
    text: `So:\n${FENCE}json\n{"a":"x\n${FENCE}ts\ny\n${FENCE}\nz"}\n${FENCE}`,
    data: { a: `x\n${FENCE}ts\ny\n${FENCE}\nz` },
  },
  {
    name: 'a fence in a string',
    text: `["${FENCE}json\\n{}\\n${FENCE}"]`,
    data: [`${FENCE}json\n{}\n${FENCE}`],
  },
  {
    name: 'a sketch of the shape before the fence',
    text: `As {"a": [...]}:\n${FENCE}\n{"a":[1]}\n${FENCE}`,
    data: { a: [1] },
  },
  {
    name: 'a sketch of keys before the fence',
    text: `As {a: [{"b": ..., "c": …}]}, here:\n${FENCE}\n{"a":[]}\n${FENCE}`,
    data: { a: [] },
  },
  { name: 'the same twice in a fence', text: `${FENCE}\n["a"] or ['a']\n${FENCE}`, data: ['a'] },
  {
    name: 'other code next to the JSON',
    text: `From\n${FENCE}ts\nconst a = {}\n${FENCE}\nI made\n${FENCE}json\n{"a":1}\n${FENCE}`,
    data: { a: 1 },
  },
  { name: 'prose before', text: 'Here: {"a":1}', data: { a: 1 } },
  { name: 'prose after', text: '{"a":1} and never use y', data: { a: 1 } },
  { name: 'prose around a list of texts', text: "I've kept [all] of it: ['a'].", data: ['a'] },
  { name: 'prose before bare keys', text: 'const rules = {a: 1};', data: { a: 1 } },
  { name: 'a call', text: 'callback({"a":1})', data: { a: 1 } },
  { name: 'prose after a comma', text: 'Here is {"a":1}, as you asked.', data: { a: 1 } },
  { name: 'an assignment', text: `rules='["a"]'`, data: ['a'] },
  { name: 'a code span', text: 'So `{"a":1}` it is', data: { a: 1 } },
  { name: 'words in the fence', text: `${FENCE}\n{"a":1} and y\n${FENCE}`, data: { a: 1 } },
  {
    name: 'a fence in a string in prose',
    text: `So {"a":"\n${FENCE}\n[1]\n${FENCE}\n"}`,
    data: { a: `\n${FENCE}\n[1]\n${FENCE}\n` },
  },
  { name: 'a sketch after the fence', text: `${FENCE}\n{"a":1}\n${FENCE}\nas {"a": …}`, data: { a: 1 } },
  { name: 'the same run together', text: '{"a":1,"b":2}{"b":2,"a":1}', data: { a: 1, b: 2 } },
  { name: 'the same again and again', text: '["a"]'.repeat(21), data: ['a'] },
  { name: 'the same once more in prose', text: 'Here: {\'a\':1}\nor [as said] {"a":1}', data: { a: 1 } },
  { name: 'a NUL at the end', text: '{"a":1}\0', data: { a: 1 } },
  {
    name: 'a key that objects have',
    text: '{"__proto__":{"a":1},}',
    data: JSON.parse('{"__proto__":{"a":1}}'),
  },
  { name: 'the same JSON twice', text: `${FENCE}\n[1]\n${FENCE}\nor\n${FENCE}\n[ 1 ]\n${FENCE}`, data: [1] },
  { name: 'JSON encoded twice', text: JSON.stringify('{"a":1}'), data: { a: 1 } },
  { name: 'JSON encoded thrice', text: JSON.stringify(JSON.stringify('{"a":1}')), data: { a: 1 } },
  { name: 'a fence encoded twice', text: JSON.stringify(`${FENCE}json\n{"a":1,}\n${FENCE}`), data: { a: 1 } },
  { name: 'encoded twice, its quotes lost', text: '{\\"a\\":\\"b\\"}', data: { a: 'b' } },
]

test.each(TAKEN)('taken: $name', ({ text, data }) => {
  const read = parseJson(text)
  expect([read.data?.value, read.error]).toEqual([data, null])
})

const ANSWERED: Array<{ name: string; text: string; says: RegExp; offset: number }> = [
  { name: 'nothing', text: ' ', says: /empty/, offset: 0 },
  { name: 'prose', text: 'use early returns', says: /expected JSON.*near "use early returns"/, offset: 0 },
  {
    name: 'cut off in a string',
    text: '{"a":"do not',
    says: /cut off at offset 12, in a string, after ".*do not/,
    offset: 12,
  },
  { name: 'cut off in a list', text: '{"a":[1,2', says: /cut off at offset 9, in a list/, offset: 9 },
  { name: 'cut off after a comma', text: '[1,', says: /cut off at offset 3, in a list/, offset: 3 },
  { name: 'cut off after a colon', text: '{"a":', says: /cut off at offset 5, in an object/, offset: 5 },
  { name: 'cut off in an escape', text: '["a\\', says: /cut off at offset 4, in a string/, offset: 4 },
  { name: 'cut off in a code point', text: '["a\\u00', says: /cut off at offset 7, in a string/, offset: 7 },
  {
    name: 'cut off among lost quotes',
    text: '{\\"a\\":[\\"b',
    says: /cut off at offset 8, in a string/,
    offset: 8,
  },
  { name: 'cut off in a comment', text: '[1 /* a', says: /cut off at offset 7, in a comment/, offset: 7 },
  { name: 'cut off in a fence', text: `${FENCE}\n[1,\n${FENCE}`, says: /cut off at offset 8/, offset: 8 },
  {
    name: 'cut off in JSON encoded twice',
    text: '"[1,2"',
    says: /cut off at offset 4, in a list/,
    offset: 4,
  },
  { name: 'JSON twice', text: '{"a":1}{"a":2}', says: /more than one JSON text/, offset: 7 },
  {
    name: 'JSON lines',
    text: '{"a":1}\n{"a":2}',
    says: /more than one JSON text.*line 2, column 1/,
    offset: 8,
  },
  { name: 'a bracket too many', text: '["a"]]', says: /more text after/, offset: 5 },
  {
    name: 'two fences',
    text: `${FENCE}\n[1]\n${FENCE}\n${FENCE}\n[2]\n${FENCE}`,
    says: /more than one JSON text/,
    offset: 16,
  },
  {
    name: 'JSON in and after a fence',
    text: `${FENCE}\n[1]\n${FENCE}\n["b"]`,
    says: /more than one JSON/,
    offset: 12,
  },
  {
    name: 'two values in a fence',
    text: `${FENCE}\n["a"] and ["b"]\n${FENCE}`,
    says: /more than one JSON text; send one that holds all/,
    offset: 14,
  },
  {
    name: 'one value on each side of a fence',
    text: `So ["a"]\n${FENCE}\nx\n${FENCE}\nor ["b"]`,
    says: /more than one JSON text/,
    offset: 22,
  },
  {
    name: 'an ellipsis after data, next to a fence',
    text: `So ["a", …]:\n${FENCE}\n["b"]\n${FENCE}`,
    says: /ellipsis/,
    offset: 9,
  },
  {
    name: 'a comment that is cut off in a fence',
    text: `${FENCE}\n/* not ["a"]`,
    says: /cut off at offset 16, in a comment/,
    offset: 16,
  },
  {
    name: 'a fence in a JSON text that is cut off',
    text: `{"a":"${FENCE}\n[1]\n${FENCE}`,
    says: /cut off/,
    offset: 17,
  },
  { name: 'a sketch without a fence', text: 'As {"a": [...]}: {"a":[1]}', says: /ellipsis/, offset: 10 },
  { name: 'an ellipsis in a list', text: '[1, ...]', says: /ellipsis/, offset: 4 },
  { name: 'an ellipsis in an object', text: '{"a":1, ...}', says: /ellipsis/, offset: 8 },
  { name: 'one key, two values', text: '{"a":1,"a":2}', says: /key "a" is there twice/, offset: 11 },
  {
    name: 'one key twice next to a string that looks like one',
    text: '{"a":"\\":","b\\": ":[{"c":1,"c":2}]}',
    says: /key "c" is there twice/,
    offset: 31,
  },
  { name: 'one key, two lists', text: '{"a":[1,],"a":[2,]}', says: /key "a" is there twice/, offset: 14 },
  {
    name: 'a quote in a string',
    text: '["say "x" now"]',
    says: /quote inside a string is written \\"/,
    offset: 7,
  },
  {
    name: 'an apostrophe in single quotes',
    text: "['don't']",
    says: /strings stand in "…", a quote inside a string/,
    offset: 6,
  },
  { name: 'a missing comma', text: '["a" "b"]', says: /expected a comma or \]/, offset: 5 },
  { name: 'a missing colon', text: '{"a" 1}', says: /expected a colon/, offset: 5 },
  { name: 'two commas', text: '[1,,2]', says: /expected a value, found ","/, offset: 3 },
  { name: 'only a comma', text: '[,]', says: /expected a value/, offset: 1 },
  { name: 'strings that are added', text: '["a" + "b"]', says: /expected a comma/, offset: 5 },
  { name: 'words without quotes', text: '{"a": use tabs}', says: /expected a value, found "use"/, offset: 6 },
  { name: 'a number of no known form', text: '[007]', says: /expected a value/, offset: 1 },
  { name: 'a call without JSON', text: 'callback(a)', says: /expected JSON/, offset: 0 },
  {
    name: 'items without brackets',
    text: '{"a":1}, {"a":1}',
    says: /more text after the JSON; send one value, a list in \[ \]/,
    offset: 7,
  },
  { name: 'a comma at the end', text: '{"a":1},', says: /more text after/, offset: 7 },
  { name: 'a key without braces', text: '"a": [1]', says: /more text after/, offset: 3 },
  { name: 'the same twice, once cut off', text: '{"a":1}\n{"a":', says: /cut off at offset 13/, offset: 13 },
  { name: 'two lists in prose', text: 'First ["a"], then ["b"].', says: /more than one/, offset: 18 },
  { name: 'two values in prose', text: 'Not {"a":1} but {"a":2}.', says: /more than one/, offset: 16 },
  {
    name: 'a broken one and a whole one',
    text: '{"a":["say "x" now", ["b"]]}',
    says: /quote inside/,
    offset: 12,
  },
  {
    name: 'a broken one in prose and a whole one in its fence',
    text: `So {"a":["say "x" [y]", "${FENCE}json\n[1]\n${FENCE}"]}`,
    says: /quote inside/,
    offset: 15,
  },
  { name: 'a bracket that opens after', text: '{"a":1}{', says: /cut off at offset 8/, offset: 8 },
  {
    name: 'an unknown escape',
    text: '["\\d+"]',
    says: /backslash inside a string is written \\\\/,
    offset: 2,
  },
  { name: 'wrong brackets', text: '{"a":[1}', says: /expected a comma or \]/, offset: 7 },
]

test.each(ANSWERED)('answered: $name', ({ text, says, offset }) => {
  const { data, error } = parseJson(text)
  expect(data).toBeNull()
  expect(error!.reason).toMatch(says)
  expect(error!.offset).toBe(offset)
})

const HOSTILE: Record<string, string> = {
  brackets: '[',
  'pairs of brackets': '{"":[',
  quotes: '"',
  'list of empty strings': '["",',
  backticks: '`',
  fences: '```{',
  'fences in lines': 'x\n```["',
  backslashes: '\\',
  comments: '[/**/',
  'half comments': '/*',
  objects: '{"',
  'escaped objects': '{\\n',
}

test.each(Object.entries(HOSTILE))('two million characters of %s are answered in time', (_, piece) => {
  const { error } = parseJson(piece.repeat(Math.floor(MAX_JSON_LENGTH / piece.length)))
  expect(error!.reason.length).toBeLessThan(300)
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
      const all: Array<[string, unknown]> = [[key, '":'], ...entries.filter(([other]) => other !== key), [
        key,
        1,
      ]]
      const text = all.map(([name, value]) => `${JSON.stringify(name)}${blank}:${JSON.stringify(value)}`)
      const { error } = parseJson(`${'['.repeat(depth)}{${text.join(`,${blank}`)}}${']'.repeat(depth)}`)
      expect(error?.reason).toContain('is there twice')
    }),
  )
})

test('400 levels are read, 401 are not', () => {
  expect(parseJson('['.repeat(400) + ']'.repeat(400)).error).toBeNull()
  expect(parseJson('['.repeat(401) + ']'.repeat(401)).error!.reason).toContain('400 levels')
})

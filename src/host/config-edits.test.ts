import { expect, test } from 'bun:test'
import { parseConfig } from '../discover.ts'
import { withDirectory, withInstruction } from './config-edits.ts'
import { readOptions } from './options.ts'

const FOLDER = '.cursor/rules'
const NAMED = { rules: { directories: [FOLDER] } }

/** A config, the index of SAT's entry, and the expected options. */
const CASES: Array<[text: string, index: number, options: object]> = [
  ['{"plugin": ["/sat"]}', 0, NAMED],
  ['{\n  // mine\n  "plugin": [\n    "x", // another\n    "/sat",\n  ],\n  "model": "a/b",\n}\n', 1, NAMED],
  ['{"plugin": [["/sat", {"rules": {"before_write": false}}]]}', 0, {
    rules: { before_write: false, directories: [FOLDER] },
  }],
  ['{"plugin": [["/sat", {"rules": {"directories": ["a" /* b */]}}]]}', 0, {
    rules: { directories: ['a', FOLDER] },
  }],
  ['{"plugin": [["/sat", "debug"]]}', 0, NAMED],
  ['{"plugin": [["/sat", {"rules": true, "debug": true}]]}', 0, { ...NAMED, debug: true }],
  ['{"plugin": [["/sat", {"rules": {"directories": "a"}}]]}', 0, NAMED],
  ['{"plugin": [["/sat", null /* none */]]}', 0, NAMED],
  ['{"plugin": [[/* mine */ "/sat" /* no options */]]}', 0, NAMED],
  ['{"plugin": ["/sat" /* alone */]}', 0, NAMED],
  ['{"plugin": [["/sat", /* a */ "debug" /* b */, /* c */ 1]]}', 0, NAMED],
  // The host reads the last of two keys with the same name.
  ['{"plugin": ["/old"], "plugin": ["/new", "/sat"]}', 1, NAMED],
  ['{"plugin": ["/old"], /* x */\n  "plug\\u0069n": ["/sat"]}', 0, NAMED],
  ['{"plugin": [["/sat", {"rules": {"directories": ["a"]}, "rules": {"directories": ["b"]}}]]}', 0, {
    rules: { directories: ['b', FOLDER] },
  }],
  ['{"plugin": [["/sat", {"rules": {"directories": ["a"], "checks": true, "directories": ["b"]}}]]}', 0, {
    rules: { checks: true, directories: ['b', FOLDER] },
  }],
  ['{"a": 1, "a": 2, "plugin": [["/sat", {"rules": [{"gone": 1, "gone": 2}]}]], "c": 1, "c": 2}', 0, NAMED],
]

test.each(CASES)('a folder is added to %j', (text, index, options) => {
  const changed = withDirectory(text, index, FOLDER)
  const { plugin } = Object(parseConfig(changed).data)
  expect(plugin[index].slice(0, 2)).toEqual(['/sat', options])
  expect(readOptions(plugin[index][1]).faults).toEqual([])
  for (const comment of text.match(/\/\/.*|\/\*.*?\*\//g) ?? []) expect(changed).toContain(comment)
  for (const key of text.match(/"(?!gone)[^"]*":/g) ?? []) expect(changed).toContain(key)
  if (text.includes('"/old"')) expect(changed).toContain('"/old"')
})

test('a file is added to the instructions', () => {
  const instructionsIn = (text: string) =>
    Object(parseConfig(withInstruction(text, '.cursorrules')).data).instructions
  expect(instructionsIn('{"plugin": ["/sat"]}')).toEqual(['.cursorrules'])
  expect(instructionsIn('{"instructions": ["a.md"], // b\n}')).toEqual(['a.md', '.cursorrules'])
  const twice = '{"instructions": ["a.md"], "instructions": ["b.md"]}'
  expect(instructionsIn(twice)).toEqual(['b.md', '.cursorrules'])
  expect(withInstruction(twice, 'c')).toContain('a.md')
})

import { expect, test } from 'bun:test'
import { parseConfig } from '../discover.ts'
import { withDirectory, withInstruction } from './config-edits.ts'
import { readOptions } from './options.ts'

const FOLDER = '.cursor/rules'

/** A config whose last plugin is SAT, the folders that it names already, and its other options that apply. */
const CASES: Array<[config: string, folders: Array<string>, others?: { rules?: object; debug?: boolean }]> = [
  ['{\n  // mine\n  "plugin": [\n    "x", // another\n    "/sat",\n  ],\n  "model": "a/b",\n}\n', []],
  ['{"plugin": [["/sat", {"rules": {"before_write": false}}]]}', [], { rules: { before_write: false } }],
  ['{"plugin": [["/sat", {"rules": {"directories": ["a" /* b */]}}]]}', ['a']],
  ['{"plugin": [["/sat", {"rules": true, "debug": true}]]}', [], { debug: true }],
  ['{"plugin": [["/sat", {"rules": {"directories": "a"}}]]}', []],
  ['{"plugin": [[/* mine */ "/sat" /* no options */]]}', []],
  ['{"plugin": [["/sat", /* a */ "debug" /* b */, /* c */ 1]]}', []],
  // The host reads the last of two keys with the same name.
  ['{"plugin": ["/old"], /* x */\n  "plug\\u0069n": ["/sat"]}', []],
  ['{"plugin": [["/sat", {"rules": {"directories": ["a"], "checks": true, "directories": ["b"]}}]]}', ['b'], {
    rules: { checks: true },
  }],
  ['{"a": 1, "a": 2, "plugin": [["/sat", {"rules": [{"gone": 1, "gone": 2}]}]], "c": 1, "c": 2}', []],
]

test.each(CASES)(
  'a folder joins the directories of SAT in %j; comments and other keys stay',
  (text, folders, others = {}) => {
    const index = Object(parseConfig(text).data).plugin.length - 1
    const changed = withDirectory(text, index, FOLDER)
    const [target, options] = Object(parseConfig(changed).data).plugin[index]
    const rules = { ...others.rules, directories: [...folders, FOLDER] }
    expect([target, options]).toEqual(['/sat', { ...others, rules }])
    expect(readOptions(options).faults).toEqual([])
    for (const comment of text.match(/\/\/.*|\/\*.*?\*\//g) ?? []) expect(changed).toContain(comment)
    for (const key of text.match(/"(?!gone)[^"]*":|"\/old"/g) ?? []) expect(changed).toContain(key)
  },
)

test.each([
  ['{"plugin": ["/sat"]}', ['.cursorrules']],
  ['{"instructions": ["a.md"], // b\n}', ['a.md', '.cursorrules']],
  ['{"instructions": ["a.md"], "instructions": ["b.md"]}', ['b.md', '.cursorrules']],
])('a file joins the instructions that count in %j; the others stay', (text, instructions) => {
  const changed = withInstruction(text, '.cursorrules')
  expect(Object(parseConfig(changed).data).instructions).toEqual(instructions)
  for (const file of text.match(/\w\.md/g) ?? []) expect(changed).toContain(file)
})

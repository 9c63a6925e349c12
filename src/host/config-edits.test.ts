import { expect, test } from 'bun:test'
import { parseConfig } from '../discover.ts'
import { withDirectory, withInstruction } from './config-edits.ts'
import { readOptions } from './options.ts'

const FOLDER = '.cursor/rules'
const NAMED = { rules: { directories: [FOLDER] } }

/** A config, the place of SAT's entry, and the options that it has then. */
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
]

test.each(CASES)('a folder in %j', (text, index, options) => {
  const changed = withDirectory(text, index, FOLDER)
  const { plugin } = Object(parseConfig(changed).data)
  expect(plugin[index]).toEqual(['/sat', options])
  expect(readOptions(plugin[index][1]).faults).toEqual([])
  for (const comment of text.match(/\/\/.*|\/\*.*?\*\//g) ?? []) expect(changed).toContain(comment)
})

test('a file goes into the instructions', () => {
  const instructionsIn = (text: string) =>
    Object(parseConfig(withInstruction(text, '.cursorrules')).data).instructions
  expect(instructionsIn('{"plugin": ["/sat"]}')).toEqual(['.cursorrules'])
  expect(instructionsIn('{"instructions": ["a.md"], // b\n}')).toEqual(['a.md', '.cursorrules'])
})

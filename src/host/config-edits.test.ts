import { expect, test } from 'bun:test'
import { parseConfig } from '../discover.ts'
import { withDirectory, withInstruction } from './config-edits.ts'

const ONLY_NEW = { rules: { directories: ['new'] } }
const B_AND_NEW = { rules: { directories: ['b', 'new'] } }

/** SAT (`/sat`) is the last plugin of each config; `options` are its options after the addition. */
const CASES: Array<[config: string, options: object]> = [
  ['{\n  // mine\n  "plugin": [\n    "x", // another\n    "/sat",\n  ],\n  "model": "a/b",\n}\n', ONLY_NEW],
  ['{"plugin": [["/sat", {"rules": {"checks": true}}]]}', { rules: { checks: true, directories: ['new'] } }],
  ['{"plugin": [["/sat", {"rules": {"directories": [/* b */]}}]]}', ONLY_NEW],
  ['{"plugin": [["/sat", {"rules": true, "debug": true}]]}', { ...ONLY_NEW, debug: true }],
  ['{"plugin": [["/sat", {"rules": {"directories": "a"}}]]}', ONLY_NEW],
  ['{"plugin": [[/* mine */ "/sat" /* no options */]]}', ONLY_NEW],
  ['{"plugin": [["/sat", /* a */ "debug" /* b */]]}', ONLY_NEW],
  ['{"plugin": ["/old"], /* x */\n  "plug\\u0069n": ["/sat"]}', ONLY_NEW],
  ['{"plugin": [["/sat", {"rules": {"directories": ["a"], "directories": ["b"]}}]]}', B_AND_NEW],
  ['{"a": 1, "a": 2, "plugin": [["/sat", {"rules": [{"gone": 1, "gone": 2}]}]], "c": 1, "c": 2}', ONLY_NEW],
]

test.each(CASES)(
  'a folder is added to %j; comments stay, and so do keys that a later one of the same name overrides',
  (config, options) => {
    const index = Object(parseConfig(config).data).plugin.length - 1
    const changed = withDirectory(config, index, 'new')
    expect(Object(parseConfig(changed).data).plugin[index]).toEqual(['/sat', options])
    for (const comment of config.match(/\/\/.*|\/\*.*?\*\//g) ?? []) expect(changed).toContain(comment)
    // All keys, and `/old` in an overridden list. `gone` is in an invalid option, which is replaced.
    for (const key of config.match(/"(?!gone)[^"]*":|"\/old"/g) ?? []) expect(changed).toContain(key)
  },
)

test.each([
  ['{"plugin": ["/sat"]}', ['.cursorrules']],
  ['{"instructions": ["a.md"], // b\n}', ['a.md', '.cursorrules']],
  ['{"instructions": ["a.md"], "instructions": ["b.md"]}', ['b.md', '.cursorrules']],
])(
  'a file is added to the last list of instructions, which the host reads; all files listed before stay: %j',
  (text, instructions) => {
    const changed = withInstruction(text, '.cursorrules')
    expect(Object(parseConfig(changed).data).instructions).toEqual(instructions)
    for (const file of text.match(/\w\.md/g) ?? []) expect(changed).toContain(file)
  },
)

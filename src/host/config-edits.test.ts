import { expect, test } from 'bun:test'
import { parseConfig } from '../discover.ts'
import { withDirectory, withInstruction } from './config-edits.ts'

const ONLY_NEW = { rules: { directories: ['new'] } }
const B_AND_NEW = { rules: { directories: ['b', 'new'] } }

/** In each config, SAT (`/sat`) is the last plugin. `options`: its options once the folder `new` was added. */
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
  'a folder is added to %j; comments stay, and so do keys that a later key of the same name overrides',
  (config, options) => {
    const index = Object(parseConfig(config).data).plugin.length - 1
    const changed = withDirectory(config, index, 'new')
    expect(Object(parseConfig(changed).data).plugin[index]).toEqual(['/sat', options])
    // Comments, keys (but not `gone`: it is in an invalid option, which is replaced), and `/old` in an overridden list.
    const toKeep = config.match(/\/\/.*|\/\*.*?\*\/|"(?!gone)[^"]*":|"\/old"/g) ?? []
    for (const kept of toKeep) expect(changed).toContain(kept)
  },
)

test.each([
  ['{"plugin": ["/sat"]}', ['.cursorrules']],
  ['{"instructions": ["a.md"], // b\n}', ['a.md', '.cursorrules']],
  ['{"instructions": ["a.md"], "instructions": ["b.md"]}', ['b.md', '.cursorrules']],
])(
  'a file is added to the last list `instructions` of %j, the one that the host reads; no listed file is lost',
  (text, instructions) => {
    const changed = withInstruction(text, '.cursorrules')
    expect(Object(parseConfig(changed).data).instructions).toEqual(instructions)
    for (const file of text.match(/\w\.md/g) ?? []) expect(changed).toContain(file)
  },
)

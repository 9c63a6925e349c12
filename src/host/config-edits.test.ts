import { expect, test } from 'bun:test'
import { parseConfig } from '../discover.ts'
import { withLineEnding } from '../text/line-ending.ts'
import { withDirectory, withInstruction } from './config-edits.ts'

const expectSameConfig = (changed: string, expected: string) => {
  expect(parseConfig(changed).data).toEqual(parseConfig(expected).data)
  expect(changed.replace(/\s/g, '')).toBe(expected.replace(/\s/g, ''))
}

const configWith = (entry: string): string =>
  `{\n  // mine\n  "plugin": [\n    "x", // another\n    ${entry},\n  ],\n  "model": "a/b",\n}\n`

const NEW = '{"rules": {"directories": ["new"]}}'

test.each([
  ['"/sat"', `["/sat", ${NEW}]`],
  ['["/sat", {"rules": {"checks": true}}]', '["/sat", {"rules": {"checks": true, "directories": ["new"]}}]'],
  ['["/sat", {"rules": {"directories": [/*b*/]}}]', '["/sat", {"rules": {"directories": ["new"/*b*/]}}]'],
  ['["/sat", {"rules": 1, "debug": true}]', '["/sat", {"rules": {"directories": ["new"]}, "debug": true}]'],
  ['["/sat", {"rules": {"directories": "a"}}]', `["/sat", ${NEW}]`],
  ['[/* mine */ "/sat" /* no options */]', `[/* mine */ "/sat", ${NEW} /* no options */]`],
  ['["/sat", /* a */ "debug" /* b */]', `["/sat", /* a */ ${NEW} /* b */]`],
])('the folder `new` is added to an entry of SAT: %s becomes %s', (entry, changedEntry) => {
  expectSameConfig(withDirectory(configWith(entry), 1, 'new'), configWith(changedEntry))
})

// If a key is repeated, the host reads the last. The key `plug\u0069n` is the same as `plugin`.
test.each([
  [
    '{"plugin": ["/old"], /* x */ "plug\\u0069n": ["/sat"]}',
    `{"plugin": ["/old"], /* x */ "plug\\u0069n": [["/sat", ${NEW}]]}`,
  ],
  [
    '{"plugin": [["/sat", {"rules": {"directories": ["a"], "directories": ["b"]}}]]}',
    '{"plugin": [["/sat", {"rules": {"directories": ["a"], "directories": ["b", "new"]}}]]}',
  ],
  [
    '{"a": 1, "a": 2, "plugin": [["/sat", {"rules": [{"b": 1, "b": 2}]}]], "c": 1, "c": 2}',
    `{"a": 1, "a": 2, "plugin": [["/sat", ${NEW}]], "c": 1, "c": 2}`,
  ],
])('repeated keys are kept, and the last is changed: %s becomes %s', (config, changed) => {
  expectSameConfig(withDirectory(config, 0, 'new'), changed)
})

test.each([
  ['{"plugin": ["/sat"]}', '{"plugin": ["/sat"], "instructions": [".cursorrules"]}'],
  ['{"instructions": ["a.md"], // b\n}', '{"instructions": ["a.md", ".cursorrules"], // b\n}'],
  [
    '{"instructions": ["a.md"], "instructions": ["b.md"]}',
    '{"instructions": ["a.md"], "instructions": ["b.md", ".cursorrules"]}',
  ],
])('a file is added to the last list `instructions`: %j becomes %j', (config, changed) => {
  expectSameConfig(withInstruction(config, '.cursorrules'), changed)
})

test.each(['\n', '\r\n', '\r'] as const)('a new line ends as most lines do: with %j', (ending) => {
  const edit = (text: string) => withInstruction(withDirectory(text, 1, 'new'), '.cursorrules')
  // If a config lacks `$schema`, OpenCode itself adds this key, in a line that ends with `\n`.
  const withSchema = (text: string) => text.replace('{', '{\n  "$schema": "x",')
  const config = configWith('"/sat"')
  expect(edit(withSchema(withLineEnding(config, ending)))).toBe(
    withSchema(withLineEnding(edit(config), ending)),
  )
})

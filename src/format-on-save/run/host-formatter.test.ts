import type { Config } from '@opencode-ai/plugin'
import { expect, test } from 'bun:test'
import { readHostFormatter } from './host-formatter.ts'

type Setting = NonNullable<Config['formatter']>

const read = (formatter: Setting | true, patterns: Record<string, string>) => {
  // The host takes `true` for all of its own formatters; its types do not say so.
  const config = { formatter } as Config
  const host = readHostFormatter(config, patterns)
  return { host, setting: config.formatter as Setting }
}

const CUSTOM = { command: ['fmt', '$FILE'], extensions: ['.ts', '.x'] }

test('without commands of SAT the setting stays as it is', () => {
  const { host, setting } = read({ custom: CUSTOM }, {})
  expect(setting).toEqual({ custom: CUSTOM })
  expect(host.formats).toBe(true)
})

test("a command of the person's in the setting may change other files, for its extensions", () => {
  const cargo = { command: ['cargo', 'fmt'], extensions: ['.rs'] }
  const { host } = read(
    { cargo, custom: CUSTOM, zig: { command: ['z'] }, off: { ...cargo, disabled: true } },
    {},
  )
  expect(['a.rs', 'a.zig', 'a.ts', 'a.md'].map(host.changesOthers)).toEqual([true, true, true, false])
  // Where SAT formats all of the files, the host formats none.
  expect(read({ cargo }, { 'a/*': 'own' }).host.changesOthers('a.rs')).toBe(true)
  expect(read({ cargo }, { '*.rs': 'own' }).host.changesOthers('a.rs')).toBe(false)
})

test.each<[string, Setting | true, Setting]>([
  ['*.go', true, { gofmt: { extensions: [] } }],
  ['**/*.{kt,x}', true, { ktlint: { extensions: ['.kts'] } }],
  ['*.rs', { rustfmt: { disabled: true } }, { rustfmt: { disabled: true } }],
  ['*.py', { ruff: { command: ['r'] } }, {
    ruff: { command: ['r'], extensions: ['.pyi'] },
    uv: { extensions: ['.pyi'] },
  }],
  ['*.d', { dfmt: { extensions: ['.d', '.di'] } }, { dfmt: { extensions: ['.di'] } }],
  ['*.x', { custom: CUSTOM }, { custom: { ...CUSTOM, extensions: ['.ts'] } }],
  ['a/*', { custom: CUSTOM }, { custom: CUSTOM }],
  ['src/*.go', true, {}],
  ['a*.go', true, {}],
])("where SAT formats %s the host's own formatters keep the rest", (glob, formatter, expected) => {
  expect(read(formatter, { [glob]: 'own' }).setting).toEqual(expected)
})

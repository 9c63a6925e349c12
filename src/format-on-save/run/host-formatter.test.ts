/** Tests which files the host formats and which SAT formats, and how failures of the host's commands are recorded. */
import type { Config } from '@opencode-ai/plugin'
import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { readHostFormatter } from './host-formatter.ts'

type Setting = NonNullable<Config['formatter']>

/** Reads a setting with commands of SAT, given by their patterns. Returns the result, and the setting as changed. */
const read = (formatter: Setting | true, patterns: Record<string, string>) => {
  // With `true`, the host uses its built-in formatters. Its types lack this value.
  const config = { formatter } as Config
  const host = readHostFormatter(config, patterns)
  // Removes the script that records failures from the start of each command.
  const setting = structuredClone(config.formatter as unknown)
  for (const entry of Object.values(Object(setting)).map(Object)) {
    if (entry.command?.[0] === 'sh') entry.command.splice(0, 5)
  }
  return { host, setting: setting as Setting }
}

const CUSTOM = { command: ['fmt', '$FILE'], extensions: ['.ts', '.x'] }

test('without commands of SAT, the setting stays, and SAT knows how much its commands may change', () => {
  const cargo = { command: ['cargo', 'fmt'], extensions: ['.rs'] }
  const before = { cargo, custom: CUSTOM, zig: { command: ['z'] }, off: { ...cargo, disabled: true } }
  const { host, setting } = read(before, {})
  expect(setting).toEqual(before)
  expect(host.commandsOf('/p/a.ts')).toEqual([])
  expect(['a.rs', 'a.zig', 'a.ts', 'a.md'].map(host.reachOf)).toEqual(['project', 'project', 'file', 'none'])
  // SAT takes over all extensions that a pattern may match, so the host runs nothing for them.
  const takenOver = read({ cargo }, { 'a/*': 'own' }).host
  expect(takenOver.reachOf('a.rs')).toBe('none')
  expect(takenOver.commandsOf('a.rs')).toMatchObject([{ wholeProject: true }])
})

test("if SAT formats some files of an extension, it runs the person's commands for the others, too", () => {
  // `zig` is a built-in name, so its command has the built-in extensions.
  const [zig, off] = [{ command: ['z'] }, { disabled: true }]
  const { host, setting } = read({ custom: CUSTOM, zig, off }, { 'a/*': 'own' })
  expect(setting).toEqual({ custom: { ...CUSTOM, extensions: [] }, zig: { ...zig, extensions: [] }, off })
  expect(host.commandsOf('/p/a.ts')).toMatchObject([{ script: ['fmt', '$FILE'] }])
  expect(host.commandsOf('/p/a.zig')).toMatchObject([{ script: ['z'] }])
  expect(host.commandsOf('/p/a.md')).toEqual([])
})

const RUFF = { command: ['r'] }

test.each<[glob: string, before: Setting | true, after: Setting]>([
  ['*.go', true, { gofmt: { extensions: [] } }],
  ['**/*.{kt,x}', true, { ktlint: { extensions: ['.kts'] } }],
  ['*.rs', { rustfmt: { disabled: true } }, { rustfmt: { disabled: true } }],
  ['*.py', { ruff: RUFF }, { ruff: { ...RUFF, extensions: ['.pyi'] }, uv: { extensions: ['.pyi'] } }],
  ['*.d', { dfmt: { extensions: ['.d', '.di'] } }, { dfmt: { extensions: ['.di'] } }],
  ['src/*.go', true, {}],
  ['*/*.go', true, {}],
])(
  'if SAT formats %s, the host loses the extensions of which SAT formats all files',
  (glob, before, after) => {
    expect(read(before, { [glob]: 'own' }).setting).toEqual(after)
  },
)

test('a failure is recorded once, without waiting for what the command leaves running', async () => {
  const script = 'sleep 30 & yes | head -c 1000000; printf "\\033[1mwhy"; exit 3'
  const config: Config = { formatter: { custom: { command: ['sh', '-c', script], extensions: ['.x'] } } }
  const host = readHostFormatter(config, {})
  const [program, ...args] = Object(config.formatter).custom.command.map((word: string) =>
    word.replace('$FILE', '/p/a.x')
  )
  expect(spawnSync(program, args, { timeout: 10_000 }).status).toBe(3)
  const { output, ...failure } = (await host.failureOf('/p/a.x', true))!
  expect(failure).toMatchObject({ status: 'failed (status 3)', code: 3, hasWritten: true })
  expect(output).toEndWith('y\nwhy')
  expect(output.length).toBeLessThanOrEqual(16_000)
  expect(await host.failureOf('/p/a.x', true)).toBeNull()
})

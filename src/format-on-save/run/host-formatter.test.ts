import type { Config } from '@opencode-ai/plugin'
import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { readHostFormatter } from './host-formatter.ts'

type Setting = NonNullable<Config['formatter']>

/** Reads the setting, and removes from it the five words that SAT adds before each command. */
const readSetting = (formatter: Setting | true, commands: Record<string, string>) => {
  // The host's types lack `true`.
  const config = { formatter } as Config
  const host = readHostFormatter(config, commands)
  const setting = structuredClone(config.formatter as unknown)
  for (const entry of Object.values(Object(setting)).map(Object)) {
    if (entry.command?.[0] === 'sh') entry.command.splice(0, 5)
  }
  return { host, setting: setting as Setting }
}

const CUSTOM = { command: ['fmt', '$FILE'], extensions: ['.ts', '.x'] }

test('without globs, the setting stays, and a command without `$FILE` may change any file', () => {
  const cargo = { command: ['cargo', 'fmt'], extensions: ['.rs'] }
  const before = { cargo, custom: CUSTOM, zig: { command: ['z'] }, off: { ...cargo, disabled: true } }
  const { host, setting } = readSetting(before, {})
  expect(setting).toEqual(before)
  expect(host.commandsOf('/p/a.ts')).toEqual([])
  expect(['a.rs', 'a.zig', 'a.ts', 'a.md'].map(host.reachOf)).toEqual(['project', 'project', 'file', 'none'])
})

test("SAT, not the host, runs the setting's commands for each extension that SAT's globs may match", () => {
  const [zig, off] = [{ command: ['z'] }, { disabled: true }]
  const { host, setting } = readSetting({ custom: CUSTOM, zig, off }, { 'a/*': 'own' })
  expect(setting).toEqual({ custom: { ...CUSTOM, extensions: [] }, zig: { ...zig, extensions: [] }, off })
  expect(host.commandsOf('/p/a.ts')).toMatchObject([{
    script: CUSTOM.command,
    wholeProject: false,
    ok: [0, 1],
  }])
  expect(host.commandsOf('/p/a.zig')).toMatchObject([{ script: ['z'], wholeProject: true }])
  expect(host.commandsOf('/p/a.md')).toEqual([])
  expect(host.reachOf('/p/a.zig')).toBe('none')
})

// The built-in formatters `ruff` and `uv` both format `.py` and `.pyi`.
const RUFF = { command: ['r'] }

test.each<[glob: string, before: Setting | true, after: Setting]>([
  ['*.go', true, { gofmt: { extensions: [] } }],
  ['**/*.{kt,x}', true, { ktlint: { extensions: ['.kts'] } }],
  ['src/*.go', true, {}],
  ['*/*.go', true, {}],
  ['*.py', { ruff: RUFF }, { ruff: { ...RUFF, extensions: ['.pyi'] }, uv: { extensions: ['.pyi'] } }],
  ['*.d', { dfmt: { extensions: ['.d', '.di'] } }, { dfmt: { extensions: ['.di'] } }],
  ['*.rs', { rustfmt: { disabled: true } }, { rustfmt: { disabled: true } }],
])(
  'built-in formatters lose an extension only if the glob %s matches all files that have it',
  (glob, before, after) => {
    expect(readSetting(before, { [glob]: 'own' }).setting).toEqual(after)
  },
)

/** Runs the command for a file as the host does, with the words that SAT adds. */
const runOnHost = (script: string, path: string) => {
  const custom = { command: ['sh', '-c', script, '-', '$FILE'], extensions: ['.x'] }
  const config: Config = { formatter: { custom } }
  const host = readHostFormatter(config, {})
  const words: Array<string> = Object(config.formatter).custom.command
  const [program = '', ...args] = words.map((word) => word.replace('$FILE', path))
  return { host, ended: spawnSync(program, args, { timeout: 10_000 }) }
}

test.each([
  ['/p/./a.x', '/p/a.x'],
  ['//p/sub/../a.x', '/p/a.x'],
  ['/p/a\nb\n.x', '/p/a\nb\n.x'],
])('a failure recorded for %j is found for %j', async (named, path) => {
  const script = String.raw`echo; printf 'first\377'; exit 3`
  const { host } = runOnHost(script, named)
  expect(await host.failureOf('/p/b.x', true)).toBeNull()
  const command = `sh -c ${script} - ${named}`
  expect(await host.failureOf(path, true)).toMatchObject({ code: 3, command, output: 'first\uFFFD' })
  expect(await host.failureOf(path, true)).toBeNull()
})

test("a failure of the host's formatter is returned even if its child process still runs", async () => {
  const script = 'sleep 30 & yes | head -c 1000000; printf "\\033[1mwhy"; exit 3'
  const { host, ended } = runOnHost(script, '/p/a.x')
  expect(ended.status).toBe(3)
  const { output, ...failure } = (await host.failureOf('/p/a.x', true))!
  expect(failure).toMatchObject({ status: 'failed (status 3)', code: 3, mayHaveWritten: true })
  expect(output).toEndWith('y\nwhy')
  expect(output.length).toBeLessThanOrEqual(16_000)
})

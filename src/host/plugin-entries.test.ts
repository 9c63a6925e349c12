import { expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { readSetup } from './plugin-entries.ts'
import { commandHooks } from './slash-commands.ts'

const scratch = scratchFolder()

const FOLDERS = { sat: 'opencode-sat', 'other/opencode-sat': 'opencode-sat', another: 'another' }
for (const [folder, name] of Object.entries(FOLDERS)) {
  writeFileAt(join(scratch, folder, 'package.json'), JSON.stringify({ name }))
}

const SAT = join(scratch, 'sat')
const OPTIONS = { debug: true }
const WITH_OPTIONS = [[SAT, OPTIONS]]

const PROJECT = 'opencode.json'
const DOT_OPENCODE = '.opencode/opencode.json'
const PARENT = '../.opencode/opencode.json'
const HOME = '../home/.opencode/opencode.json'
const CONFIG_DIR = '../dir/opencode.json'
const OTHERS = [join(scratch, 'another'), 'x', 5, null, ['another@1', OPTIONS]]
const CLONE = { [PROJECT]: WITH_OPTIONS, '.opencode/opencode.jsonc': ['../../../other/opencode-sat'] }
const PACKAGE = {
  '../opencode/opencode.json': ['opencode-sat@0.1.0'],
  [PROJECT]: [['opencode-sat', OPTIONS]],
}

/**
 * The entry that takes effect, as the title says it; the plugin list of each config, by its path in the project; the
 * config that a fault says counts, null without a fault; and the options in effect. With `OFF`, the environment turns
 * project configs off.
 */
const CASES: Array<[string, Record<string, Array<unknown>>, counts: string | null, options: object]> = [
  ['none', { [PROJECT]: OTHERS }, null, {}],
  ['none, because project configs are off', { [PROJECT]: WITH_OPTIONS, OFF: [] }, null, {}],
  [
    'the later of two with the same target',
    { [PROJECT]: WITH_OPTIONS, [DOT_OPENCODE]: [SAT] },
    DOT_OPENCODE,
    {},
  ],
  ['the first of two targets', CLONE, PROJECT, OPTIONS],
  [
    'the later one, a path, after a URL to the same folder',
    { [PROJECT]: [`file://${SAT}`], [DOT_OPENCODE]: WITH_OPTIONS },
    null,
    OPTIONS,
  ],
  ["the project's entry of a package that the global config has, too", PACKAGE, null, OPTIONS],
  [
    'the one of the outermost folder .opencode',
    { [PARENT]: WITH_OPTIONS, [DOT_OPENCODE]: [[SAT, { debug: false }]] },
    PARENT,
    OPTIONS,
  ],
  [
    'the one at home after those of the project',
    { [DOT_OPENCODE]: [SAT], [HOME]: WITH_OPTIONS },
    null,
    OPTIONS,
  ],
  [
    'the one of OPENCODE_CONFIG_DIR after all others',
    { [HOME]: WITH_OPTIONS, [CONFIG_DIR]: [SAT] },
    CONFIG_DIR,
    {},
  ],
]

test.each(CASES)('the entry that takes effect: %s', async (_, { OFF, ...files }, counts, options) => {
  const folder = mkdtempSync(join(scratch, 'case-'))
  const directory = join(folder, 'project')
  for (const [name, plugin] of Object.entries(files)) {
    writeFileAt(join(directory, name), `{ // a comment\n"plugin": ${JSON.stringify(plugin)},}`)
  }
  const env = {
    XDG_CONFIG_HOME: folder,
    OPENCODE_TEST_HOME: join(folder, 'home'),
    OPENCODE_CONFIG_DIR: join(folder, 'dir'),
    OPENCODE_DISABLE_PROJECT_CONFIG: OFF && '1',
  }
  const { active, faults } = await readSetup({ directory, worktree: folder, hostVersion: '1.18.33', env })
  expect(active?.options ?? {}).toEqual(options)
  expect(faults.map(({ why }) => why)).toEqual(counts ? [`${join(directory, counts)} counts`] : [])
})

test('an old host is reported; so is an invalid option, with its config', async () => {
  const folder = join(scratch, 'wrong')
  writeFileAt(join(folder, PROJECT), JSON.stringify({ plugin: [[SAT, { debg: 1 }]] }))
  const env = { OPENCODE_CONFIG_DIR: folder }
  const old = await readSetup({ directory: SAT, worktree: SAT, hostVersion: '1.3.2', env })
  expect(old.faults.map(({ title }) => title)).toEqual(['OpenCode 1.3.2', 'option debg'])
  expect(old.faults[1]).toMatchObject({
    note: expect.stringContaining('did you mean'),
    file: { path: join(folder, PROJECT) },
  })
  expect(old.options).toBeNull()
})

const COMMANDS: { command?: Record<string, { template: string }> } = {}
await commandHooks().config?.(COMMANDS)
const NOT_LOADED = 'server half not loaded'

/** What the merged config has, the config, and the titles of the faults. */
test.each<[string, merged: Parameters<typeof readSetup>[0]['config'], faults: Array<string>]>([
  ['other plugins', { plugin: ['x', ['file:///x', {}]] }, [NOT_LOADED]],
  ["the person's own command of that name", { command: { refine: { template: 'Mine' } } }, [NOT_LOADED]],
  ['an entry with an invalid option', { plugin: ['x', [`file://${SAT}`, { rulez: {} }]] }, ['option rulez']],
  ['the package', { plugin: ['opencode-sat@0.2.0'] }, []],
  ['a clone on another machine', { plugin: ['file:///home/other/opencode-sat'] }, []],
  ["SAT's commands", COMMANDS, []],
])('a merged config shows whether the server half is loaded: %s', async (_, config, faults) => {
  const env = { OPENCODE_CONFIG_DIR: join(scratch, 'none') }
  const setup = await readSetup({ directory: SAT, worktree: SAT, hostVersion: '1.18.33', config, env })
  expect(setup.faults.map(({ title }) => title)).toEqual(faults)
  expect(setup.options === null).toBe(faults.includes(NOT_LOADED))
})

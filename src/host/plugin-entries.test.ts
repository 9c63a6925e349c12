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

// Paths of configs relative to the project, in the order in which the host reads them, `GLOBAL` first.
const GLOBAL = '../opencode/opencode.json'
const PROJECT = 'opencode.json'
const DOT_OPENCODE = '.opencode/opencode.jsonc'
const PARENT = '../.opencode/opencode.json'
const HOME = '../home/.opencode/opencode.json'
const CONFIG_DIR = '../dir/opencode.json'

/** Writes plugin lists to configs in a new folder, and reads the setup. */
const setupWith = async (pluginsByConfig: object, variables: Record<string, string> = {}) => {
  const folder = mkdtempSync(join(scratch, 'case-'))
  const directory = join(folder, 'project')
  for (const [name, plugin] of Object.entries(pluginsByConfig)) {
    writeFileAt(join(directory, name), `{ // a comment\n"plugin": ${JSON.stringify(plugin)},}`)
  }
  const env = {
    XDG_CONFIG_HOME: folder,
    OPENCODE_TEST_HOME: join(folder, 'home'),
    OPENCODE_CONFIG_DIR: join(folder, 'dir'),
    ...variables,
  }
  return { directory, ...await readSetup({ directory, worktree: folder, hostVersion: '1.18.33', env }) }
}

/**
 * `options`: those of the active entry. `inFault`: the config that counts, as the fault about ignored entries says.
 * Null without such a fault, for example because the ignored entry has the same target and no options.
 */
const CASES: Array<[active: string, configs: object, options: object, inFault: string | null]> = [
  ['no other plugin', { [PROJECT]: [join(scratch, 'another'), 'x', 5, null, ['y', OPTIONS]] }, {}, null],
  ['the later of two equal paths', { [PROJECT]: WITH_OPTIONS, [DOT_OPENCODE]: [SAT] }, {}, DOT_OPENCODE],
  [
    'the first, if they name different folders',
    { [PROJECT]: WITH_OPTIONS, [PARENT]: ['../../other/opencode-sat'] },
    OPTIONS,
    PROJECT,
  ],
  ['the later of a URL and its path', { [PROJECT]: [`file://${SAT}`], [HOME]: WITH_OPTIONS }, OPTIONS, null],
  ['the later package', { [GLOBAL]: ['opencode-sat@1'], [HOME]: [['opencode-sat', OPTIONS]] }, OPTIONS, null],
  ['that of the outer .opencode', { [DOT_OPENCODE]: [[SAT, {}]], [PARENT]: WITH_OPTIONS }, OPTIONS, PARENT],
  ["the one at home, not the project's", { [DOT_OPENCODE]: [SAT], [HOME]: WITH_OPTIONS }, OPTIONS, null],
  ['the one in OPENCODE_CONFIG_DIR', { [HOME]: WITH_OPTIONS, [CONFIG_DIR]: [SAT] }, {}, CONFIG_DIR],
]

test.each(CASES)('the active entry is %s', async (_, configs, options, inFault) => {
  const { directory, active, faults } = await setupWith(configs)
  expect(active?.options ?? {}).toEqual(options)
  expect(faults.map(({ why }) => why)).toEqual(inFault ? [`${join(directory, inFault)} counts`] : [])
})

test('no entry of a project is active if project configs are off', async () => {
  const setup = await setupWith({ [PROJECT]: WITH_OPTIONS }, { OPENCODE_DISABLE_PROJECT_CONFIG: '1' })
  expect(setup.active).toBeUndefined()
})

test('a host that is too old and an invalid option are reported', async () => {
  const folder = join(scratch, 'wrong')
  const config = join(folder, PROJECT)
  writeFileAt(config, JSON.stringify({ plugin: [[SAT, { debg: 1 }]] }))
  const env = { OPENCODE_CONFIG_DIR: folder }
  const { faults, options } = await readSetup({ directory: SAT, worktree: SAT, hostVersion: '1.3.2', env })
  expect(faults).toMatchObject([
    { title: 'OpenCode 1.3.2' },
    { title: 'option debg', note: expect.stringContaining('did you mean'), file: { path: config } },
  ])
  expect(options).toBeNull()
})

const COMMANDS: { command?: Record<string, { template: string }> } = {}
await commandHooks().config?.(COMMANDS)
const NOT_LOADED = 'server half not loaded'

test.each<[contents: string, faultTitles: Array<string>, merged: Parameters<typeof readSetup>[0]['config']]>([
  ['other plugins', [NOT_LOADED], { plugin: ['x', ['file:///x', {}]] }],
  ["the person's own command `refine`", [NOT_LOADED], { command: { refine: { template: 'Mine' } } }],
  ['an entry with an invalid option', ['option rulez'], { plugin: ['x', [`file://${SAT}`, { rulez: {} }]] }],
  ['the package', [], { plugin: ['opencode-sat@0.2.0'] }],
  ['a clone on another machine', [], { plugin: ['file:///home/other/opencode-sat'] }],
  ["SAT's commands", [], COMMANDS],
])('for a merged config with %s, the faults are %j', async (_, faultTitles, config) => {
  const env = { OPENCODE_CONFIG_DIR: join(scratch, 'none') }
  const setup = await readSetup({ directory: SAT, worktree: SAT, hostVersion: '1.18.33', config, env })
  expect(setup.faults.map(({ title }) => title)).toEqual(faultTitles)
  expect(setup.options === null).toBe(faultTitles.includes(NOT_LOADED))
})

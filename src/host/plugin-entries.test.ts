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

// Paths of configs, relative to the project.
const PROJECT = 'opencode.json'
const DOT_OPENCODE = '.opencode/opencode.jsonc'
const PARENT = '../.opencode/opencode.json'
const HOME = '../home/.opencode/opencode.json'
const CONFIG_DIR = '../dir/opencode.json'
const GLOBAL = '../opencode/opencode.json'

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
 * `inFault`: the config that counts, according to the fault about ignored entries. Null if there is no such fault, for
 * example because the ignored entry has the same target and no options.
 */
const CASES: Array<[active: string, configs: object, options: object, inFault: string | null]> = [
  [
    'none, if all are of other plugins',
    { [PROJECT]: [join(scratch, 'another'), 'x', 5, null, ['y', OPTIONS]] },
    {},
    null,
  ],
  ['the later of two equal paths', { [PROJECT]: WITH_OPTIONS, [DOT_OPENCODE]: [SAT] }, {}, DOT_OPENCODE],
  [
    'the first, if they name different folders',
    { [PROJECT]: WITH_OPTIONS, [PARENT]: ['../../other/opencode-sat'] },
    OPTIONS,
    PROJECT,
  ],
  ['the later of a URL and its path', { [PROJECT]: [`file://${SAT}`], [HOME]: WITH_OPTIONS }, OPTIONS, null],
  ['the later name', { [GLOBAL]: ['opencode-sat@1'], [HOME]: [['opencode-sat', OPTIONS]] }, OPTIONS, null],
  ['that of the outer .opencode', { [PARENT]: WITH_OPTIONS, [DOT_OPENCODE]: [[SAT, {}]] }, OPTIONS, PARENT],
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

test.each<[contents: string, merged: Parameters<typeof readSetup>[0]['config'], faultTitles: Array<string>]>([
  ['other plugins', { plugin: ['x', ['file:///x', {}]] }, [NOT_LOADED]],
  ["the person's own command `refine`", { command: { refine: { template: 'Mine' } } }, [NOT_LOADED]],
  ['an entry with an invalid option', { plugin: ['x', [`file://${SAT}`, { rulez: {} }]] }, ['option rulez']],
  ['the package', { plugin: ['opencode-sat@0.2.0'] }, []],
  ['a clone on another machine', { plugin: ['file:///home/other/opencode-sat'] }, []],
  ["SAT's commands", COMMANDS, []],
])('a merged config with %s shows whether the host has loaded SAT', async (_, config, faultTitles) => {
  const env = { OPENCODE_CONFIG_DIR: join(scratch, 'none') }
  const setup = await readSetup({ directory: SAT, worktree: SAT, hostVersion: '1.18.33', config, env })
  expect(setup.faults.map(({ title }) => title)).toEqual(faultTitles)
  expect(setup.options === null).toBe(faultTitles.includes(NOT_LOADED))
})

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { readSetup } from './setup.ts'
import { commandHooks } from './slash-commands.ts'

const scratch = scratchFolder()
const SAT = join(scratch, 'sat')
writeFileAt(join(SAT, 'package.json'), JSON.stringify({ name: 'opencode-sat' }))

type Config = Parameters<typeof readSetup>[0]['config']

/** Reads the setup of a host whose merged config is `config`. No config file has an entry of SAT. */
const setupOf = async (config: Config) => {
  const env = { OPENCODE_CONFIG_DIR: join(scratch, 'none') }
  const setup = await readSetup({ directory: SAT, worktree: SAT, hostVersion: '1.18.33', config, env })
  return { titles: setup.faults.map(({ title }) => title), options: setup.options }
}

test('an old host and an invalid option in a config file are reported, and no options apply', async () => {
  const folder = join(scratch, 'wrong')
  const config = join(folder, 'opencode.json')
  writeFileAt(config, JSON.stringify({ plugin: [[SAT, { debg: 1 }]] }))
  const env = { OPENCODE_CONFIG_DIR: folder }
  const { faults, options } = await readSetup({ directory: SAT, worktree: SAT, hostVersion: '1.3.2', env })
  expect(faults).toMatchObject([
    { title: 'OpenCode 1.3.2' },
    { title: 'option debg', note: expect.stringContaining('did you mean'), file: { path: config } },
  ])
  expect(options).toBeNull()
})

test('an invalid option in the merged config is reported', async () => {
  const { titles, options } = await setupOf({ plugin: ['x', [`file://${SAT}`, { rulez: {} }]] })
  expect(titles).toEqual(['option rulez'])
  expect(options).not.toBeNull()
})

test.each<[what: string, config: Config]>([
  ['other plugins', { plugin: ['x', ['file:///x', {}]] }],
  ["the person's own command `refine`", { command: { refine: { template: 'Mine' } } }],
])('SAT is reported as not loaded if the merged config has only %s', async (_, config) => {
  expect(await setupOf(config)).toEqual({ titles: ['server half not loaded'], options: null })
})

// The hook adds SAT's commands to the config.
const SAT_COMMANDS: Config = {}
await commandHooks().config?.(SAT_COMMANDS as object)

test.each<[what: string, config: Config]>([
  ['the package', { plugin: ['opencode-sat@0.2.0'] }],
  ['a clone on another machine', { plugin: ['file:///home/other/opencode-sat'] }],
  ["SAT's commands", SAT_COMMANDS],
])('SAT is loaded if the merged config has %s', async (_, config) => {
  const { titles, options } = await setupOf(config)
  expect(titles).toEqual([])
  expect(options).not.toBeNull()
})

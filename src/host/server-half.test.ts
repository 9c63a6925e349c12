import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { commandHooks } from './commands.ts'
import { unloadedFault } from './server-half.ts'

const scratch = scratchFolder()
const clone = join(scratch, 'clone')
const project = join(scratch, 'project')
const home = join(scratch, 'home')
writeFileAt(join(clone, 'package.json'), '{"name": "opencode-sat"}')

const place = { directory: project, worktree: project }
const env = { XDG_CONFIG_HOME: join(home, '.config'), OPENCODE_TEST_HOME: home }

const config: { command?: Record<string, { template: string }> } = {}
await commandHooks().config?.(config)

const HOSTS: Array<[what: string, merged: Parameters<typeof unloadedFault>[0], isLoaded: boolean]> = [
  ['other plugins', { plugin: ['x', ['file:///x', {}]] }, false],
  ["the person's own command of that name", { command: { refine: { template: 'Mine' } } }, false],
  ['an entry with options', { plugin: ['x', [`file://${clone}`, { tools: false }]] }, true],
  ['the package', { plugin: ['opencode-sat@0.2.0'] }, true],
  ['a clone on another machine', { plugin: ['file:///home/other/opencode-sat'] }, true],
  ['its commands', config, true],
]

test.each(HOSTS)('a host with %s', async (_, merged, isLoaded) => {
  expect(await unloadedFault(merged, place, env) === null).toBe(isLoaded)
})

test("it says in which config the entry is missing: the one next to the terminal's", async () => {
  const why = async () => (await unloadedFault({}, place, env))?.why
  expect(await why()).toBe('add it to "plugin" in .opencode/opencode.json')
  writeFileAt(join(home, '.config/opencode/tui.json'), JSON.stringify({ plugin: [clone] }))
  expect(await why()).toBe(`add it to "plugin" in ${home}/.config/opencode/opencode.json`)
  writeFileAt(join(project, '.opencode/tui.json'), JSON.stringify({ plugin: [[clone, {}]] }))
  expect(await why()).toBe('add it to "plugin" in .opencode/opencode.json')
})

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { notLoadedFault } from './server-half.ts'
import { commandHooks } from './slash-commands.ts'

const scratch = scratchFolder()
const clone = join(scratch, 'clone')
writeFileAt(join(clone, 'package.json'), '{"name": "opencode-sat"}')

const config: { command?: Record<string, { template: string }> } = {}
await commandHooks().config?.(config)

const HOSTS: Array<[name: string, merged: Parameters<typeof notLoadedFault>[0], isLoaded: boolean]> = [
  ['other plugins', { plugin: ['x', ['file:///x', {}]] }, false],
  ["the person's own command of that name", { command: { refine: { template: 'Mine' } } }, false],
  ['an entry with options', { plugin: ['x', [`file://${clone}`, { tools: false }]] }, true],
  ['the package', { plugin: ['opencode-sat@0.2.0'] }, true],
  ['a clone on another machine', { plugin: ['file:///home/other/opencode-sat'] }, true],
  ['its commands', config, true],
]

test.each(HOSTS)('a host with %s', async (_, merged, isLoaded) => {
  expect(await notLoadedFault(merged) === null).toBe(isLoaded)
})

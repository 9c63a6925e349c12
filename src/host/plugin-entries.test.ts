import { expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { checkSetup, type PluginEntry } from './plugin-entries.ts'

const scratch = scratchFolder()

for (const clone of ['sat', 'other/opencode-sat']) {
  writeFileAt(join(scratch, clone, 'package.json'), '{ "name": "opencode-sat" }')
  writeFileAt(join(scratch, clone, 'index.js'))
}
writeFileAt(join(scratch, 'another/package.json'), '{ "name": "another" }')

const SAT = join(scratch, 'sat')
const OPTIONS = { debug: true }
const WITH_OPTIONS = [[SAT, OPTIONS]]

const ROOT = 'opencode.json'
const OWN = '.opencode/opencode.json'
const UP = '../.opencode/opencode.json'
const HOME = '../home/.opencode/opencode.json'
const DIR = '../dir/opencode.json'
const OTHERS = [join(scratch, 'another'), 'x', 5, null, ['another@1', OPTIONS]]
const CLONE = { [ROOT]: WITH_OPTIONS, '.opencode/opencode.jsonc': ['../../../other/opencode-sat'] }
const PACKAGE = { '../opencode/opencode.json': ['opencode-sat@0.1.0'], [ROOT]: [['opencode-sat', OPTIONS]] }

/** The plugin lists by config, the config that takes effect if there are several, and the options in effect. */
const CASES: Array<
  [string, configs: Record<string, Array<unknown>>, counts: string | null, options: object]
> = [
  ['none', { [ROOT]: OTHERS }, null, {}],
  ['none, because the environment turns project configs off', { [ROOT]: WITH_OPTIONS, OFF: [] }, null, {}],
  ['the later of two with the same target', { [ROOT]: WITH_OPTIONS, [OWN]: [SAT] }, OWN, {}],
  ['the first of two targets', CLONE, ROOT, OPTIONS],
  ['a path and a URL', { [ROOT]: [`file://${SAT}`], [OWN]: WITH_OPTIONS }, null, OPTIONS],
  ['a package, globally', PACKAGE, null, OPTIONS],
  ['the outermost of several levels', { [UP]: WITH_OPTIONS, [OWN]: [[SAT, { debug: false }]] }, UP, OPTIONS],
  ['the one at home after those of the project', { [OWN]: [SAT], [HOME]: WITH_OPTIONS }, null, OPTIONS],
  ['the one of OPENCODE_CONFIG_DIR after all others', { [HOME]: WITH_OPTIONS, [DIR]: [SAT] }, DIR, {}],
]

test.each(CASES)('several entries: %s', async (_, { OFF, ...files }, counts, options) => {
  const folder = mkdtempSync(join(scratch, 'case-'))
  const directory = join(folder, 'project')
  for (const [name, plugin] of Object.entries(files)) {
    writeFileAt(join(directory, name), `{ // a comment\n"plugin": ${JSON.stringify(plugin)},}`)
  }
  const own = { XDG_CONFIG_HOME: folder, OPENCODE_TEST_HOME: join(folder, 'home') }
  const off = OFF ? { OPENCODE_DISABLE_PROJECT_CONFIG: '1' } : {}
  const env = { ...own, OPENCODE_CONFIG_DIR: join(folder, 'dir'), ...off }
  const { active, faults } = await checkSetup({ directory, worktree: folder, version: '1.18.33', env })
  expect(active?.options ?? {}).toEqual(options)
  expect(faults.map(({ why }) => why)).toEqual(counts ? [`${join(directory, counts)} counts`] : [])
})

test('an invalid option and an old host are reported, with the config', async () => {
  const folder = join(scratch, 'wrong')
  writeFileAt(join(folder, ROOT), JSON.stringify({ plugin: [[SAT, { debg: 1 }]] }))
  const check = async (version: string, OPENCODE_CONFIG_DIR: string, loaded?: PluginEntry) =>
    (await checkSetup({ directory: SAT, worktree: SAT, version, loaded, env: { OPENCODE_CONFIG_DIR } }))
      .faults
  const faults = await check('1.3.2', folder)
  expect(faults.map(({ title }) => title)).toEqual(['OpenCode 1.3.2', 'option debg'])
  expect(faults[1]?.note).toContain('did you mean')
  const loaded = { config: '', index: 0, target: SAT, options: { rulez: {} } }
  expect(await check('1.18.33', join(scratch, 'none'), loaded)).toMatchObject([{ title: 'option rulez' }])
})

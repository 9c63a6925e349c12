import { expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { join, relative } from 'node:path'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { homeFolder } from '../paths/user-folders.ts'
import { readSetup } from './setup.ts'

const scratch = scratchFolder()

const FOLDERS = { sat: 'opencode-sat', 'other/opencode-sat': 'opencode-sat', another: 'another' }
for (const [folder, name] of Object.entries(FOLDERS)) {
  writeFileAt(join(scratch, folder, 'package.json'), JSON.stringify({ name }))
}

const SAT = join(scratch, 'sat')
const OPTIONS = { debug: true }
const WITH_OPTIONS = [[SAT, OPTIONS]]
const WITH_TILDE = `~/${relative(homeFolder(), SAT)}`
const BY_NAME = [['opencode-sat', OPTIONS]]

// Paths of configs relative to the project, in the order in which the host reads them.
const GLOBAL = '../opencode/opencode.json'
const PROJECT = 'opencode.json'
const INNER = '.opencode/opencode.jsonc'
const OUTER = '../.opencode/opencode.json'
const HOME = '../home/.opencode/opencode.json'
const CONFIG_DIR = '../dir/opencode.json'

const withInner = (entry: string) => ({ [PROJECT]: WITH_OPTIONS, [INNER]: [entry] })

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
    SAT_DIR: SAT,
    ...variables,
  }
  return { directory, ...await readSetup({ directory, worktree: folder, hostVersion: '1.18.33', env }) }
}

type Case = [which: string, pluginsByConfig: object, activeConfig: string, options: object | undefined]

test.each<Case>([
  ['the later, if their paths are equal,', withInner(SAT), INNER, undefined],
  ['the first, if their folders differ,', withInner('../../../other/opencode-sat'), PROJECT, OPTIONS],
  ['the one in the outer .opencode', { [INNER]: [[SAT, {}]], [OUTER]: WITH_OPTIONS }, OUTER, OPTIONS],
  ['the one in OPENCODE_CONFIG_DIR', { [HOME]: WITH_OPTIONS, [CONFIG_DIR]: [SAT] }, CONFIG_DIR, undefined],
  // The host treats `/a`, `/a/` and `~/a` as different targets, but not `../a` and `../a/`.
  ['the absolute path, not the one with `~`,', withInner(WITH_TILDE), PROJECT, OPTIONS],
  ['the one without a final `/`', withInner(`${SAT}/`), PROJECT, OPTIONS],
  ['the relative one with a final `/`', withInner('../../../sat/'), INNER, undefined],
  ['the path that a variable names', withInner('{env:SAT_DIR}'), INNER, undefined],
])('of two entries, %s is active, and the other is reported', async (_, pluginsByConfig, name, options) => {
  const { directory, active, faults } = await setupWith(pluginsByConfig)
  const config = join(directory, name)
  expect([active?.config, active?.options]).toEqual([config, options])
  expect(faults.map(({ why }) => why)).toEqual([`${config} is used`])
})

test.each<Case>([
  ['the later of a URL and its path', { [PROJECT]: [`file://${SAT}`], [HOME]: WITH_OPTIONS }, HOME, OPTIONS],
  ['the later, if both name the package,', { [GLOBAL]: ['opencode-sat@1'], [HOME]: BY_NAME }, HOME, OPTIONS],
  ["the one at home, not the project's", { [INNER]: [SAT], [HOME]: WITH_OPTIONS }, HOME, OPTIONS],
])('of two entries, %s is active, and no fault is reported', async (_, pluginsByConfig, name, options) => {
  const { directory, active, faults } = await setupWith(pluginsByConfig)
  expect([active?.config, active?.options]).toEqual([join(directory, name), options])
  expect(faults).toEqual([])
})

test('entries of other plugins are never active', async () => {
  const plugins = [join(scratch, 'another'), 'x', 5, null, ['y', OPTIONS], '{env:UNSET}']
  const { active, faults } = await setupWith({ [PROJECT]: plugins })
  expect(active).toBeUndefined()
  expect(faults).toEqual([])
})

test('no entry of a project is active if project configs are off', async () => {
  const { active } = await setupWith({ [PROJECT]: WITH_OPTIONS }, { OPENCODE_DISABLE_PROJECT_CONFIG: '1' })
  expect(active).toBeUndefined()
})

import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { checkSetup } from './plugin-entries.ts'

const scratch = scratchFolder()

for (const clone of ['sat', 'other/opencode-sat']) {
  writeFileAt(join(scratch, clone, 'package.json'), '{ "name": "opencode-sat" }')
  writeFileAt(join(scratch, clone, 'index.js'))
}
writeFileAt(join(scratch, 'another/package.json'), '{ "name": "another" }')

const SAT = join(scratch, 'sat')
const OPTIONS = { debug: true }

const ROOT = 'opencode.json'
const OWN = '.opencode/opencode.json'
const OTHERS = [join(scratch, 'another'), 'x', 5, null, ['another@1', OPTIONS]]
const CLONE = { [ROOT]: [[SAT, OPTIONS]], '.opencode/opencode.jsonc': ['../../other/opencode-sat'] }
const PACKAGE = { '../config/opencode.json': ['opencode-sat@0.1.0'], [ROOT]: [['opencode-sat', OPTIONS]] }

/** Plugin lists by their config; which one counts, by its place in the list; whether it has the options. */
const CASES: Array<
  [name: string, configs: Record<string, Array<unknown>>, counts: string | null, options: object]
> = [
  ['none', { [ROOT]: OTHERS }, null, {}],
  ['one', { [ROOT]: [[SAT, OPTIONS]] }, null, OPTIONS],
  ['the later one of the same folder', { [ROOT]: [[SAT, OPTIONS]], [OWN]: [SAT] }, OWN, {}],
  ['of two folders the first', CLONE, ROOT, OPTIONS],
  ['a path and a URL', { [ROOT]: [`file://${SAT}`], [OWN]: [[SAT, OPTIONS]] }, null, OPTIONS],
  ['a package, globally', PACKAGE, null, OPTIONS],
]

test.each(CASES)('several entries: %s', async (_, configs, counts, options) => {
  const directory = mkdtempSync(join(scratch, 'project-'))
  rmSync(join(scratch, 'config'), { recursive: true, force: true })
  for (const [name, plugin] of Object.entries(configs)) {
    writeFileAt(join(directory, name), `{ // a comment\n"plugin": ${JSON.stringify(plugin)},}`)
  }
  const env = { OPENCODE_CONFIG_DIR: join(scratch, 'config') }
  const setup = await checkSetup({ directory, worktree: directory, version: '1.18.33', env })
  expect(setup.options).toEqual(options)
  expect(setup.faults.map(({ why }) => why)).toEqual(
    counts === null ? [] : [`${join(directory, counts)} counts`],
  )
})

test('an invalid option and an old host are reported, with the config', async () => {
  const env = {
    OPENCODE_CONFIG_DIR: join(scratch, 'none'),
    OPENCODE_CONFIG_CONTENT: JSON.stringify({ plugin: [[SAT, { debg: 1 }]] }),
  }
  const { faults } = await checkSetup({ directory: SAT, worktree: SAT, version: '1.3.2', env })
  expect(faults.map(({ title }) => title)).toEqual(['OpenCode 1.3.2', 'option debg'])
  expect(faults[1]?.note).toContain('did you mean')
})

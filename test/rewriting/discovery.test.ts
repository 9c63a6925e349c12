/** discover-rules shows the instruction files that the host loads, in the host's order where it is fixed. */
import { afterAll, expect, test } from 'bun:test'
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { hostViewOf } from '../../src/host/host-view.ts'
import { sharedHost } from '../harness/host.ts'
import { writeFileAt } from '../harness/scratch.ts'
import { story } from '../harness/story.ts'
import { discoverIn, expectSame, LAYOUTS, ORDERED, playLayout } from './layouts.ts'

const written: Array<string> = []
afterAll(() => written.forEach((path) => rmSync(path)))

/** Writes a file into the home of the shared host, where it stays until the last of these tests; returns its path. */
const writeIntoHome = (path: string): string => {
  written.push(path)
  writeFileAt(path, path)
  return path
}

story('discover-rules shows what the host loads, in the same order where the order is fixed', async () => {
  const host = await sharedHost()
  for (const path of ['home.md', 'homes/h1.md', 'homes/.h2.md']) writeIntoHome(join(host.home, path))
  const claude = writeIntoHome(join(host.home, '.claude/CLAUDE.md'))
  const played = await Promise.all(LAYOUTS.map((layout) => playLayout(host, layout)))
  for (const [index, comparisons] of played.entries()) {
    const isOrdered = LAYOUTS[index]!.entries.every((entry) => ORDERED.includes(entry))
    for (const [removal, comparison] of comparisons.entries()) {
      expectSame(comparison, { index, removal })
      if (isOrdered) expect(comparison.found).toEqual(comparison.loaded)
    }
  }
  // Enough comparisons are about several files.
  expect(played.flat().filter(({ loaded }) => loaded.length > 3).length).toBeGreaterThan(9)
  expect(played[0]![0]!.found).toContain(claude)

  // The AGENTS.md of the person replaces their CLAUDE.md.
  const agents = writeIntoHome(join(host.home, 'config/opencode/AGENTS.md'))
  const linked = join(host.home, 'linked-project')
  const files = { 'CLAUDE.md': 'project', 'CONTEXT.md': 'context', 'x.md': 'x' }
  const project = host.project({ files, config: { instructions: ['x.md'] }, git: true })
  symlinkSync(project.directory, linked)
  const comparison = await discoverIn(await host.project({ directory: linked }).session())
  expectSame(comparison, 'a session in a linked folder')
  expect(comparison.found).toEqual([agents, ...['CLAUDE.md', 'x.md'].map(project.path)])
})

test('the global AGENTS.md is in the config folder that the environment names', () => {
  const { globalFiles = [] } = hostViewOf({}, {}, { OPENCODE_CONFIG_DIR: '/own' })
  expect(globalFiles[0]).toBe('/own/AGENTS.md')
})

test.each([['a.md', ['a.md']], [['a.md', 5, null], ['a.md']], [7, []]])(
  'of the instructions %j, which another plugin set, these are used: %j',
  (instructions, used) => expect(hostViewOf({}, { instructions } as object).instructions).toEqual(used),
)

test.each([
  [{}, true],
  [{ OPENCODE_DISABLE_CLAUDE_CODE: 'true' }, false],
  [{ OPENCODE_DISABLE_CLAUDE_CODE_PROMPT: 'yes' }, false],
  [{ OPENCODE_DISABLE_CLAUDE_CODE: 'false' }, true],
])('with the environment %j, the CLAUDE.md of person and project are used: %p', (env, isUsed) => {
  const { globalFiles = [], projectNames = [] } = hostViewOf({}, {}, env)
  const used = [...globalFiles, ...projectNames].filter((name) => name.endsWith('CLAUDE.md'))
  expect(used).toHaveLength(isUsed ? 2 : 0)
})

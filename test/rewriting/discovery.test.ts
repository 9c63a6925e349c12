/** Compares the instruction files that the host loads with the files that discover-rules shows. */
import { afterAll, expect, test } from 'bun:test'
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { hostViewOf } from '../../src/host/host-view.ts'
import { sharedHost } from '../harness/host.ts'
import { writeFileAt } from '../harness/scratch.ts'
import { story } from '../harness/story.ts'
import { discoverIn, expectSame, LAYOUTS, ORDERED_ENTRIES, playLayout } from './layouts.ts'

const written: Array<string> = []
afterAll(() => written.forEach((path) => rmSync(path)))

const writeIntoHome = (path: string): string => {
  written.push(path)
  writeFileAt(path, path)
  return path
}

story('in each layout and a linked folder, discover-rules shows the files that the host loads', async () => {
  const host = await sharedHost()
  for (const path of ['home.md', 'homes/h1.md', 'homes/.h2.md']) writeIntoHome(join(host.home, path))
  const claude = writeIntoHome(join(host.home, '.claude/CLAUDE.md'))
  const played = await Promise.all(LAYOUTS.map((layout) => playLayout(host, layout)))
  for (const [layoutIndex, comparisons] of played.entries()) {
    const isOrdered = LAYOUTS[layoutIndex]!.entries.every((entry) => ORDERED_ENTRIES.includes(entry))
    for (const [removalIndex, comparison] of comparisons.entries()) {
      expectSame(comparison, `layout ${layoutIndex}, removal ${removalIndex}`)
      if (isOrdered) expect(comparison.found).toEqual(comparison.loaded)
    }
  }
  // Many layouts must load several files, or the comparison proves little.
  expect(played.flat().filter(({ loaded }) => loaded.length > 3).length).toBeGreaterThan(9)
  expect(played[0]![0]!.found).toContain(claude)

  // From here on, the host loads this AGENTS.md instead of the person's CLAUDE.md.
  const agents = writeIntoHome(join(host.home, 'config/opencode/AGENTS.md'))
  const linked = join(host.home, 'linked-project')
  const files = { 'CLAUDE.md': 'project', 'CONTEXT.md': 'context', 'x.md': 'x' }
  const project = host.project({ files, config: { instructions: ['x.md'] }, git: true })
  symlinkSync(project.directory, linked)
  const comparison = await discoverIn(await host.project({ directory: linked }).session())
  expectSame(comparison, 'a session in a linked folder')
  expect(comparison.found).toEqual([agents, ...['CLAUDE.md', 'x.md'].map(project.path)])
})

test('OPENCODE_CONFIG_DIR names the folder of the global AGENTS.md', () => {
  const { globalFiles = [] } = hostViewOf({}, {}, { OPENCODE_CONFIG_DIR: '/own' })
  expect(globalFiles[0]).toBe('/own/AGENTS.md')
})

test.each([['a.md', ['a.md']], [['a.md', 5, null], ['a.md']], [7, []]])(
  'if another plugin sets `instructions` to %j, these entries are used: %j',
  (instructions, used) => expect(hostViewOf({}, { instructions } as object).instructions).toEqual(used),
)

test.each([
  [{}, true],
  [{ OPENCODE_DISABLE_CLAUDE_CODE: 'true' }, false],
  [{ OPENCODE_DISABLE_CLAUDE_CODE_PROMPT: 'yes' }, false],
  [{ OPENCODE_DISABLE_CLAUDE_CODE: 'false' }, true],
])('in the environment %j, the CLAUDE.md files of the person and the project are used: %p', (env, isUsed) => {
  const { globalFiles = [], projectNames = [] } = hostViewOf({}, {}, env)
  const used = [...globalFiles, ...projectNames].filter((name) => name.endsWith('CLAUDE.md'))
  expect(used).toHaveLength(isUsed ? 2 : 0)
})

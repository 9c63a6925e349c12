/** discover-rules shows the instruction files that the host loads, in the host's order. */
import { afterAll, expect, test } from 'bun:test'
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { hostViewOf } from '../../src/host/host-view.ts'
import { sharedHost } from '../harness/host.ts'
import { writeFileAt } from '../harness/scratch.ts'
import { story } from '../harness/story.ts'
import { discoverIn, expectSame, LAYOUTS, ORDERED, playLayout } from './layouts.ts'

// The person's own files, which the shared host has while this file runs.
const own: Array<string> = []
afterAll(() => own.forEach((path) => rmSync(path)))
const writeOwn = (path: string): string => {
  own.push(path)
  writeFileAt(path, path)
  return path
}

story("discover-rules shows what the host loads, in the host's order", async () => {
  const host = await sharedHost()
  for (const path of ['home.md', 'homes/h1.md', 'homes/.h2.md']) writeOwn(join(host.home, path))
  const claude = writeOwn(join(host.home, '.claude/CLAUDE.md'))
  const played = await Promise.all(LAYOUTS.map((layout) => playLayout(host, layout)))
  for (const [index, comparisons] of played.entries()) {
    const { entries } = LAYOUTS[index]!
    for (const [state, comparison] of comparisons.entries()) {
      expectSame(comparison, { index, state })
      if (entries.every((entry) => ORDERED.includes(entry))) {
        expect(comparison.found).toEqual(comparison.loaded)
      }
    }
  }
  expect(played.flat().filter(({ loaded }) => loaded.length > 3).length).toBeGreaterThan(9)
  expect(played[0]![0]!.found).toContain(claude)

  const inItsPlace = writeOwn(join(host.home, 'config/opencode/AGENTS.md'))
  const linked = join(host.home, 'linked-project')
  const files = { 'CLAUDE.md': 'project', 'CONTEXT.md': 'context', 'x.md': 'x' }
  const project = host.project({ files, config: { instructions: ['x.md'] }, git: true })
  symlinkSync(project.directory, linked)
  const comparison = await discoverIn(await host.project({ directory: linked }).session())
  expectSame(comparison, 'a session in a linked folder')
  expect(comparison.found).toEqual([inItsPlace, ...['CLAUDE.md', 'x.md'].map(project.path)])
})

test('the global AGENTS.md is in the config folder that the environment names', () => {
  const { globalFiles: [first] = [] } = hostViewOf({}, {}, { OPENCODE_CONFIG_DIR: '/own' })
  expect(first).toBe('/own/AGENTS.md')
})

test.each([['a.md', ['a.md']], [['a.md', 5, null], ['a.md']], [7, []]])(
  'of the instructions %j, which another plugin set, these are used: %j',
  (instructions, counted) => {
    expect(hostViewOf({}, { instructions } as object).instructions).toEqual(counted)
  },
)

test.each([
  [{}, true],
  [{ OPENCODE_DISABLE_CLAUDE_CODE: 'true' }, false],
  [{ OPENCODE_DISABLE_CLAUDE_CODE_PROMPT: 'yes' }, false],
  [{ OPENCODE_DISABLE_CLAUDE_CODE: 'false' }, true],
])('with the environment %j CLAUDE.md is used: %j', (env, isRead) => {
  const { globalFiles, projectNames } = hostViewOf({}, {}, env)
  const names = [...globalFiles ?? [], ...projectNames ?? []]
  expect(names.filter((name) => name.endsWith('CLAUDE.md'))).toHaveLength(isRead ? 2 : 0)
})

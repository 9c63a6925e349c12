import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pMap from 'p-map'
import { hostViewOf } from '../../src/host/instruction-files.ts'
import { type Host, startHost, writeInto } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { discoverIn, drawLayouts, expectSame, type Layout, playLayout } from './layouts.ts'

// What a wildcard finds in several folders, or braces name, comes as the disk answers, for the host as for us.
const hasOrder = ({ entries }: Layout): boolean =>
  entries.every((entry) => /^[<~]/.test(entry) || !/\*\*|\*\/|\{.*,/.test(entry))

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sat-config-')))
let host: Host | undefined
afterAll(async () => {
  await host?.stop()
  rmSync(folder, { recursive: true })
})

story(
  "discover-rules shows what the host loads, in the host's order, over 18 drawn layouts, with a config folder and a config file of its own",
  async () => {
    const byFolder = join(folder, 'by-folder.md')
    writeInto(folder, {
      'more.json': '{"instructions": ["y.md"]}',
      'by-folder.md': 'by the folder',
      '.opencode/opencode.json': JSON.stringify({ instructions: [byFolder] }),
    })
    const env = {
      OPENCODE_CONFIG: join(folder, 'more.json'),
      OPENCODE_CONFIG_DIR: join(folder, '.opencode'),
      SAT_TEST_ENTRY: 'env.md',
    }
    const own = host = await startHost({ env })
    writeInto(own.home, {
      'home.md': 'home',
      'homes/h1.md': 'h1',
      'homes/.h2.md': 'h2',
      '.claude/CLAUDE.md': 'global',
      'config/opencode/AGENTS.md': 'not in the config folder',
    })
    const layouts = drawLayouts(6)
    const played = await pMap(layouts, (layout) => playLayout(own, layout), { concurrency: 4 })
    for (const [index, comparisons] of played.entries()) {
      for (const [state, comparison] of comparisons.entries()) {
        const layout = layouts[index]!
        expectSame(comparison, { config: layout.config, state })
        if (hasOrder(layout)) expect(comparison.found).toEqual(comparison.loaded)
      }
    }
    expect(played.flat().filter(({ loaded }) => loaded.length > 3).length).toBeGreaterThan(9)
    expect(played[0]![0]!.found).toContain(join(own.home, '.claude/CLAUDE.md'))

    writeInto(folder, { '.opencode/AGENTS.md': 'of the folder' })
    const linked = join(own.home, 'linked-project')
    const files = { 'CLAUDE.md': 'project', 'CONTEXT.md': 'context', 'x.md': 'x', 'y.md': 'y' }
    const project = own.project({ files, config: { instructions: ['x.md'] }, git: true })
    symlinkSync(project.directory, linked)
    const comparison = await discoverIn(await own.project({ directory: linked }).session())
    expectSame(comparison, 'a session in a linked folder')
    expect(comparison.found).toEqual([
      join(folder, '.opencode/AGENTS.md'),
      ...['CLAUDE.md', 'y.md', 'x.md'].map(project.path),
      byFolder,
    ])
  },
)

test.each([
  [{}, true],
  [{ OPENCODE_DISABLE_CLAUDE_CODE: 'true' }, false],
  [{ OPENCODE_DISABLE_CLAUDE_CODE_PROMPT: 'yes' }, false],
  [{ OPENCODE_DISABLE_CLAUDE_CODE: 'false' }, true],
])('whether CLAUDE.md counts where the environment has %j: %j', (env, isRead) => {
  const { globalFiles, projectNames } = hostViewOf({}, {}, env)
  const names = [...globalFiles ?? [], ...projectNames ?? []]
  expect(names.filter((name) => name.endsWith('CLAUDE.md'))).toHaveLength(isRead ? 2 : 0)
})

import { expect, test } from 'bun:test'
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pMap from 'p-map'
import { hostViewOf } from '../../src/host/instruction-files.ts'
import { type Host, startHost, writeInto } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { discoverIn, drawLayouts, expectSame, type Layout, playLayout } from './layouts.ts'

/** Tells a story in a host of its own, whose environment names files in a folder. */
const withHost = async (
  env: (folder: string) => Record<string, string>,
  tell: (host: Host, folder: string) => Promise<void>,
) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sat-config-')))
  writeInto(folder, { 'more.json': '{"instructions": ["y.md"]}' })
  const host = await startHost({ env: { OPENCODE_CONFIG: join(folder, 'more.json'), ...env(folder) } })
  try {
    await tell(host, folder)
  } finally {
    await host.stop()
    rmSync(folder, { recursive: true })
  }
}

// What a wildcard finds in several folders, or braces name, comes as the disk answers, for the host as for us.
const hasOrder = ({ entries }: Layout): boolean =>
  entries.every((entry) => /^[<~]/.test(entry) || !/\*\*|\*\/|\{.*,/.test(entry))

const FILES = { 'CLAUDE.md': 'project', 'CONTEXT.md': 'context', 'x.md': 'x', 'y.md': 'y' }
const CONFIG = { instructions: ['x.md'] }

story(
  "discover-rules shows what the host loads, in the host's order, over 18 drawn layouts, with a config folder and a config file of its own",
  () =>
    withHost(
      (folder) => ({ SAT_TEST_ENTRY: 'env.md', OPENCODE_CONFIG_DIR: join(folder, '.opencode') }),
      async (host, folder) => {
        writeInto(host.home, {
          'home.md': 'home',
          'homes/h1.md': 'h1',
          'homes/.h2.md': 'h2',
          '.claude/CLAUDE.md': 'global',
          'config/opencode/AGENTS.md': 'not in the config folder',
        })
        const byFolder = join(folder, 'by-folder.md')
        writeInto(folder, {
          'by-folder.md': 'by the folder',
          '.opencode/opencode.json': JSON.stringify({ instructions: [byFolder] }),
        })
        const layouts = drawLayouts(6)
        const played = await pMap(layouts, (layout) => playLayout(host, layout), { concurrency: 4 })
        for (const [index, comparisons] of played.entries()) {
          for (const [state, comparison] of comparisons.entries()) {
            const layout = layouts[index]!
            expectSame(comparison, { config: layout.config, state })
            if (hasOrder(layout)) expect(comparison.found).toEqual(comparison.loaded)
          }
        }
        expect(played.flat().filter(({ loaded }) => loaded.length > 3).length).toBeGreaterThan(9)
        expect(played[0]![0]!.found).toContain(join(host.home, '.claude/CLAUDE.md'))

        writeInto(folder, { '.opencode/AGENTS.md': 'of the folder' })
        const linked = join(host.home, 'linked-project')
        const project = host.project({ files: FILES, config: CONFIG, git: true })
        symlinkSync(project.directory, linked)
        const comparison = await discoverIn(await host.project({ directory: linked }).session())
        expectSame(comparison, 'a session in a linked folder')
        expect(comparison.found).toEqual([
          join(folder, '.opencode/AGENTS.md'),
          ...['CLAUDE.md', 'y.md', 'x.md'].map(project.path),
          byFolder,
        ])
      },
    ),
)

story(
  'discover-rules shows what a host loads without project config, and no CLAUDE.md in the prompt',
  () =>
    withHost(
      () => ({ OPENCODE_DISABLE_PROJECT_CONFIG: '1', OPENCODE_DISABLE_CLAUDE_CODE_PROMPT: 'yes' }),
      async (host) => {
        const paths = ['config/opencode/AGENTS.md', 'config/opencode/y.md', '.claude/CLAUDE.md']
        writeInto(host.home, Object.fromEntries(paths.map((path) => [path, path])))
        const project = host.project({ files: FILES, config: CONFIG, git: true })
        const comparison = await discoverIn(await project.session())
        expectSame(comparison, 'no project config')
        expect(comparison.found).toEqual(paths.slice(0, 2).map((path) => join(host.home, path)))
      },
    ),
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

import { expect } from 'bun:test'
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pMap from 'p-map'
import { type Host, startHost } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { type Comparison, discoverIn, drawLayouts, type Layout, playLayout } from './layouts.ts'

const withHost = async (options: Parameters<typeof startHost>[0], tell: (host: Host) => Promise<void>) => {
  const host = await startHost(options)
  try {
    await tell(host)
  } finally {
    await host.stop()
  }
}

const expectSame = ({ loaded, found, answer }: Comparison, what: unknown): void => {
  expect({ what, answer, found: found.toSorted() }).toEqual({ what, answer, found: loaded.toSorted() })
}

// What a wildcard finds in several folders, or braces name, comes as the disk answers, for the host as for us.
const hasOrder = ({ entries }: Layout): boolean =>
  entries.every((entry) => /^[<~]/.test(entry) || !/\*\*|\*\/|\{.*,/.test(entry))

const putHome = (host: Host, files: Record<string, string>) => host.project({ directory: host.home, files })

story(
  "discover-rules shows what the host loads, in the host's order, over 18 drawn layouts",
  () =>
    withHost({ env: { SAT_TEST_ENTRY: 'env.md' } }, async (host) => {
      putHome(host, {
        'home.md': 'home',
        'homes/h1.md': 'h1',
        'homes/.h2.md': 'h2',
        '.claude/CLAUDE.md': 'global',
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
      expect(played.flat().filter(({ loaded }) => loaded.length > 2).length).toBeGreaterThan(9)

      putHome(host, { 'config/opencode/AGENTS.md': 'more global' })
      const linked = join(host.home, 'linked-project')
      const project = host.project({
        files: { 'AGENTS.md': 'a', 'it.md': 'b' },
        config: { instructions: ['*.md'] },
        git: true,
      })
      symlinkSync(project.directory, linked)
      const comparison = await discoverIn(await host.project({ directory: linked }).session())
      expectSame(comparison, 'a session in a linked folder')
      expect(comparison.found).toContain(join(host.home, 'config/opencode/AGENTS.md'))
      expect(comparison.found).not.toContain(join(host.home, '.claude/CLAUDE.md'))
    }),
)

const FILES = {
  'CLAUDE.md': 'project',
  'CONTEXT.md': 'context',
  'x.md': 'x',
  'y.md': 'y',
  'opencode.json': '{"instructions": ["x.md"]}',
}

const HOSTS: Array<{ name: string; env: (folder: string) => Record<string, string>; found: Array<string> }> =
  [
    {
      name: 'a config folder and a config file of its own, no CLAUDE.md',
      env: (folder) => ({
        OPENCODE_CONFIG_DIR: join(folder, '.opencode'),
        OPENCODE_CONFIG: join(folder, 'more.json'),
        OPENCODE_DISABLE_CLAUDE_CODE: 'true',
      }),
      found: ['folder/.opencode/AGENTS.md', 'CONTEXT.md', 'y.md', 'x.md', 'folder/by-folder.md'],
    },
    {
      name: 'no project config, no CLAUDE.md in the prompt',
      env: (folder) => ({
        OPENCODE_CONFIG: join(folder, 'more.json'),
        OPENCODE_DISABLE_PROJECT_CONFIG: '1',
        OPENCODE_DISABLE_CLAUDE_CODE_PROMPT: 'yes',
      }),
      found: ['home/config/opencode/AGENTS.md', 'home/config/opencode/y.md'],
    },
  ]

for (const { name, env, found } of HOSTS) {
  story(`discover-rules shows what a host loads that its environment has given: ${name}`, async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sat-config-')))
    try {
      await withHost({ env: env(folder) }, async (host) => {
        host.project({
          directory: folder,
          files: {
            '.opencode/AGENTS.md': 'of the folder',
            '.opencode/opencode.json': JSON.stringify({ instructions: [join(folder, 'by-folder.md')] }),
            'by-folder.md': 'by the folder',
            'more.json': '{"instructions": ["y.md"]}',
          },
        })
        putHome(host, {
          'config/opencode/AGENTS.md': 'global',
          'config/opencode/y.md': 'y',
          '.claude/CLAUDE.md': 'of another agent',
        })
        const project = host.project({ files: FILES, git: true })
        const comparison = await discoverIn(await project.session())
        expectSame(comparison, name)
        const toName = (path: string) =>
          path.replace(`${project.directory}/`, '').replace(host.home, 'home').replace(folder, 'folder')
        expect(comparison.found.map(toName)).toEqual(found)
      })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
}

/** What needs a host of its own: one that is started again, without project config, and whose disk is full. */
import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHECKOUT, type Host, sharedHost, startHost, writeInto } from '../harness/host.ts'
import { canMount, withDisk } from '../harness/mounts.ts'
import { STORY_TIMEOUT_MS } from '../harness/story.ts'
import { discoverIn, expectSame } from '../rewriting/layouts.ts'
import { edit, seenTexts, startWith, write } from './session.ts'

const SPACES = "sed -i 's/ *= */ = /' {path}"

/** Cuts its file off and fails; before that it fills the disk on which it runs. */
const CUT = 'head -c 20 {path} > cut; cat cut > {path}; cat /dev/zero > full; exit 1'

/** Puts what the host of one home has stored into another, where a host that starts there finds it. */
const copyStore = (from: string, to: string): void => {
  const [old, fresh] = [from, to].map((home) => join(home, 'data', 'opencode', 'opencode.db'))
  mkdirSync(join(to, 'data', 'opencode'), { recursive: true })
  using store = new Database(old!, { readonly: true })
  store.run('VACUUM INTO ?', [fresh!])
}

const home = mkdtempSync(join(tmpdir(), 'sat-restart-'))
let restarted: Host | undefined
afterAll(async () => {
  await restarted?.stop()
  rmSync(home, { recursive: true, force: true })
})

test.serial('corrections hold in a fork, after a restart and without the plugin', async () => {
  const says = ['a = 1\n', 'k = 2']
  const { project, session } = await startWith({
    plugin: [[CHECKOUT, { format_on_save: { '*.js': SPACES } }]],
  }, { files: { 'keep.js': 'k = 1\n' } })
  await session.turn('go', [write(project, 'x.js', 'a=1\n'), edit(project, 'keep.js', 'k = 1', 'k=2')])
  const fork = await project.http<{ id: string }>('POST', `/session/${session.id}/fork`, {})
  expect(seenTexts(await project.resume(fork.id).turn('go on', 'yes'))).toEqual(says)

  copyStore((await sharedHost()).home, home)
  project.write('opencode.json', '{}')
  await project.http('POST', '/instance/dispose')
  const bare = await session.turn('go on', 'yes')
  expect(JSON.stringify(bare.requests[0]!.tools)).not.toContain('discover-rules')
  expect(seenTexts(bare)).toEqual(says)

  writeInto(home, { 'more.json': '{"instructions": ["y.md"]}' })
  restarted = await startHost({
    home,
    plugin: [[CHECKOUT, { format_on_save: { 'cut.js': CUT } }]],
    env: {
      OPENCODE_CONFIG: join(home, 'more.json'),
      OPENCODE_DISABLE_PROJECT_CONFIG: '1',
      OPENCODE_DISABLE_CLAUDE_CODE_PROMPT: 'yes',
    },
  })
  const again = restarted.project({ directory: project.directory }).resume(session.id)
  expect(seenTexts(await again.turn('go on', 'yes'))).toEqual(says)
}, STORY_TIMEOUT_MS)

test.serial(
  'discover-rules shows what a host loads without project config, and no CLAUDE.md in the prompt',
  async () => {
    const paths = ['config/opencode/AGENTS.md', 'config/opencode/y.md', '.claude/CLAUDE.md']
    writeInto(home, Object.fromEntries(paths.map((path) => [path, path])))
    const files = { 'CLAUDE.md': 'project', 'CONTEXT.md': 'context', 'x.md': 'x', 'y.md': 'y' }
    const there = restarted!.project({ files, config: { instructions: ['x.md'] }, git: true })
    const comparison = await discoverIn(await there.session())
    expectSame(comparison, 'no project config')
    expect(comparison.found).toEqual(paths.slice(0, 2).map((path) => join(home, path)))
  },
  STORY_TIMEOUT_MS,
)

const LONG = `text=${'long '.repeat(230)}\n`

const fill = (folder: string): void => {
  try {
    for (;;) writeFileSync(join(folder, 'full'), Buffer.alloc(1_000), { flag: 'a' })
  } catch {
    // There is no more room.
  }
}

test.skipIf(!canMount).serial('what a failing formatter cut off is restored on a full disk', async () => {
  const host = restarted!
  const folders = [join(home, 'state', 'opencode-sat'), join(home, 'project')]
  for (const folder of folders) mkdirSync(folder, { recursive: true })
  await withDisk('16k', folders[0]!, () =>
    withDisk('64k', folders[1]!, async () => {
      fill(folders[0]!)
      const project = host.project({ directory: folders[1]! })
      const turn = await (await project.session()).turn('go', write(project, 'cut.js', LONG))
      expect(turn.outputs[0]).toContain('failed (status 1)')
      expect(readFileSync(project.path('cut.js'), 'utf8')).toBe(LONG)
      expect([await project.read('cut'), existsSync(project.path('full'))]).toEqual([LONG.slice(0, 20), true])
    }))
}, STORY_TIMEOUT_MS)

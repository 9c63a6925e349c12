import { Database } from 'bun:sqlite'
import { expect } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHECKOUT, sharedHost, startHost } from '../harness/host.ts'
import { story } from '../harness/story.ts'
import { edit, seenTexts, startWith, write } from './session.ts'

const SPACES = "sed -i 's/ *= */ = /' {path}"

/** Puts what the host of one home has stored into another, where a host that starts there finds it. */
const copyStore = (from: string, to: string): void => {
  const [old, fresh] = [from, to].map((home) => join(home, 'data', 'opencode', 'opencode.db'))
  mkdirSync(join(to, 'data', 'opencode'), { recursive: true })
  using store = new Database(old!, { readonly: true })
  store.run('VACUUM INTO ?', [fresh!])
}

story('corrections hold in a fork, after a restart and without the plugin', async () => {
  const home = mkdtempSync(join(tmpdir(), 'sat-restart-'))
  const says = ['a = 1\n', 'k = 2']

  const { project, session } = await startWith({
    plugin: [[CHECKOUT, { format_on_save: { '*.js': SPACES } }]],
  }, { files: { 'keep.js': 'k = 1\n' } })
  await session.turn('go', write(project, 'x.js', 'a=1\n'), edit(project, 'keep.js', 'k = 1', 'k=2'))
  const fork = await project.http<{ id: string }>('POST', `/session/${session.id}/fork`, {})
  expect(seenTexts(await project.resume(fork.id).turn('go on', 'yes'))).toEqual(says)

  copyStore((await sharedHost()).home, home)
  project.write('opencode.json', '{}')
  const restarted = await startHost({ home, plugin: [] })
  const again = restarted.project({ directory: project.directory, git: false }).resume(session.id)
  expect(seenTexts(await again.turn('go on', 'yes'))).toEqual(says)
  await restarted.stop()
  rmSync(home, { recursive: true, force: true })
})

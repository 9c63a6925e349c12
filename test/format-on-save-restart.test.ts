import { expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { edit, seenTexts, write } from './format-on-save-session.ts'
import { CHECKOUT, startHost } from './host.ts'
import { story } from './story.ts'

const SPACES = "sed -i 's/ *= */ = /' {path}"

story('corrections hold in a fork, after a restart and without the plugin', async () => {
  const scratch = mkdtempSync(join(tmpdir(), 'sat-restart-'))
  const home = join(scratch, 'home')
  const directory = mkdtempSync(join(scratch, 'project-'))
  const says = ['a = 1\n', 'k = 2']

  const first = await startHost({ home, plugin: [[CHECKOUT, { format_on_save: { '*.js': SPACES } }]] })
  const project = first.project({ directory, files: { 'keep.js': 'k = 1\n' } })
  const session = await project.session()
  await session.turn('go', write(project, 'x.js', 'a=1\n'), edit(project, 'keep.js', 'k = 1', 'k=2'))
  const fork = await project.http<{ id: string }>('POST', `/session/${session.id}/fork`, {})
  expect(seenTexts(await project.resume(fork.id).turn('go on', 'yes'))).toEqual(says)
  await first.stop()

  const second = await startHost({ home, plugin: [] })
  const again = second.project({ directory }).resume(session.id)
  expect(seenTexts(await again.turn('go on', 'yes'))).toEqual(says)
  await second.stop()
  rmSync(scratch, { recursive: true, force: true })
})

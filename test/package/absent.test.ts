import { expect } from 'bun:test'
import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CHECKOUT, sharedHost } from '../harness/host.ts'
import { logged } from '../harness/log.ts'
import { story } from '../harness/story.ts'
import { openTerminal, terminalStory } from '../harness/terminal.ts'
import { toastsOf } from '../harness/toasts.ts'

/** A copy of what a fresh clone holds. */
const cloneInto = (folder: string): void => {
  const { stdout } = Bun.spawnSync(['git', 'ls-files'], { cwd: CHECKOUT })
  for (const path of stdout.toString().trim().split('\n')) cpSync(join(CHECKOUT, path), join(folder, path))
}

terminalStory(
  'a clone without its packages says so on the screen and in the log, with the command',
  async () => {
    const clone = realpathSync(mkdtempSync(join(tmpdir(), 'sat-clone-')))
    cloneInto(clone)
    try {
      const host = await sharedHost()
      const project = host.project({
        config: { plugin: [clone] },
        files: { '.opencode/tui.json': JSON.stringify({ plugin: [clone] }) },
      })
      const toasts = await toastsOf(project, host.url)
      const { message, variant } = await toasts.when(/SAT is off/)
      expect(variant).toBe('error')
      expect(message).toContain(`cd "${clone}" && npm install`)
      const { requests, text } = await (await project.session()).turn('hello', 'hi')
      expect(text).toBe('hi')
      expect(requests[0]?.tools.map((tool) => tool.function.name)).not.toContain('discover-rules')
      expect(toasts.shown).toHaveLength(1)
      expect(await logged(host, 'opencode-sat: SAT is off, its packages are not installed', clone))
        .toHaveLength(1)
      await toasts.stop()
      // The toast above is too early for a terminal that starts with its host: its own half says the same.
      const terminal = await openTerminal(host, project, { attached: true })
      await terminal.shows(/SAT is off, its packages are[\s\S]*npm install/)
      await terminal.end()
    } finally {
      rmSync(clone, { recursive: true, force: true })
    }
  },
)

story(
  'a rule that is left out, a folder that is not there and a formatter that fails are each shown once',
  async () => {
    const options = { rules: { directories: ['no/such/folder'] }, format_on_save: { '*.ts': 'exit 3' } }
    const host = await sharedHost()
    const project = host.project({
      config: { plugin: [[CHECKOUT, options]] },
      files: { '.opencode/rules/broken.md': '---\nalwaysApply: perhaps\n---\nnever\n' },
    })
    const toasts = await toastsOf(project, host.url)
    const write = (name: string) => ({
      tool: 'write',
      args: { filePath: project.path(name), content: 'x=1\n' },
    })
    await (await project.session()).turn('write', write('a.ts'), write('b.ts'), 'done')
    await (await project.session()).turn('again', write('a.ts'), 'done')
    for (const words of [/broken\.md:2/, /no\/such\/folder/, /formatter failed \(status 3\): exit 3/]) {
      await toasts.when(words)
      expect(toasts.shown.filter(({ message }) => words.test(message))).toHaveLength(1)
    }
    await toasts.stop()
  },
)

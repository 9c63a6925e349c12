/** What the person is told on the screen. */
import { expect } from 'bun:test'
import { write } from '../formatting/session.ts'
import { CHECKOUT, type Session, sharedHost } from '../harness/host.ts'
import { KEYS, openTerminal, terminalStory } from '../harness/terminal.ts'

const TUI = JSON.stringify({ plugin: [CHECKOUT] })

/** A session in a project of its own, and the terminal that shows it. */
const opened = async (files: Record<string, string>, columns?: number) => {
  const host = await sharedHost()
  const project = host.project({ files: { ...files, '.opencode/tui.json': TUI } })
  const session: Session = await project.session()
  await session.turn('begin', 'Begun.')
  const look = { session: session.id, attached: true, ...(columns === undefined ? {} : { columns }) }
  const terminal = await openTerminal(host, project, look)
  await terminal.shows(/Begun\./)
  return { host, project, session, terminal }
}

terminalStory('a command stands on the screen as it was typed', async () => {
  const { terminal } = await opened({ 'AGENTS.md': 'be nice\n' })
  await using screen = terminal
  screen.type('/add-rule no console.log')
  await screen.shows(/\/add-rule no console\.log/)
  screen.type(KEYS.enter)
  await screen.shows(/┃ {2}\/add-rule no console\.log[^]*Done\./)
  expect(screen.screen()).not.toMatch(/Add the rule|The rule:/)
}, 1)

const NO_ANY = {
  '.opencode/rules/no-any.md': "---\nglobs: src/**\nforbid: ':\\s*any\\b'\n---\nNever use `any`.\n",
}

terminalStory('in a narrow terminal a toast tells at the end of a turn which lines break rules', async () => {
  const { project, session, terminal } = await opened({ ...NO_ANY, 'src/a.ts': 'let a = 1\n' }, 80)
  await using screen = terminal
  expect(screen.screen()).not.toContain('SAT')
  const lines = write(project, 'src/tax.ts', 'let x: any\nlet y: any\n')
  await session.turn('look at src/a.ts', lines, 'Written.')
  await screen.shows(/2 lines break rules: no-any\s*┃?\s*src\/tax\.ts:1/)
}, 1)

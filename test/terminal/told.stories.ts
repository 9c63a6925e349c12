/** What the person is told on the screen. */
import { expect } from 'bun:test'
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

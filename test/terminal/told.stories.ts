/** What the person is told on the screen. */
import { expect } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { write } from '../formatting/session.ts'
import { CHECKOUT, type Session, sharedHost } from '../harness/host.ts'
import { close, command, KEYS, openTerminal, search, showsAll, terminalStory } from '../harness/terminal.ts'

const TUI = JSON.stringify({ plugin: [CHECKOUT] })

/** A session in a project of its own, and the terminal that shows it. */
const opened = async (files: Record<string, string>, look: { columns?: number; editor?: string } = {}) => {
  const host = await sharedHost()
  const project = host.project({ files: { ...files, '.opencode/tui.json': TUI } })
  const session: Session = await project.session()
  await session.turn('begin', 'Begun.')
  const terminal = await openTerminal(host, project, { ...look, session: session.id, attached: true })
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
  const { project, session, terminal } = await opened({ ...NO_ANY, 'src/a.ts': 'let a = 1\n' }, {
    columns: 80,
  })
  await using screen = terminal
  expect(screen.screen()).not.toContain('SAT')
  const lines = write(project, 'src/tax.ts', 'let x: any\nlet y: any\n')
  await session.turn('look at src/a.ts', lines, 'Written.')
  await screen.shows(/2 lines break rules: no-any\s*┃?\s*src\/tax\.ts:1/)
}, 1)

const RULES = ['/rules', /Which rules are in force/] as const

const MANY = Object.fromEntries(
  ['cents', 'price-a', 'price-b', 'price-c', 'zones'].map((
    name,
  ) => [`.opencode/rules/${name}.md`, `${name}!\n`]),
)

const OFF = (name: string) => new RegExp(`${name} switched off.* ctrl\\+o on`)
const ON = (name: string) => new RegExp(`${name} (?:always|switched on).* ctrl\\+o off`)

terminalStory(
  'Ctrl-O stays at its line, filtered or not, and Esc from a text leads back to its line',
  async () => {
    const { terminal } = await opened(MANY)
    await using screen = terminal
    await command(screen, ...RULES)
    await screen.shows(ON('cents'))
    for (const shown of [OFF('cents'), ON('cents'), OFF('cents')]) {
      screen.type(KEYS.ctrlO)
      await screen.shows(shown)
    }
    for (const name of ['price-a', 'zones']) expect(screen.screen()).toMatch(ON(name))
    await search(screen, 'price', /zones/)
    screen.type(KEYS.down)
    await Bun.sleep(300)
    for (const shown of [OFF('price-b'), ON('price-b'), OFF('price-b')]) {
      screen.type(KEYS.ctrlO)
      await screen.shows(shown)
    }
    expect(screen.screen()).toMatch(ON('price-a'))
    screen.type(KEYS.enter)
    await screen.shows(/price-b!/)
    screen.type(KEYS.escape)
    await screen.shows(/zones/)
    await Bun.sleep(300)
    screen.type(KEYS.ctrlO)
    await screen.shows(ON('price-b'))
    screen.type(KEYS.ctrlE)
    await screen.shows(/Its path is copied[^]*price-b\.md/)
  },
  1,
)

terminalStory(
  'a rule file opens in the editor of the person, and an open list shows what changed',
  async () => {
    const editor = join(mkdtempSync(join(tmpdir(), 'sat-editor-')), 'editor.sh')
    writeFileSync(editor, '#!/bin/sh\necho "It edits $1"\nsleep 1\necho "More words." >> "$1"\n', {
      mode: 0o755,
    })
    const { project, session, terminal } = await opened({ ...NO_ANY, 'src/a.ts': 'let a = 1\n' }, { editor })
    await using screen = terminal
    await session.turn('look at src/a.ts', write(project, 'src/tax.ts', 'let x: any\n'), 'Written.')
    await command(screen, ...RULES)
    await search(screen, 'tax', /Search rules.*\n[^]*In force/)
    screen.type(KEYS.enter)
    await showsAll(screen, [/It breaks no-any: let x: any/, /Never use `any`\./, /forbid: :\\s\*any\\b/])
    screen.type(KEYS.escape)
    await search(screen, 'no-any src/a.ts', /How to write/)
    screen.type(KEYS.ctrlE)
    await screen.shows(/It edits .*no-any\.md/)
    await screen.shows(/Rules of this session/)
    expect(await project.read('.opencode/rules/no-any.md')).toEndWith('`any`.\nMore words.\n')
    // Seen while the list is open: a rule for a file that the session has, one whose conditions fail, a fault that goes.
    screen.type(KEYS.ctrlU)
    project.write('.opencode/rules/late.md', '---\nglobs: src/**\n---\nLate.\n')
    project.write('.opencode/rules/plan.md', '---\nagents: plan\n---\nPlan.\n')
    project.write('.opencode/rules/wrong.md', '---\nglob: x\n---\nx\n')
    await showsAll(screen, [
      /late with your next message/,
      /hold.*\n.*plan agents: plan/,
      /Left out.*\n.*wrong\.md:2/,
    ])
    await close(screen, /Rules of this session/)
    await session.turn('go on', 'Going.')
    rmSync(project.path('.opencode/rules/wrong.md'))
    await screen.hides(/wrong\.md/)
    await command(screen, ...RULES)
    await screen.shows(/In force/)
    expect(screen.screen()).not.toContain('wrong.md')
  },
  1,
)

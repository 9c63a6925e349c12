import { expect } from 'bun:test'
import { hostBinary } from './host-process.ts'
import { bareHost, CHECKOUT, type Host, type Session, sharedHost } from './host.ts'
import { KEYS, openTerminal, type Terminal, terminalStory } from './terminal.ts'

const FILES = {
  '.opencode/tui.json': JSON.stringify({ plugin: [CHECKOUT] }),
  '.opencode/rules/style.md': 'Use named exports.\n',
  '.opencode/rules/react.md':
    '---\nglobs: "**/*.tsx"\ndescription: how components are written\n---\nUse hooks.\n',
  '.opencode/rules/sql.md': '---\nglobs: ["*.sql", "db/**"]\n---\nName each column.\n',
  '.opencode/rules/broken.md': '---\nalwaysApply: perhaps\n---\nnever\n',
  'AGENTS.md': 'be nice\n',
  'src/deep/App.tsx': 'let a = 1\n',
}

/** A session that came upon a file with a rule of its own, and in which an instruction file was rewritten. */
const sessionWithRules = async (host: Host): Promise<Session> => {
  const project = host.project({ files: FILES })
  const session = await project.session()
  const rules = JSON.stringify({ rules: ['- be kind'] })
  await session.turn(
    'look at the app',
    { tool: 'read', args: { filePath: project.path('src/deep/App.tsx') } },
    { tool: 'discover-rules' },
    { tool: 'rewrite-rules', args: { rules, mode: 'concise' } },
    'It is small.',
  )
  return session
}

/** Makes a session longer than what the terminal loads of it, without asking the model. */
const addNotes = async ({ id, project }: Session, count: number): Promise<void> => {
  const model = { providerID: 'fake', modelID: 'm' }
  for (let index = 0; index < count; index++) {
    const parts = [{ type: 'text', text: `note ${index}` }]
    await project.http('POST', `/session/${id}/message`, { noReply: true, agent: 'build', model, parts })
  }
}

const open = (host: Host, { id, project }: Session) =>
  openTerminal(host, project, { columns: 150, session: id, attached: true })

/** Runs one of the plugin's commands, known by the words beside it in the prompt's list. */
const command = async (terminal: Terminal, name: string, words: RegExp): Promise<void> => {
  terminal.type(name)
  await terminal.shows(words)
  terminal.type(KEYS.enter)
}

/** Waits until all of it is on the screen, which the terminal draws bit by bit. */
const showsAll = async (terminal: Terminal, all: Array<RegExp>): Promise<void> => {
  for (const words of all) await terminal.shows(words)
}

const checkRules = async (terminal: Terminal): Promise<void> => {
  await command(terminal, '/rules', /Which rules are in force/)
  await showsAll(terminal, [
    /Rules of this session/,
    /In force/,
    /style always +~\d+ tokens/,
    /react since src\/deep\/App\.tsx; how components/,
    /Waiting for a file.*\n.*sql \*\.sql, db\/\*\*/,
    /Left out.*\n[ ┃]+\.opencode\/rules\/broken\.md:2 alwaysApply must be true/,
    /From OpenCode itself.*\n.*AGENTS\.md/,
  ])

  terminal.type('sql')
  await terminal.hides(/react since/)
  terminal.type(KEYS.enter)
  await showsAll(terminal, [
    /Name each column/,
    /Joins when a file in the session matches \*\.sql, db\/\*\*\./,
  ])
  terminal.type(KEYS.escape)
  await terminal.hides(/Name each column/)
}

const checkBackups = async (terminal: Terminal): Promise<void> => {
  await command(terminal, '/rules-backups', /What rewrites replaced/)
  await terminal.shows(/AGENTS\.md 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d +8 bytes/)
  terminal.type(KEYS.enter)
  await showsAll(terminal, [
    /\+be nice/,
    /-- be kind/,
    /To bring it back, send: \/restore-rules AGENTS\.md 0/,
  ])
  expect(terminal.colourOf(/-- be kind/)).not.toBe(terminal.colourOf(/\+be nice/))
  terminal.type(KEYS.escape)
  await terminal.hides(/\+be nice/)
}

terminalStory(
  'the sidebar, /rules and /rules-backups show what the session was sent, at 150 and 80 columns',
  async () => {
    const host = await sharedHost()
    const session = await sessionWithRules(host)
    await addNotes(session, 101)
    const terminal = await open(host, session)
    try {
      await showsAll(terminal, [
        /▼ SAT/,
        /2 rules, about \d+ tokens a request/,
        /• style always +~\d+/,
        /• react src\/deep\/App\.tsx +~\d+/,
        /1 waiting for a file/,
        /! .*broken\.md:2 left out/,
      ])
      expect(terminal.colourOf(/! .*broken/)).not.toBe(terminal.colourOf(/• style/))
      await checkRules(terminal)
      await checkBackups(terminal)

      expect(await terminal.click(/▼ SAT/, /▶ SAT 2 rules/)).not.toContain('• style')
      terminal.resize(80)
      await terminal.hides(/SAT 2 rules/)
      await checkRules(terminal)
      // No model was asked.
      expect(session.requests()).toHaveLength(4)
    } finally {
      await terminal.end()
    }
  },
)

terminalStory(
  'one `opencode plugin` installs both halves; without rules there is no section, with them there is',
  async () => {
    const host = await bareHost()
    const project = host.project({ files: { '.opencode/opencode.json': '{}', '.cursor/rules/x.mdc': 'x' } })
    const install = Bun.spawn([hostBinary(), 'plugin', CHECKOUT], {
      cwd: project.directory,
      env: host.env,
      stdout: 'pipe',
    })
    expect(await new Response(install.stdout).text()).toContain('Detected server + tui targets')
    const terminal = await openTerminal(host, project, { attached: true })
    try {
      await command(terminal, 'hello', /hello/)
      await terminal.shows(/Done\./)
      expect(await terminal.shows(/LSP/)).not.toContain('SAT')
      await command(terminal, '/rules', /Which rules are in force/)
      await showsAll(terminal, [/\.opencode\/rules/, /There is \.cursor\/rules, another tool's/])
      terminal.type(KEYS.escape)
      await terminal.hides(/Rules of this session/)

      project.write('.opencode/rules/style.md', 'Use named exports.\n')
      await command(terminal, 'go on', /go on/)
      await showsAll(terminal, [/• style/, /1 rule, about \d+ tokens a request/])
      expect(terminal.screen()).not.toContain('left out')
    } finally {
      await terminal.end()
    }
  },
)

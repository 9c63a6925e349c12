/** Stories of the sidebar (the panel), `/rules` and `/rules-backups` in a session with rules, on one terminal. */
import { expect } from 'bun:test'
import { rmSync } from 'node:fs'
import { compact, expectCounts, forkSession, read, ruleFile } from '../delivery/session-rules.ts'
import { type Project, type Session, writeInto } from '../harness/host.ts'
import { runCommand, searchList, type Terminal } from '../harness/terminal.ts'
import { packedSpecifier } from '../package/packed.ts'
import { DISCOVER, replace, twice } from '../rewriting/calls.ts'
import { openRules, panelStory, press, showSession, storeMessage, switchThrice } from './panel-terminal.ts'
// The imported stories run first, on the same terminal.
import './panel-setup.stories.ts'

const numbered = [2, 3, 4, 5, 6, 7, 8, 9, 10].map((n) => [`.opencode/rules/rule-${n}.md`, `Number ${n}.\n`])

const FILES = {
  ...Object.fromEntries(numbered),
  // This header has no effect, because it does not begin on line 1.
  '.opencode/rules/rule-1.md': '\n---\nglobs: "*.sql"\n---\nNumber 1.\n',
  '.opencode/rules/style.md': `Use named exports.\n${'\nA line.'.repeat(80)}\n\nThe end of it.\n`,
  '.opencode/rules/react.md': ruleFile('globs: "**/*.tsx"', 'Use hooks.'),
  '.opencode/rules/sql.md': ruleFile('globs: ["*.sql", "db/**"]', 'Name each column.'),
  '.opencode/rules/broken.md': ruleFile('alwaysApply: perhaps'),
  'AGENTS.md': 'be nice\n\nbe quick\n',
  'src/deep/App.tsx': 'let a = 1\n',
  'db/schema.txt': 'x\n',
}

const startWithRules = async (project: Project): Promise<Session> => {
  const options = { format_on_save: { '*.js': 'no-such-formatter --write' } }
  const config = JSON.stringify({ plugin: [[await packedSpecifier(), options]] })
  writeInto(project.directory, { ...FILES, '.opencode/opencode.json': config })
  const session = await project.session()
  const rewriting = twice(replace('AGENTS.md', '- be kind'))
  await session.turn('look at the app', read('src/deep/App.tsx'), DISCOVER, ...rewriting, 'It is small.')
  return session
}

let sessionWithRules: Session

panelStory('the panel shows the faults and first rules of a session', async ({ project, terminal }) => {
  const session = sessionWithRules = await startWithRules(project)
  // The terminal loads only the newest 100 messages, so it does not load the first message, which stores the rules.
  await Promise.all(Array.from({ length: 100 }, () => storeMessage(session, { text: 'a note' })))
  const write = { tool: 'write', args: { filePath: project.path('a.js'), content: 'a\n' } }
  await session.turn('write', write, 'Written.')
  expect((await session.messages()).length).toBeGreaterThan(100)
  await showSession(session)
  await terminal.shows(/Written\./)

  await terminal.showsAll(
    /▼ SAT/,
    /! no folder no\/folder/, // The host started with options that name this folder.
    /! no-such-formatter --write/,
    /! broken\.md:2 left out/,
    /12 rules, ~\d+ tokens a request/,
    /• react src\/deep\/App\.tsx +~\d+/,
    /• rule-1 always[^•]*• rule-2 always[\s\S]*• rule-7 always/,
    /4 more, \/rules/,
    /1 waiting for a file/,
    /AGENTS\.md sent by OpenCode/,
  )
  expect(terminal.screen()).not.toMatch(/• rule-10|• style/)
  const colours = [/! broken/, /• react/, /src\/deep\/App\.tsx +~/].map(terminal.colourOf)
  expect(new Set(colours).size).toBe(3)
  await terminal.click(/• rule-2/, /Always in force\./)
  await terminal.closeDialog(/Always in force\./)
  expect(await terminal.click(/▼ SAT/, /▶ SAT 12 rules ! 3 to fix/)).not.toContain('• rule-1')
  await terminal.click(/▶ SAT/, /▼ SAT/)
})

panelStory('/rules groups the rules, searches them, and shows the text of a rule', async ({ terminal }) => {
  await openRules(terminal)
  await terminal.showsAll(
    /Rules of this session[\s\S]*To fix[\s\S]*no-such-formatter --write was not found/,
    /Left out.*\n[ ┃].*\.opencode\/rules\/broken\.md:2 alwaysApply must be/,
    /In force.*\n.*react src\/deep\/App\.tsx +~\d+ tokens.*\n.*rule-1 a header must begin with --- on line 1/,
  )
  await searchList(terminal, 'sql', /rule-1 /)
  await terminal.shows(/Waiting for a file.*\n.*sql \*\.sql, db\/\*\*/)
  await press(terminal, 'enter', /Name each column/, /Joins when a file .* matches \*\.sql, db\/\*\*/)
  await press(terminal, 'escape')
  await searchList(terminal, 'agents', /rule-10 /)
  await terminal.shows(/From OpenCode itself.*\n.*AGENTS\.md/)
  await terminal.closeDialog(/From OpenCode itself/)
})

panelStory('/rules-backups shows and restores a replaced text', async ({ project, terminal }) => {
  await runCommand(terminal, '/rules-backups', /Bring back what a rewrite replaced/)
  await terminal.shows(/AGENTS\.md 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d before a rewrite, 18 bytes/)
  await press(terminal, 'enter', /- - be kind[\s\S]*\+ be nice[\s\S]*\+ be quick/, /Bring AGENTS\.md back\?/)
  expect(terminal.colourOf(/- - be kind/)).not.toBe(terminal.colourOf(/\+ be nice/))
  await press(terminal, 'enter', /AGENTS\.md is restored/)
  expect(await project.read('AGENTS.md')).toBe(FILES['AGENTS.md'])
  rmSync(project.path('AGENTS.md'))
  terminal.resize(40, 20)
  await runCommand(terminal, '/rules-backups', /Bring/)
  await terminal.shows(/AGENTS\.md 20\d\d-\d\d-\d\d \d\d:\d\d:\d/)
  await press(terminal, 'enter', /Bring AGENTS\.md back\?[\s\S]*Cancel +Confirm/)
  // Restoring a deleted file replaces no text, so the message does not say where the replaced text is.
  await press(terminal, 'enter', /AGENTS\.md is restored\.(?! The)/)
  terminal.resize(150)
  project.write('AGENTS.md', FILES['AGENTS.md'])
  // The session's two turns sent 5 and 2 requests. The person's actions on the terminal sent no request.
  expect(sessionWithRules.requests()).toHaveLength(7)
})

const switchStyle = async (terminal: Terminal, state: 'on' | 'off'): Promise<void> => {
  await openRules(terminal)
  await searchList(terminal, 'style', /rule-2/)
  await switchThrice(terminal, 'style', state)
  await terminal.closeDialog(/Rules of this session/)
}

panelStory('Ctrl-O switches a rule in one session and changes no file', async ({ project, terminal }) => {
  const session = await project.session()
  await session.turn('begin', 'Begun.')
  await showSession(session)
  await terminal.shows(/Begun\./)
  await switchStyle(terminal, 'off')
  await terminal.shows(/1 switched off, \/rules/)
  await session.turn('go on', 'Going.')
  const fork = await forkSession(session)
  await fork.turn('go on', 'Going.')
  await compact(session)
  await session.turn('go on', 'Going.')
  terminal.resize(80)
  await switchStyle(terminal, 'on')
  await session.turn('go on', 'Going.')
  expectCounts(session.requests(), { 'Use named exports.': [1, 0, 0, 1], 'Number 2.': [1, 1, 1, 1] })
  expectCounts(fork.requests(), { 'Use named exports.': [0], 'Number 2.': [1] })
  expect(await project.read('.opencode/rules/style.md')).toBe(FILES['.opencode/rules/style.md'])
  terminal.resize(150)
  await terminal.shows(/▼ SAT/)
})

panelStory("Enter adds another tool's rules to a config, or says why not", async ({ project, terminal }) => {
  await openRules(terminal)
  await searchList(terminal, '.cursor', /In force/)
  await terminal.shows(/Rules of other tools, not read.*\n.*\.cursor\/rules Enter/)
  const config = await project.read('.opencode/opencode.json')
  rmSync(project.path('.opencode/opencode.json'))
  // The dialog may break its text between any two words.
  await press(terminal, 'enter', /cannot[^]*be[^]*read:[^]*by[^]*hand/)
  project.write('.opencode/opencode.json', config)
  await press(terminal, 'escape', /\.cursor\/rules Enter/)
  await press(terminal, 'enter', /\+ +"\.cursor\/rules"/, /Add \.cursor\/rules to rules\.directories\?/)
  await press(terminal, 'enter', /\.cursor\/rules is in rules\.directories now/)
  const { plugin } = JSON.parse(await project.read('.opencode/opencode.json'))
  expect(plugin[0][1].rules.directories).toEqual(['.cursor/rules'])
  await terminal.hides(/Rules of other tools/)
  await terminal.closeDialog(/Rules of this session/)
})

/** Stories of a terminal attached to a host (OpenCode). */
import { expect } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ruleFile, startSession } from '../delivery/session-rules.ts'
import { edit, write } from '../formatting/session.ts'
import { eventually } from '../harness/eventually.ts'
import { CHECKOUT, sharedHost, startHost, writeInto } from '../harness/host.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { inSequence } from '../harness/story.ts'
import { openTerminal, runCommand, searchList, type Terminal, terminalStory } from '../harness/terminal.ts'
import { DISCOVER, replace, twice } from '../rewriting/calls.ts'
import { lineOf, openRules, press, switchThrice } from './panel-terminal.ts'

const scratch = scratchFolder()

const oneByOne = inSequence()

// Several busy terminals may lose keys or events, so stories run one by one, each with one retry.
const screenStory = (name: string, body: () => Promise<void>): void => terminalStory(name, oneByOne(body), 1)

const TUI = JSON.stringify({ plugin: [CHECKOUT] })

const openSession = async (files: Record<string, string>, { editor = '', isLight = false } = {}) => {
  const { project, session } = await startSession({ files: { ...files, '.opencode/tui.json': TUI } })
  await session.turn('begin', 'Begun.')
  const options = { editor, isLight, session: session.id, attached: true }
  const terminal = await openTerminal(await sharedHost(), project, options)
  await terminal.shows(/Begun\./)
  return { project, session, terminal }
}

screenStory('the screen shows a command as it was typed, not the prompt that it becomes', async () => {
  await using terminal = (await openSession({ 'AGENTS.md': 'be nice\n' })).terminal
  terminal.type('/add-rule no console.log')
  await terminal.shows(/\/add-rule no console\.log/)
  await press(terminal, 'enter', /┃ {2}\/add-rule no console\.log[^]*Done\./)
  expect(terminal.screen()).not.toMatch(/Add the rule|The rule:/)
})

screenStory(
  'one dialog says that a backup differs only in whitespace, one that other projects use a config, too',
  async () => {
    // SAT is in the global config of this host.
    await using host = await startHost()
    writeInto(host.home, { 'config/opencode/tui.json': TUI })
    const files = { 'AGENTS.md': '- a\n\n\n- b\n', '.cursor/rules/x.mdc': 'x\n' }
    const project = host.project({ files, git: true })
    const session = await project.session()
    await session.turn('rewrite', DISCOVER, ...twice(replace('AGENTS.md', '- a\n\n- b')), 'Written.')
    await using terminal = await openTerminal(host, project, { session: session.id, attached: true })
    await terminal.shows(/Written\./)
    await runCommand(terminal, '/rules-backups', /Bring back what a rewrite replaced/)
    await terminal.shows(/AGENTS\.md .*before a rewrite, 10 bytes/)
    await press(terminal, 'enter', /Only[^]*whitespace[^]*differs/)
    await press(terminal, 'escape')
    await openRules(terminal)
    await searchList(terminal, '.cursor', /How to write/)
    await press(terminal, 'enter', /\+ +"\.cursor\/rules"/, /other[^]*projects[^]*use/)
  },
)

const NAMES = ['cents', 'price-a', 'price-b', 'price-c', 'zones']
const MANY = Object.fromEntries(NAMES.map((name) => [`.opencode/rules/${name}.md`, `${name}!\n`]))

// The cursor changes the colour of its line.
const waitForCursorAt = (terminal: Terminal, line: RegExp, plain: number): Promise<string> => {
  const isThere = (text: string) => line.test(text) && terminal.colourOf(line) !== plain
  return eventually(terminal.screen, isThere, `The cursor is not at ${line}`)
}

screenStory('after Ctrl-O, and after Esc from an opened rule, the same line stays selected', async () => {
  await using terminal = (await openSession(MANY)).terminal
  await openRules(terminal)
  await switchThrice(terminal, 'cents', 'off')
  for (const name of ['price-a', 'zones']) expect(terminal.screen()).toMatch(lineOf(name, 'on'))
  const plain = terminal.colourOf(lineOf('zones', 'on'))
  await searchList(terminal, 'price', /zones/)
  await press(terminal, 'down')
  await waitForCursorAt(terminal, lineOf('price-b', 'on'), plain)
  await switchThrice(terminal, 'price-b', 'off')
  expect(terminal.screen()).toMatch(lineOf('price-a', 'on'))
  await press(terminal, 'enter', /price-b!/)
  await press(terminal, 'escape', /zones/)
  await waitForCursorAt(terminal, lineOf('price-b', 'off'), plain)
  await press(terminal, 'ctrlO', lineOf('price-b', 'on'))
  // Without an editor, Ctrl-E copies the path.
  await press(terminal, 'ctrlE', /The path is copied[^]*price-b\.md/)
})

screenStory('/rules opens a rule in an editor, and lists a rule file once it is saved', async () => {
  const editor = join(scratch, 'editor.sh')
  const program = '#!/bin/sh\necho "It edits $1"\nsleep 1\necho "More words." >> "$1"\n'
  writeFileSync(editor, program, { mode: 0o755 })
  const files = { '.opencode/rules/style.md': ruleFile('globs: src/**'), 'src/a.ts': 'let a = 1\n' }
  const { project, session, terminal: opened } = await openSession(files, { editor })
  await using terminal = opened
  await session.turn('look at src/a.ts', 'It is short.')
  await openRules(terminal)
  await searchList(terminal, 'style src/a.ts', /How to write/)
  await press(terminal, 'ctrlE', /It edits .*style\.md/)
  await terminal.shows(/Rules of this session/)
  expect(await project.read('.opencode/rules/style.md')).toEndWith('RULE-WORDS\nMore words.\n')
  await press(terminal, 'ctrlU')
  project.write('.opencode/rules/late.md', ruleFile('globs: src/**'))
  project.write('.opencode/rules/plan.md', ruleFile('agents: plan'))
  project.write('.opencode/rules/wrong.md', ruleFile('glob: x'))
  const shown = [/late with your next message/, /hold.*\n.*plan agents: plan/, /Left out.*\n.*wrong\.md:2/]
  await terminal.showsAll(...shown)
  await terminal.closeDialog(/Rules of this session/)
  await session.turn('go on', 'Going.')
  rmSync(project.path('.opencode/rules/wrong.md'))
  await terminal.hides(/wrong\.md/)
  await openRules(terminal)
  await terminal.shows(/In force/)
  // A toast next to the list may still say "Left out the rule file …".
  expect(terminal.screen()).not.toMatch(/Left out(?! the)/)
})

const CHECKS = {
  '.opencode/rules/no-any.md': ruleFile("forbid: ':\\s*any\\b'\nrequire: ^let", 'Never use `any`.'),
  '.opencode/rules/wrong.md': ruleFile("forbid: 'a'\nbad: b"),
}

// At this length, the host would cut off the line number, so SAT cuts the start of the path.
const LONG_PATH = 'src/some folder/with a very long path/of a component/c.ts'

const brightness = (colour: number): number => (colour >> 16) + ((colour >> 8) & 255) + (colour & 255)

screenStory('until a line is mended, the sidebar and /rules show which rule it breaks', async () => {
  const { project, session, terminal: opened } = await openSession(CHECKS, { isLight: true })
  await using terminal = opened
  await session.turn('go', write(project, 'src/a.ts', `${'let a\n'.repeat(10)}let x: any\n`), 'the end')
  await terminal.showsAll(/! no-any src\/a\.ts:11/, /! wrong\.md:3 not checked/, /• no-any always +~/)
  const [fault, name, why] = [/! no-any/, /• no-any/, /always +~/].map(terminal.colourOf)
  expect(new Set([fault, name, why]).size).toBe(3)
  for (const colour of [fault, name]) expect(brightness(colour!)).toBeLessThan(400)
  await openRules(terminal)
  await terminal.shows(/Breaks a rule.*\n.*no-any src\/a\.ts:11 let x: any/)
  expect(brightness(terminal.colourOf(/Rules of this session/))).toBeLessThan(400)
  await searchList(terminal, 'a.ts:11', /Not checked/)
  const texts = [/It breaks no-any: let x: any/, /Never use `any`\./, /forbid: :\\s\*any\\b/]
  await press(terminal, 'enter', ...texts, /(?:let a\n[^\n]*){3}let x: any/)
  await press(terminal, 'escape', /Breaks a rule/)
  await terminal.closeDialog(/Breaks a rule/)

  project.write('src/a.ts', 'let x\n')
  await openRules(terminal)
  await terminal.shows(/Not checked.*\n.*wrong\.md:3 this bad example passes the check/)
  await terminal.hides(/no-any src/)
  await terminal.closeDialog(/Not checked/)
  const worse = edit(project, 'src/a.ts', 'let x', 'let x: any\nlet y: any')
  await session.turn('go', [worse, write(project, 'src/b.ts', 'const b\n')], 'the end')
  await terminal.shows(/! no-any src\/a\.ts:1[^]*! no-any src\/a\.ts:2[^]*! no-any src\/b\.ts/)
  await terminal.hides(/a\.ts:11/)

  await session.turn('go', write(project, LONG_PATH, 'let x: any\n'.repeat(22)), 'the end')
  await openRules(terminal)
  await terminal.shows(/Breaks a rule/)
  await terminal.shows(/…src\/some folder\/[^\n]*\/c\.ts:1 let x: any/)
  await searchList(terminal, 'and 2 more', /b\.ts the file/)
  await press(terminal, 'enter', /It breaks no-any: and 2 more lines[^]*forbid: :\\s\*any/)
})

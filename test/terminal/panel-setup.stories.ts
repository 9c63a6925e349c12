/** Stories of the panel, from the installation of SAT with faulty options to the first rule. */
import { expect } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { runCommand, searchList } from '../harness/terminal.ts'
import { openRules, panelStory, press } from './panel-terminal.ts'

panelStory('after `opencode plugin`, SAT shows invalid options and first steps', async ({ terminal }) => {
  const shown = await terminal.shows(/SAT has several entries\.[^]*invalid option: rules\.directorys/)
  // SAT's server half (`sat.ts`) reports the missing `no/folder` only with the first message.
  expect(shown).not.toContain('no folder')
  await openRules(terminal)
  await terminal.showsAll(
    /To fix.*\n.*2 entries of SAT/,
    /No rules yet.*\n.*How to write a rule \.opencode\/rules\/style\.md/,
    /From OpenCode itself.*\n.*AGENTS\.md/,
    /Rules of other tools, not read.*\n.*\.cursor\/rules Enter: add them to the config/,
  )
  await searchList(terminal, 'how', /To fix/)
  await press(terminal, 'enter', /globs: src\/\*\*\/\*\.ts/)
  await press(terminal, 'escape', /To fix/)
  await terminal.closeDialog(/To fix/)
})

panelStory('when a click unfolds the panel, a fixed fault is gone', async ({ host, project, terminal }) => {
  project.write('opencode.json', '{}')
  await runCommand(terminal, 'hello', /hello/)
  await terminal.shows(/▶ SAT/)
  await terminal.click(/▶ SAT/, /▼ SAT/)
  const readStore = () => Bun.file(join(host.home, 'state/opencode/kv.json')).text()
  const isUnfolded = (stored: string) => /"opencode-sat.folded":\s*false/.test(stored)
  await eventually(readStore, isUnfolded, 'The host has not stored that the panel is unfolded')
  await terminal.shows(
    /! option rules\.directorys[^]*No rules yet: \/rules shows how[^]*AGENTS\.md sent by OpenCode/,
  )
  await terminal.hides(/2 entries/)
})

panelStory('the panel shows a rule, or its fault, once the file is saved', async ({ project, terminal }) => {
  project.write('.opencode/rules/style.md', 'Use named exports.\n')
  project.write('.opencode/rules/faulty.md', '---\nglob: x\n---\nx\n')
  await terminal.showsAll(/! faulty\.md:2 left out/, /• style with your next message +~\d+/)
  rmSync(project.path('.opencode/rules/faulty.md'))
  await terminal.hides(/! faulty/)
  await runCommand(terminal, 'go on', /go on/)
  await terminal.showsAll(/Done\.[\s\S]*Done\./, /• style always/, /1 rule, ~\d+ tokens a request/)
  expect(terminal.screen()).not.toContain('No rules yet')
})

panelStory('a narrow screen hides the panel, but shows /rules', async ({ terminal }) => {
  terminal.resize(80)
  await terminal.hides(/• style/)
  await openRules(terminal)
  await terminal.showsAll(
    /To fix.*\n.*option rules\.directorys unknown, did you[\s\S]*no folder no\/folder named in rules\.directories/,
    /style always/,
  )
  await terminal.closeDialog(/style always/)
  terminal.resize(150)
  await terminal.shows(/▼ SAT/)
})

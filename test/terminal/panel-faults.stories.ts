/** The panel and `/rules` without the server half of SAT (`sat.ts`), and with invalid or huge data. */
import { expect } from 'bun:test'
import { rmSync, symlinkSync } from 'node:fs'
import { KEYS, openTerminal, runCommand, searchList } from '../harness/terminal.ts'
import { openRules, panelStory, press, showSession, storeMessage } from './panel-terminal.ts'
// The imported stories run first, on the same terminal.
import './panel.stories.ts'

panelStory('if its server half is not loaded, SAT shows only this fault', async ({ host, project }) => {
  const [spec] = JSON.parse(await project.read('.opencode/opencode.json')).plugin[0]
  const tui = JSON.stringify({ plugin: [spec] })
  const otherProject = host.project({ files: { '.opencode/rules/a.md': 'A\n', '.opencode/tui.json': tui } })
  await using terminal = await openTerminal(host, otherProject, { attached: true })
  await terminal.shows(/server half is not loaded: add it to/)
  await runCommand(terminal, 'hello', /hello/)
  await terminal.showsAll(/Done\./, /▼ SAT/, /! SAT's server half is not loaded:/)
  expect(terminal.screen()).not.toMatch(/rules?,|• a/)
  terminal.resize(80)
  await openRules(terminal)
  await terminal.shows(/server half not loaded add it to "plugin" in \.opencode\/opencode\.json/)
  expect(terminal.screen()).not.toMatch(/Sent with|In force|How to write/)
})

const EMPTY = { rules: [], joined: [], leftOut: [], instructions: [], folders: [] }
const RULE = { name: 'a', path: 'a.md', kind: 'always', bytes: 1 }
const INVALID = [{ ...EMPTY, leftOut: [null] }, { ...EMPTY, rules: [{ ...RULE, name: 5 }] }, 'cut off']
const MANY_FILES = Array.from({ length: 4_500 }, (_, index) => ({ path: `many/r-${index}.md` }))

panelStory('huge, endless or invalid data does not block the terminal', async ({ project, terminal }) => {
  rmSync(project.path('.opencode/rules'), { recursive: true, force: true })
  project.write('long.md', `first line\n${'x\n'.repeat(30_000)}`)
  const session = await project.session()
  const long = project.path('long.md')
  const huge = { ...EMPTY, instructions: [...MANY_FILES, { path: 'long.md' }] }
  await storeMessage(session, { text: 'x', metadata: { 'opencode-sat': huge } })
  await showSession(session)
  const openLongFile = async (shown: RegExp) => {
    await terminal.shows(/many\/r-0\.md sent by OpenCode/, 5_000)
    await searchList(terminal, 'long', /many\/r-0/)
    terminal.type(KEYS.enter)
    await terminal.shows(shown, 5_000)
  }
  await terminal.shows(/4501 files sent by OpenCode/)
  await openRules(terminal)
  await openLongFile(/first line/)
  terminal.type(KEYS.end)
  // Of the file's 30,001 lines and the three lines above them, only 2,000 are drawn.
  await terminal.shows(/… 28004 more lines/, 5_000)
  rmSync(long)
  symlinkSync('/dev/zero', long)
  terminal.type(KEYS.escape)
  await openLongFile(/It cannot be read: it is a device/)
  await press(terminal, 'escape', /many\/r-0/)
  await terminal.closeDialog(/many\/r-0\.md sent by OpenCode/)

  for (const data of INVALID) await storeMessage(session, { text: 'x', metadata: { 'opencode-sat': data } })
  await storeMessage(session, { text: 'the last note' })
  await terminal.showsAll(/the last note/, /▼ SAT/, /No rules yet/)
  await openRules(terminal)
  await terminal.shows(/How to write a rule/)
})

/** Tests the panel and `/rules` without the server half of SAT, and with invalid or huge data. */
import { expect } from 'bun:test'
import { rmSync, symlinkSync } from 'node:fs'
import { closeDialog, KEYS, openTerminal, runCommand, searchList, showsAll } from '../harness/terminal.ts'
import { openRules, panelStory, press, showSession, storeMessage } from './panel-terminal.ts'
// Its stories run before those below, on the same terminal.
import './panel.stories.ts'

panelStory(
  'without the server half, the panel and /rules say only that it is not loaded',
  async ({ host, project }) => {
    const [spec] = JSON.parse(await project.read('.opencode/opencode.json')).plugin[0]
    const otherProject = host.project({
      files: { '.opencode/rules/a.md': 'A\n', '.opencode/tui.json': JSON.stringify({ plugin: [spec] }) },
    })
    await using bare = await openTerminal(host, otherProject, { attached: true })
    await bare.shows(/server half is not loaded: add it to/)
    await runCommand(bare, 'hello', /hello/)
    await showsAll(bare, [/Done\./, /▼ SAT/, /! SAT's server half is not loaded:/])
    expect(bare.screen()).not.toMatch(/rules?,|• a/)
    bare.resize(80)
    await openRules(bare)
    await bare.shows(/server half not loaded add it to "plugin" in \.opencode\/opencode\.json/)
    expect(bare.screen()).not.toMatch(/Sent with|In force|How to write/)
  },
)

/** The panel of a session without rules. */
const EMPTY = { rules: [], joined: [], leftOut: [], instructions: [], folders: [] }
const RULE = { name: 'a', path: 'a.md', kind: 'always', bytes: 1 }
/** Invalid panels, such as another plugin may store under SAT's key. */
const INVALID = [
  { ...EMPTY, leftOut: [null] },
  { ...EMPTY, rules: [{ ...RULE, name: 5 }] },
  { rules: 'all' },
  'cut off',
]
const MANY = Array.from({ length: 4_500 }, (_, index) => ({ path: `many/r-${index}.md` }))

panelStory(
  'neither invalid or huge data nor an endless file blocks the terminal',
  async ({ project, terminal }) => {
    rmSync(project.path('.opencode/rules'), { recursive: true, force: true })
    project.write('long.md', `first line\n${'x\n'.repeat(30_000)}`)
    const session = await project.session()
    const long = project.path('long.md')
    const huge = { ...EMPTY, instructions: [...MANY, { path: 'long.md' }] }
    await storeMessage(session, { text: 'x', metadata: { 'opencode-sat': huge } })
    await showSession(session)
    const openLong = async (words: RegExp) => {
      await terminal.shows(/many\/r-0\.md sent by OpenCode/, 5_000)
      await searchList(terminal, 'long', /many\/r-0/)
      terminal.type(KEYS.enter)
      await terminal.shows(words, 5_000)
    }
    await terminal.shows(/4501 files sent by OpenCode/)
    await openRules(terminal)
    await openLong(/first line/)
    terminal.type(KEYS.end)
    await terminal.shows(/… 28004 more lines/, 5_000)
    // An endless file takes the place of the listed one.
    rmSync(long)
    symlinkSync('/dev/zero', long)
    terminal.type(KEYS.escape)
    await openLong(/It cannot be read: it is a device/)
    await press(terminal, 'escape', /many\/r-0/)
    await closeDialog(terminal, /many\/r-0\.md sent by OpenCode/)

    for (const data of INVALID) await storeMessage(session, { text: 'x', metadata: { 'opencode-sat': data } })
    await storeMessage(session, { text: 'the last note' })
    await showsAll(terminal, [/the last note/, /▼ SAT/, /No rules yet/])
    await openRules(terminal)
    await terminal.shows(/How to write a rule/)
  },
)

/**
 * SAT's sidebar, `/rules` and `/rules-backups` on the screen of one terminal. SAT has two halves: the server half works
 * in sessions, the other half on the screen.
 */
import { $ } from 'bun'
import { afterAll, expect } from 'bun:test'
import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { compact, forkSession, read, ruleFile } from '../delivery/session-rules.ts'
import { eventually } from '../harness/eventually.ts'
import { hostBinary } from '../harness/host-process.ts'
import { type Host, prepareTerminalHost, type Project, type Session, writeInto } from '../harness/host.ts'
import { inSequence } from '../harness/story.ts'
import {
  closeDialog,
  KEYS,
  openTerminal,
  runCommand,
  searchList,
  showsAll,
  type Terminal,
  terminalStory,
} from '../harness/terminal.ts'
import { packedSpecifier } from '../package/packed.ts'

const NUMBERED: Record<string, string> = {}
for (let number = 2; number <= 10; number++) {
  NUMBERED[`.opencode/rules/rule-${number}.md`] = `Number ${number}.\n`
}
const FILES = {
  ...NUMBERED,
  // This header has no effect, because it does not begin on line 1.
  '.opencode/rules/rule-1.md': '\n---\nglobs: "*.sql"\n---\nNumber 1.\n',
  '.opencode/rules/style.md': `Use named exports.\n${'\nA line.'.repeat(80)}\n\nThe end of it.\n`,
  '.opencode/rules/react.md': ruleFile('globs: "**/*.tsx"', 'Use hooks.'),
  '.opencode/rules/sql.md': ruleFile('globs: ["*.sql", "db/**"]', 'Name each column.'),
  '.opencode/rules/broken.md': ruleFile('alwaysApply: perhaps'),
  'AGENTS.md': 'be nice\n\nbe quick\n',
  'src/deep/App.tsx': 'let a = 1\n',
  'db/schema.txt': 'x\n',
  'long.md': `first line\n${'x\n'.repeat(30_000)}`,
}

/** SAT's options with an unknown key, a folder that does not exist, and a formatter that is not installed. */
const FAULTY_OPTIONS = {
  rules: { directorys: ['docs'], directories: ['no/folder'] },
  format_on_save: { '*.js': 'no-such-formatter --write' },
}

/** Waits until the host has stored that the panel is folded, or that it is not. */
const waitForFolded = ({ home }: Host, isFolded: boolean): Promise<string> => {
  const look = () => Bun.file(join(home, 'state/opencode/kv.json')).text()
  const stored = new RegExp(`"opencode-sat.folded":\\s*${isFolded}`)
  return eventually(look, (text) => stored.test(text), `The host has not stored ${stored}`)
}

/**
 * Opens the terminal in a project in which `opencode plugin` installed the package, as the README says. The installed
 * entry gets faulty options, `opencode.json` has a second entry of SAT, and the panel is folded.
 */
const openInstalled = async () => {
  const spec = await packedSpecifier()
  const host = await prepareTerminalHost({ plugin: [] })
  const stored = { animations_enabled: false, 'opencode-sat.folded': true }
  writeInto(host.home, { 'state/opencode/kv.json': JSON.stringify(stored) })
  const project = host.project({
    files: { '.opencode/opencode.json': '{}', '.cursor/rules/x.mdc': 'x', 'AGENTS.md': 'be nice\n' },
    config: { plugin: [[spec, { debug: true }]] },
  })
  const installing = $`${hostBinary()} plugin ${spec}`.cwd(project.directory).env(host.env)
  expect(await installing.text()).toContain('Detected server + tui targets')
  const installed = await project.read('.opencode/opencode.json')
  const entry = JSON.stringify(spec)
  expect(installed).toContain(entry)
  project.write('.opencode/opencode.json', installed.replace(entry, JSON.stringify([spec, FAULTY_OPTIONS])))
  return { host, project, terminal: await openTerminal(host, project) }
}

/** Starts a session with 12 rules in force, in which the model reads a file and rewrites an instruction file. */
const sessionWithRules = async (project: Project): Promise<Session> => {
  const { format_on_save } = FAULTY_OPTIONS
  writeInto(project.directory, {
    ...FILES,
    '.opencode/opencode.json': JSON.stringify({ plugin: [[await packedSpecifier(), { format_on_save }]] }),
  })
  const session = await project.session()
  const rules = JSON.stringify({ rules: ['- be kind'] })
  const rewriting = { tool: 'rewrite-rules', args: { rules, mode: 'concise' } }
  await session.turn(
    'look at the app',
    read('src/deep/App.tsx'),
    { tool: 'discover-rules' },
    // The first call that would replace the whole file only asks the model to send it again.
    rewriting,
    rewriting,
    'It is small.',
  )
  return session
}

const MODEL = { providerID: 'fake', modelID: 'm' }

/** Stores a message in a session, without a request to the model. */
const store = ({ id, project }: Session, part: object): Promise<unknown> => {
  const body = { noReply: true, agent: 'build', model: MODEL, parts: [{ type: 'text', ...part }] }
  return project.http('POST', `/session/${id}/message`, body)
}

const runInTurn = inSequence()

/** Defines a story on the terminal that all stories share; it begins with the screen that the story before it left. */
const nextStory = (name: string, body: () => Promise<void>): void => terminalStory(name, runInTurn(body))

let host: Host
let terminal: Terminal
let project: Project
let session: Session
afterAll(async () => {
  await terminal?.end()
  await host?.stop()
})

const openRules = (on = terminal): Promise<void> => runCommand(on, '/rules', /Which rules are in force/)
const openBackups = (): Promise<void> =>
  runCommand(terminal, '/rules-backups', /Bring back what a rewrite replaced/)
const showSession = ({ id }: Session): Promise<unknown> =>
  project.http('POST', '/tui/select-session', { sessionID: id })

const checkRules = async (): Promise<void> => {
  await openRules()
  // Faults come first.
  await showsAll(terminal, [
    /Rules of this session[\s\S]*To fix[\s\S]*no-such-formatter --write was not found/,
    /Left out.*\n[ ┃].*\.opencode\/rules\/broken\.md:2 alwaysApply must be/,
    /In force.*\n.*react src\/deep\/App\.tsx +~\d+ tokens.*\n.*rule-1 a header must begin with --- on line 1/,
  ])
  await searchList(terminal, 'sql', /rule-1 /)
  await terminal.shows(/Waiting for a file.*\n.*sql \*\.sql, db\/\*\*/)
  terminal.type(KEYS.enter)
  await showsAll(terminal, [/Name each column/, /Joins when a file in the session matches \*\.sql, db\/\*\*/])
  // Esc returns to the list.
  terminal.type(KEYS.escape)
  await searchList(terminal, 'agents', /rule-10 /)
  await terminal.shows(/From OpenCode itself.*\n.*AGENTS\.md/)
  await closeDialog(terminal, /From OpenCode itself/)
}

/** Restores the file that was rewritten, by pressing Enter twice. */
const checkBackups = async (): Promise<void> => {
  await openBackups()
  await terminal.shows(/AGENTS\.md 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d +before a rewrite, 18 bytes/)
  terminal.type(KEYS.enter)
  // The diff leads from the current text to the backup, and shows whole blocks of lines.
  await showsAll(terminal, [/- - be kind[\s\S]*\+ be nice[\s\S]*\+ be quick/, /Bring AGENTS\.md back\?/])
  expect(terminal.colourOf(/- - be kind/)).not.toBe(terminal.colourOf(/\+ be nice/))
  terminal.type(KEYS.enter)
  await terminal.shows(/AGENTS\.md is restored/)
  expect(await project.read('AGENTS.md')).toBe(FILES['AGENTS.md'])
}

const checkPanel = async (): Promise<void> => {
  await showsAll(terminal, [
    /▼ SAT/,
    /! no-such-formatter --write/,
    /! broken\.md:2 left out/,
    /12 rules, ~\d+ tokens a request/,
    /• react src\/deep\/App\.tsx +~\d+/,
    /• rule-1 always[^•]*• rule-2 always[\s\S]*• rule-7 always/,
    /4 more, \/rules/,
    /1 waiting for a file/,
    /AGENTS\.md by OpenCode/,
  ])
  expect(terminal.screen()).not.toMatch(/• rule-10|• style/)
  const [fault, name, why] = [/! broken/, /• react/, /src\/deep\/App\.tsx +~/].map(terminal.colourOf)
  expect(new Set([fault, name, why]).size).toBe(3)
  await terminal.click(/• rule-2/, /Always in force\./)
  await closeDialog(terminal, /Always in force\./)
}

nextStory('`opencode plugin` installs both halves, which report invalid options at once', async () => {
  ;({ host, project, terminal } = await openInstalled())
  // The half on the screen reports the unknown key; the server half reports the missing folder, in /rules below.
  const shown = await terminal.shows(
    /SAT is in several configs\.[\s\S]*invalid option: rules\.directorys/,
  )
  expect(shown).not.toContain('no folder')
  await openRules()
  await showsAll(terminal, [
    /To fix.*\n.*2 entries of SAT/,
    /No rules yet.*\n.*How to write a rule \.opencode\/rules\/style\.md/,
    /From OpenCode itself.*\n.*AGENTS\.md/,
    /Rules of other tools, not read.*\n.*\.cursor\/rules Enter: have them read/,
  ])
  await searchList(terminal, 'how', /To fix/)
  terminal.type(KEYS.enter)
  await terminal.shows(/globs: src\/\*\*\/\*\.ts/)
  terminal.type(KEYS.escape)
  await terminal.shows(/To fix/)
  await closeDialog(terminal, /To fix/)

  // A fault that is fixed is no longer listed.
  project.write('opencode.json', '{}')
  await runCommand(terminal, 'hello', /hello/)
  await terminal.shows(/▶ SAT/)
  await terminal.click(/▶ SAT/, /▼ SAT/)
  await waitForFolded(host, false)
  await showsAll(terminal, [
    /▼ SAT/,
    /! option rules\.directorys/,
    /No rules yet: \/rules shows how/,
    /AGENTS\.md by OpenCode/,
  ])
  await terminal.hides(/2 entries/)

  // A saved file is in the panel at once, and so are its faults.
  project.write('.opencode/rules/style.md', 'Use named exports.\n')
  project.write('.opencode/rules/faulty.md', '---\nglob: x\n---\nx\n')
  await showsAll(terminal, [/! faulty\.md:2 left out/, /• style with your next message +~\d+/])
  rmSync(project.path('.opencode/rules/faulty.md'))
  await terminal.hides(/! faulty/)
  await runCommand(terminal, 'go on', /go on/)
  await showsAll(terminal, [/Done\.[\s\S]*Done\./, /• style always/, /1 rule, ~\d+ tokens a request/])
  expect(terminal.screen()).not.toContain('No rules yet')
  terminal.resize(80)
  await terminal.hides(/• style/)
  await openRules()
  await showsAll(terminal, [
    /To fix.*\n.*option rules\.directorys unknown, did you[\s\S]*no folder no\/folder named in rules\.directories/,
    /style always/,
  ])
  await closeDialog(terminal, /style always/)
  terminal.resize(150)
  await terminal.click(/▼ SAT/, /▶ SAT 1 rule/)
  await waitForFolded(host, true)
  await terminal.click(/▶ SAT/, /▼ SAT/)
})

nextStory('the sidebar, /rules and /rules-backups show what the session was sent', async () => {
  session = await sessionWithRules(project)
  // The terminal loads only the newest 100 messages of a session.
  await Promise.all(Array.from({ length: 100 }, () => store(session, { text: 'a note' })))
  const write = { tool: 'write', args: { filePath: project.path('a.js'), content: 'a\n' } }
  await session.turn('write', write, 'Written.')
  expect((await session.messages()).length).toBeGreaterThan(100)
  await showSession(session)
  await terminal.shows(/Written\./)
  await checkPanel()
  await checkRules()
  await checkBackups()

  expect(await terminal.click(/▼ SAT/, /▶ SAT 12 rules ! 3 to fix/)).not.toContain('• rule-1')
  await terminal.click(/▶ SAT/, /▼ SAT/)
  terminal.resize(80)
  await terminal.hides(/▼ SAT/)
  await openBackups()
  await terminal.shows(/AGENTS\.md 20\d\d-/)
  // Restoring once more undoes the first restoration.
  terminal.type(KEYS.enter)
  await terminal.shows(/Bring AGENTS\.md back\?/)
  terminal.type(KEYS.enter)
  await eventually(() => project.read('AGENTS.md'), (text) => text === '- be kind\n', 'It is not restored')
  // None of this sent a request to the model.
  expect(session.requests()).toHaveLength(7)
  terminal.resize(150)
  await terminal.shows(/▼ SAT/)
})

/** Lists, for each request of a session, whether it contains the rule `style`. */
const haveStyle = ({ requests }: Session): Array<boolean> =>
  requests().map(({ messages }) => JSON.stringify(messages).includes('Use named exports.'))

nextStory('Ctrl-O switches a rule off and on for the session, and changes no file', async () => {
  const switching = await project.session()
  await switching.turn('begin', 'Begun.')
  await showSession(switching)
  await terminal.shows(/Begun\./)
  const switchStyle = async (before: RegExp, after: RegExp) => {
    await openRules()
    await searchList(terminal, 'style', /rule-2/)
    await terminal.shows(before)
    // The line stays selected, so that the same key undoes the switch.
    for (const shown of [after, before, after]) {
      terminal.type(KEYS.ctrlO)
      await terminal.shows(shown)
    }
    await closeDialog(terminal, after)
  }
  const [on, off] = [/style (?:always|switched on).* ctrl\+o off/, /style switched off.* ctrl\+o on/]
  await switchStyle(on, off)
  await terminal.shows(/1 switched off, \/rules/)
  await switching.turn('go on', 'Going.')
  // The switch is stored in the session, so it applies after a compaction and in a fork, too.
  const fork = await forkSession(switching)
  await fork.turn('go on', 'Going.')
  await compact(switching)
  await switching.turn('go on', 'Going.')
  for (const { messages } of [...switching.requests(), ...fork.requests()]) {
    expect(JSON.stringify(messages)).toContain('Number 2.')
  }
  terminal.resize(80)
  await switchStyle(off, on)
  await switching.turn('go on', 'Going.')
  expect([haveStyle(switching), haveStyle(fork)]).toEqual([[true, false, false, true], [false]])
  expect(await project.read('.opencode/rules/style.md')).toBe(FILES['.opencode/rules/style.md'])
  terminal.resize(150)
  await terminal.shows(/▼ SAT/)
})

nextStory(
  "Enter shows how the config would read another tool's rules, and Enter again writes it",
  async () => {
    await openRules()
    await searchList(terminal, '.cursor', /In force/)
    await terminal.shows(/Rules of other tools, not read.*\n.*\.cursor\/rules Enter/)
    terminal.type(KEYS.enter)
    await showsAll(terminal, [/\+ +"\.cursor\/rules"/, /Have \.cursor\/rules read\?/])
    terminal.type(KEYS.enter)
    await terminal.shows(/\.cursor\/rules is in rules\.directories now/)
    const { plugin } = JSON.parse(await project.read('.opencode/opencode.json'))
    expect(plugin[0][1].rules.directories).toEqual(['.cursor/rules'])
    await terminal.hides(/Rules of other tools/)
    await closeDialog(terminal, /Rules of this session/)
  },
)

nextStory('if the server half is not loaded, the panel and /rules show only that', async () => {
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
})

/** What SAT stores for a session without rules. */
const EMPTY = { rules: [], joined: [], leftOut: [], instructions: [], folders: [] }
const RULE = { name: 'a', path: 'a.md', kind: 'always', bytes: 1 }
/** Invalid data in its place, which another plugin may store. */
const INVALID = [
  { ...EMPTY, leftOut: [null] },
  { ...EMPTY, rules: [{ ...RULE, name: undefined }] },
  { ...EMPTY, rules: [{ ...RULE, name: 5 }] },
  { rules: 'all' },
  'cut off',
]
/** More instruction files than a list can show at once. */
const MANY = Array.from({ length: 4_500 }, (_, index) => ({ path: `many/r-${index}.md` }))

nextStory('invalid or huge metadata and an endless file do not stop the terminal', async () => {
  rmSync(project.path('.opencode/rules'), { recursive: true })
  const otherSession = await project.session()
  const long = project.path('long.md')
  await store(otherSession, {
    text: 'x',
    metadata: { 'opencode-sat': { ...EMPTY, instructions: [...MANY, { path: 'long.md' }] } },
  })
  await showSession(otherSession)
  const showLong = async (words: RegExp) => {
    await terminal.shows(/many\/r-0\.md sent by OpenCode/, 5_000)
    await searchList(terminal, 'long', /many\/r-0/)
    terminal.type(KEYS.enter)
    await terminal.shows(words, 5_000)
  }
  await terminal.shows(/4501 files by OpenCode/)
  await openRules()
  await showLong(/first line/)
  terminal.type(KEYS.end)
  await terminal.shows(/… 28004 more lines/, 5_000)
  // Before Enter opens the listed file, an endless one takes its place.
  rmSync(long)
  symlinkSync('/dev/zero', long)
  terminal.type(KEYS.escape)
  await showLong(/It cannot be read: it is a device/)
  terminal.type(KEYS.escape)
  await terminal.shows(/many\/r-0/)
  await closeDialog(terminal, /many\/r-0\.md sent by OpenCode/)

  for (const mark of INVALID) await store(otherSession, { text: 'x', metadata: { 'opencode-sat': mark } })
  await store(otherSession, { text: 'the last note' })
  await showsAll(terminal, [/the last note/, /▼ SAT/, /No rules yet/])
  await openRules()
  await terminal.shows(/How to write a rule/)
})

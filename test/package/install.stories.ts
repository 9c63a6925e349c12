import { expect, mock } from 'bun:test'
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { opencodeRun } from '../harness/host-process.ts'
import type { Host, Project } from '../harness/host-types.ts'
import { CHECKOUT, prepareTerminalHost, sharedHost, startHost, writeInto } from '../harness/host.ts'
import { waitForLog } from '../harness/log.ts'
import { textOf } from '../harness/model.ts'
import { inSequence } from '../harness/story.ts'
import { openTerminal, runCommand, terminalStory } from '../harness/terminal.ts'
import { toastsOf } from '../harness/toasts.ts'

const MISSING =
  /SAT is off: this project uses it.*git clone .* ~\/opencode-sat && cd ~\/opencode-sat && npm install/

const teamProject = (host: Host): Project => {
  const files = { '.opencode/rules/nice.md': 'BE-NICE\n', 'tools/.keep': '' }
  const project = host.project({ files, config: { plugin: [] } })
  cpSync(join(CHECKOUT, 'examples', 'team'), project.directory, { recursive: true })
  return project
}

/** Plays a turn, and counts the rule and the tool in its request. If SAT is loaded twice, both counts are 2. */
const playTurn = async (project: Project) => {
  const session = await project.session()
  const { requests: [request], text } = await session.turn('hello', 'hi')
  expect(text).toBe('hi')
  const rule = request!.messages.map(textOf).join('\n').split('BE-NICE').length - 1
  const tool = request!.tools.filter(({ function: { name } }) => name === 'discover-rules').length
  return { session, counts: { rule, tool } }
}

const expectSatOnScreen = async (host: Host, project: Project, session: string, words = /▼ SAT/) => {
  await using terminal = await openTerminal(host, project, { session, attached: true })
  const screen = await terminal.shows(/▼ SAT[^]*• nice always/)
  await terminal.shows(words)
  expect(screen.match(/[▼▶] SAT/g)).toHaveLength(1)
  expect(screen).not.toMatch(/not loaded|SAT is off/)
  await runCommand(terminal, '/rules', /Which rules are in force/)
  await terminal.shows(/Rules of this session/)
}

// In parallel, the stories would take a gigabyte more memory.
const oneByOne = inSequence()
// A failed story is retried once, because on a busy machine a toast may disappear before it is drawn.
const installStory = (name: string, body: () => Promise<void>): void => terminalStory(name, oneByOne(body), 1)

installStory("without a clone, a team's files show the command that installs SAT", async () => {
  const host = await sharedHost()
  const project = teamProject(host)
  // Without `OPENCODE_SAT` (the path of a clone of SAT), `opencode run` must not load this file.
  writeInto(project.directory, { 'index.js': 'process.exit(3)\n' })
  await using toasts = await toastsOf(project, host.url)
  expect((await playTurn(project)).counts).toEqual({ rule: 0, tool: 0 })
  expect((await toasts.waitFor(/./)).message).toMatch(MISSING)
  expect(await waitForLog(host, 'level=ERROR', 'SAT is off: this project uses it')).toHaveLength(1)
  await using terminal = await openTerminal(host, project, { attached: true })
  await terminal.shows(/SAT is off/)
  expect((await opencodeRun(project.directory, host.env)).stderr).toMatch(MISSING)
})

installStory("a team's files load the clone in the project, with the team's options", async () => {
  const host = await sharedHost()
  const project = teamProject(host)
  const file = '.opencode/plugin/opencode-sat.js'
  const text = await project.read(file)
  project.write(file, text.replace('OPTIONS = {}', "OPTIONS = { tools: 'commands', debg: 1 }"))
  symlinkSync(CHECKOUT, project.path('tools/opencode-sat'))
  const { session, counts } = await playTurn(project)
  expect(counts).toEqual({ rule: 1, tool: 0 })
  await expectSatOnScreen(host, project, session.id, /! option debg/)
})

installStory("SAT loads once if a person's config names it, with or without a team's clone", async () => {
  // The team's files look for a clone at `OPENCODE_SAT`.
  await using host = await startHost({ env: { OPENCODE_SAT: '~/sat' } })
  // `startHost` names the checkout only in the person's `opencode.json`.
  writeInto(host.home, { 'config/opencode/tui.json': JSON.stringify({ plugin: [CHECKOUT] }) })
  const expectOneSat = async () => {
    const project = teamProject(host)
    await using toasts = await toastsOf(project, host.url)
    const { session, counts } = await playTurn(project)
    expect(counts).toEqual({ rule: 1, tool: 1 })
    await expectSatOnScreen(host, project, session.id)
    expect((await opencodeRun(project.directory, host.env)).stderr).not.toContain('SAT is off')
    expect(toasts.shown).toEqual([])
  }
  await expectOneSat()
  symlinkSync(CHECKOUT, join(host.home, 'sat'))
  await expectOneSat()
})

installStory('without internet, the first start loads SAT, and npm does not retry', async () => {
  await using host = await prepareTerminalHost()
  const config = join(host.home, 'config/opencode')
  // On a new machine, OpenCode installs `@opencode-ai/plugin` into this folder.
  for (const file of ['package.json', 'package-lock.json', 'node_modules']) {
    rmSync(join(config, file), { recursive: true })
  }
  const fetch = mock(() => new Response('', { status: 503 }))
  const registry = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch })
  // By default, npm retries twice, but docs/install.md advises `npm_config_fetch_retries=0`.
  const page = readFileSync(join(CHECKOUT, 'docs/install.md'), 'utf8')
  const [, name = '', value = ''] = /^(npm_config_\w+)=(\S+) opencode /m.exec(page)!
  const npm = { npm_config_registry: registry.url.href, npm_config_fetch_retries: '2', [name]: value }
  await opencodeRun(host.project().directory, { ...host.env, ...npm })
  await registry.stop(true)
  expect(fetch).toHaveBeenCalledTimes(1)
  const request = host.model.requests.findLast(({ kind }) => kind === 'turn')
  expect(request!.tools.some((tool) => tool.function.name === 'discover-rules')).toBe(true)
  expect(existsSync(join(config, 'package-lock.json'))).toBe(false)
})

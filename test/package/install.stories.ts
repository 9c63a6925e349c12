/** What docs/install.md says: a first start without internet, and the files of `examples/team`, which load SAT once. */
import { $ } from 'bun'
import { expect } from 'bun:test'
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { hostBinary } from '../harness/host-process.ts'
import { CHECKOUT, type Host, type Project, startHost, writeInto } from '../harness/host.ts'
import { logged } from '../harness/log.ts'
import { textOf } from '../harness/model.ts'
import { command, openTerminal, terminalStory } from '../harness/terminal.ts'
import { toastsOf } from '../harness/toasts.ts'

const MISSING =
  /SAT is off: this project uses it.*git clone .* ~\/opencode-sat && cd ~\/opencode-sat && npm install/

const teamProject = (host: Host): Project => {
  const project = host.project({ files: { '.opencode/rules/nice.md': 'BE-NICE\n', 'tools/.keep': '' } })
  cpSync(join(CHECKOUT, 'examples', 'team'), project.directory, { recursive: true })
  return project
}

/** Plays a turn; gives how often its request has the rule and a tool of SAT's, and the session. */
const loadedIn = async (project: Project) => {
  const session = await project.session()
  const { requests: [request], text } = await session.turn('hello', 'hi')
  expect(text).toBe('hi')
  const rules = request!.messages.map(textOf).join('\n').split('BE-NICE').length - 1
  const tools = request!.tools.filter((tool) => tool.function.name === 'discover-rules').length
  return { session, rules, tools }
}

/** Expects the section of SAT on a terminal once, and its commands. */
const expectSection = async (host: Host, project: Project, session: string): Promise<void> => {
  await using terminal = await openTerminal(host, project, { session, attached: true })
  const screen = await terminal.shows(/▼ SAT[^]*• nice always/)
  expect(screen.match(/[▼▶] SAT/g)).toHaveLength(1)
  expect(screen).not.toContain('not loaded')
  await command(terminal, '/rules', /Which rules are in force/)
  await terminal.shows(/Rules of this session/)
}

terminalStory(
  "a team's files load SAT from its clone, and say which command brings it where there is none",
  async () => {
    const host = await startHost({ plugin: [] })
    const bare = teamProject(host)
    const toasts = await toastsOf(bare, host.url)
    const without = await loadedIn(bare)
    expect([without.rules, without.tools]).toEqual([0, 0])
    expect((await toasts.when(/./)).message).toMatch(MISSING)
    await toasts.stop()
    expect(await logged(host, 'level=ERROR', 'SAT is off: this project uses it')).toHaveLength(1)
    await using terminal = await openTerminal(host, bare, { attached: true })
    await terminal.shows(/SAT is off/)
    const { stderr } = await $`${hostBinary()} run hello < ${new Response('')}`.cwd(bare.directory).env(
      host.env,
    ).quiet()
    expect(stderr.toString()).toMatch(MISSING)

    const project = teamProject(host)
    symlinkSync(CHECKOUT, project.path('tools/opencode-sat'))
    const { session, rules, tools } = await loadedIn(project)
    expect([rules, tools]).toEqual([1, 1])
    await expectSection(host, project, session.id)
    await host.stop()
  },
)

terminalStory("where a person has SAT for all projects, a team's files do not load it again", async () => {
  const host = await startHost({ env: { OPENCODE_SAT: '~/sat' } })
  symlinkSync(CHECKOUT, join(host.home, 'sat'))
  writeInto(host.home, { 'config/opencode/tui.json': JSON.stringify({ plugin: [CHECKOUT] }) })
  const project = teamProject(host)
  const { session, rules, tools } = await loadedIn(project)
  expect([rules, tools]).toEqual([1, 1])
  await expectSection(host, project, session.id)
  await host.stop()
})

terminalStory(
  'without internet the first start with the words of docs/install.md takes seconds, and SAT is there',
  async () => {
    const words = /^(npm_config_\w+)=(\S+) opencode /m.exec(
      readFileSync(join(CHECKOUT, 'docs/install.md'), 'utf8'),
    )!
    const host = await startHost({ plugin: [] })
    const config = join(host.home, 'config/opencode')
    for (const file of ['package.json', 'package-lock.json', 'node_modules']) {
      rmSync(join(config, file), { recursive: true })
    }
    const project = host.project({ config: { plugin: [CHECKOUT] } })
    const env = { ...host.env, npm_config_fetch_retries: '2', [words[1]!]: words[2]! }
    const start = performance.now()
    await $`${hostBinary()} run hello < ${new Response('')}`.cwd(project.directory).env(env).quiet()
    // With npm's own tries it takes more than a minute.
    expect(performance.now() - start).toBeLessThan(40_000)
    const request = host.model.requests.find(({ kind }) => kind === 'turn')!
    expect(request.tools.some((tool) => tool.function.name === 'discover-rules')).toBe(true)
    expect(existsSync(join(config, 'package-lock.json'))).toBe(false)
    await host.stop()
  },
)

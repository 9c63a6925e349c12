/** Opens one terminal, on which each story of the panel starts where the previous story ended. */
import { $ } from 'bun'
import { afterAll, expect } from 'bun:test'
import { hostBinary } from '../harness/host-process.ts'
import { type Host, prepareTerminalHost, type Project, type Session, writeInto } from '../harness/host.ts'
import { inSequence } from '../harness/story.ts'
import { KEYS, openTerminal, runCommand, type Terminal, terminalStory } from '../harness/terminal.ts'
import { packedSpecifier } from '../package/packed.ts'

const FAULTY_OPTIONS = {
  rules: { directorys: ['docs'], directories: ['no/folder'] },
  format_on_save: { '*.js': 'no-such-formatter --write' },
}

type Shared = { host: Host; project: Project; terminal: Terminal }

/** Installs SAT twice: in `opencode.json` and, with faulty options, in `.opencode/opencode.json`. */
const openInstalled = async (): Promise<Shared> => {
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

let shared: Promise<Shared> | undefined
afterAll(async () => {
  const opened = await shared?.catch(() => undefined)
  await opened?.terminal.end()
  await opened?.host.stop()
})

const inTurn = inSequence()

export const panelStory = (name: string, body: (shared: Shared) => Promise<void>): void =>
  terminalStory(name, inTurn(async () => body(await (shared ??= openInstalled()))))

export const openRules = (terminal: Terminal): Promise<void> =>
  runCommand(terminal, '/rules', /Which rules are in force/)

/** Presses a key, and waits until the screen has shown each pattern. */
export const press = async (terminal: Terminal, key: keyof typeof KEYS, ...shown: Array<RegExp>) => {
  terminal.type(KEYS[key])
  await terminal.showsAll(...shown)
}

const LINE_ENDS = { on: '(?:always|switched on).* ctrl\\+o off', off: 'switched off.* ctrl\\+o on' }

/** Matches a rule's line in `/rules`, such as `style always … ctrl+o off`. */
export const lineOf = (name: string, state: 'on' | 'off') => new RegExp(`${name} ${LINE_ENDS[state]}`)

/** In `/rules`, switches the rule at the cursor to `state`, back, and to `state` again. */
export const switchThrice = async (terminal: Terminal, name: string, state: 'on' | 'off'): Promise<void> => {
  const otherState = state === 'on' ? 'off' : 'on'
  await terminal.shows(lineOf(name, otherState))
  for (const shown of [state, otherState, state] as const) await press(terminal, 'ctrlO', lineOf(name, shown))
}

export const showSession = ({ id, project }: Session): Promise<unknown> =>
  project.http('POST', '/tui/select-session', { sessionID: id })

/** Stores a message in a session, without a request to the model. */
export const storeMessage = ({ id, project }: Session, part: object): Promise<unknown> => {
  const model = { providerID: 'fake', modelID: 'm' }
  const body = { noReply: true, agent: 'build', model, parts: [{ type: 'text', ...part }] }
  return project.http('POST', `/session/${id}/message`, body)
}

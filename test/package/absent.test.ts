import { $ } from 'bun'
import { expect } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { play, startChecked } from '../delivery/checked-session.ts'
import { countOf, ruleFile, satWith, setSwitchedOff, waitUntil } from '../delivery/session-rules.ts'
import { write } from '../formatting/session.ts'
import { hostBinary, opencodeRun } from '../harness/host-process.ts'
import { CHECKOUT, type Session, sharedHost } from '../harness/host.ts'
import { waitForLog } from '../harness/log.ts'
import { scratchFolder, writeFileAt } from '../harness/scratch.ts'
import { story } from '../harness/story.ts'
import { toastsOf } from '../harness/toasts.ts'
import { copyCheckout } from './packed.ts'

const scratch = scratchFolder()
const clone = join(scratch, 'clone')

/** Runs `tui.js` in the host's built-in Bun, and returns the toast that `tui.js` shows. */
const toastOfTerminal = async (folder: string): Promise<unknown> => {
  const program = `const { default: half } = await import(${JSON.stringify(join(folder, 'tui.js'))})
    half.tui({ ui: { toast: (toast) => console.log(JSON.stringify({ id: half.id, ...toast })) } })`
  return $`${hostBinary()} --no-install -e ${program}`.env({ ...process.env, BUN_BE_BUN: '1' }).json()
}

story('a clone without packages shows and logs the command that installs them', async () => {
  copyCheckout(clone)
  const host = await sharedHost()
  const project = host.project({ config: { plugin: [clone] } })
  await using toasts = await toastsOf(project, host.url)
  const { message, variant } = await toasts.waitFor(/SAT is off/)
  expect(variant).toBe('error')
  expect(message).toContain(`cd "${clone}" && npm install`)
  const { requests, text } = await (await project.session()).turn('hello', 'hi')
  expect(text).toBe('hi')
  expect(requests[0]?.tools.map((tool) => tool.function.name)).not.toContain('discover-rules')
  expect(toasts.shown).toHaveLength(1)
  const logged = await waitForLog(host, 'opencode-sat: SAT is off: its packages are not installed', clone)
  expect(logged).toHaveLength(1)
  // In a session, the host provides these modules to `tui.js`. Here, empty files replace them.
  for (const file of ['solid-js/index.js', '@opentui/solid/jsx-dev-runtime.js']) {
    writeFileAt(join(clone, 'node_modules', file))
  }
  // A terminal that starts together with its host misses the host's toast, so `tui.js` shows the message, too.
  expect(await toastOfTerminal(clone)).toMatchObject({
    id: 'opencode-sat',
    message: expect.stringContaining(`cd "${clone}" && npm install`),
    variant,
  })
  const run = await opencodeRun(project.directory, { ...host.env, SAT_EXIT: '1' })
  expect([run.status, run.stdout.trim()]).toEqual([1, 'Done.'])
  expect(run.stderr.split(`cd "${clone}" && npm install`)).toHaveLength(2)
})

story('`tui.js` without the modules of the host does not ask for an installation', async () => {
  // The host does not provide its modules to a clone inside a `node_modules`.
  const folder = join(scratch, 'node_modules', 'sat')
  copyCheckout(folder)
  symlinkSync(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'))
  expect(await toastOfTerminal(folder)).toMatchObject({
    message: expect.stringMatching(/it could not be loaded from .*node_modules\/sat: .*@opentui\/solid/),
  })
})

story('an invalid rule, a missing folder and a failing formatter are shown once each', async () => {
  const options = { rules: { directories: ['no/such/folder'] }, format_on_save: { '*.ts': 'exit 3' } }
  const host = await sharedHost()
  const files = { '.opencode/rules/broken.md': ruleFile('glob: x') }
  const project = host.project({ config: satWith(options), files })
  await using toasts = await toastsOf(project, host.url)
  for (const filePath of ['a.ts', 'b.ts'].map(project.path)) {
    await (await project.session()).turn('write', { tool: 'write', args: { filePath, content: 'x=1\n' } })
  }
  for (const words of [/broken\.md:2/, /no\/such\/folder/, /formatter failed \(status 3\): exit 3/]) {
    await toasts.waitFor(words)
    expect(toasts.shown.map(({ message }) => message).join('\n').split(words).length - 1).toBe(1)
  }
  const { stdout, stderr } = await opencodeRun(project.directory, host.env)
  expect(stdout.trim()).toBe('Done.')
  expect(stderr.split('\n').filter((line) => line.startsWith('SAT: ')).toSorted()).toEqual([
    'SAT: Left out the rule file .opencode/rules/broken.md:2: there is no key glob; did you mean globs?',
    'SAT: rules.directories: there is no folder no/such/folder',
  ])
})

story('SAT loads from a path relative to `~` or to the config, and is off if the path is wrong', async () => {
  const host = await sharedHost()
  symlinkSync(CHECKOUT, join(host.home, 'linked'))
  const isLoadedBy = async (spec: string) => {
    const files = { '.opencode/opencode.json': JSON.stringify({ plugin: [spec] }), 'tools/.keep': '' }
    const project = host.project({ files, config: { plugin: [] } })
    symlinkSync(CHECKOUT, project.path('tools/opencode-sat'))
    const { requests, text } = await (await project.session()).turn('hello', 'hi')
    expect(text).toBe('hi')
    return requests[0]!.tools.some((tool) => tool.function.name === 'discover-rules')
  }
  const specs = ['~/linked', '../tools/opencode-sat', '~/nowhere/opencode-sat']
  expect(await Promise.all(specs.map(isLoadedBy))).toEqual([true, true, false])
})

const storedKeys = async (session: Session): Promise<Array<string>> => {
  const parts = (await session.messages()).flatMap((message) => message.parts)
  const keys = parts.flatMap(({ metadata, state }) => Object.keys({ ...metadata, ...state?.metadata }))
  return [...new Set(keys.filter((key) => key.startsWith('opencode-sat')))].toSorted()
}

const STORED_KEYS = ['', '-command', '-off', '-reminder', '-shown'].map((end) => `opencode-sat${end}`)

story('a session in which SAT has stored data continues with `tools: false`, and without SAT', async () => {
  const { project, session } = await startChecked()
  const { model } = await sharedHost()
  const tasks = { tasks: [{ intent: 'Fix the price' }] }
  model.script(session.id, ['parse-prompt', 'format-prompt'].map((tool) => ({ tool, args: tasks })))
  await project.http('POST', `/session/${session.id}/command`, { command: 'refine', arguments: 'x' })
  await play(session, write(project, 'src/a.ts', 'let x: any\n'))
  await setSwitchedOff(session, '.opencode/rules/no-log.md')
  await session.turn('go on')
  await waitUntil(async () => Bun.deepEquals(await storedKeys(session), STORED_KEYS))

  for (const config of [satWith({ tools: false }), {}]) {
    project.write('opencode.json', JSON.stringify(config))
    await project.http('POST', '/instance/dispose')
    const { requests: [request], text } = await session.turn('go on', 'hi')
    expect(text).toBe('hi')
    // Without SAT, the model also reads the tree of tasks that SAT showed to the person.
    expect(countOf('1. Fix the price', request!)).toBe('plugin' in config ? 1 : 2)
  }
})

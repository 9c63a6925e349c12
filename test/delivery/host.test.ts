import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { CHECKOUT, type Host, type Project, startHost } from '../harness/host.ts'
import { logLines as linesOf } from '../harness/log.ts'
import { textOf } from '../harness/model.ts'
import { scratchFolder, writeFileAt as write } from '../harness/scratch.ts'
import { story, STORY_TIMEOUT_MS } from '../harness/story.ts'
import {
  agentsOf,
  compact,
  counts,
  expectCounts,
  read,
  recordOf,
  silentOf,
  times,
  until,
} from './delivered.ts'

// Each of these goes on where those before it ended.
const next = (name: string, tell: () => Promise<void>): void => test.serial(name, tell, STORY_TIMEOUT_MS)

/**
 * SAT with a client that is slow or fails for sessions whose title says so, with each creation reported twice where the
 * title says so. It notes the silent messages, and the bytes that are stored over them.
 */
const WRAPPED = `
import { appendFileSync } from 'node:fs'
import SAT from ${JSON.stringify(join(CHECKOUT, 'sat.ts'))}
const titles = new Map()
const failed = new Set()
export default async (input, options) => {
  const prompt = async (request) => {
    const { id } = request.path
    const title = titles.get(id) ?? ''
    appendFileSync(process.env.SENT_LOG, JSON.stringify({ id, body: request.body }) + '\\n')
    if (title.includes('slow')) await new Promise((resolve) => setTimeout(resolve, 800))
    if (title.includes('fails') && !failed.has(id)) {
      failed.add(id)
      return { error: { name: 'UnknownError', data: { message: 'the store is closed' } } }
    }
    return input.client.session.prompt(request)
  }
  const session = new Proxy(input.client.session, {
    get: (target, name) => (name === 'prompt' ? prompt : target[name].bind(target)),
  })
  const patch = (request) => {
    appendFileSync(process.env.STORED_LOG, JSON.stringify(request.body) + '\\n')
    return input.client._client.patch(request)
  }
  const http = new Proxy(input.client._client, {
    get: (target, name) => (name === 'patch' ? patch : target[name].bind(target)),
  })
  const own = { session, _client: http }
  const client = new Proxy(input.client, { get: (target, name) => own[name] ?? target[name] })
  const hooks = await SAT({ ...input, client }, options)
  return {
    ...hooks,
    event: async ({ event }) => {
      if (event.type === 'session.created') titles.set(event.properties.info.id, event.properties.info.title)
      await hooks.event({ event })
      if (titles.get(event.properties.info?.id)?.includes('twice')) await hooks.event({ event })
    },
  }
}
`

let host: Host | undefined
afterAll(() => host?.stop())

const scratch = scratchFolder()
const home = join(scratch, 'home')
const directory = join(scratch, 'project')
const sentLog = join(scratch, 'sent.log')
const storedLog = join(scratch, 'stored.log')
write(join(scratch, 'wrapped', 'index.js'), WRAPPED)
write(join(scratch, 'wrapped', 'package.json'), '{"type":"module","main":"./index.js"}')
write(sentLog, '')
write(storedLog, '')

type Sent = { id: string; body: { noReply: boolean; parts: Array<{ text: string }> } }
const sentTo = (id: string): Array<Sent['body']> =>
  readFileSync(sentLog, 'utf8').split('\n').filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Sent).filter((sent) => sent.id === id).map(({ body }) => body)

/** What was stored over the hidden message of a session. */
const storedIn = (id: string): string =>
  readFileSync(storedLog, 'utf8').split('\n').filter((line) => line.includes(id)).join('\n')

const logLines = (words: string): Array<string> => linesOf({ home }, words)

let project: Project
let resumed: string

/** Puts rules of the person's, of the project and of folders of the option there, and one with a fault. */
const writeRules = (): void => {
  write(join(home, 'config/opencode/rules/global-rule.md'), 'ALWAYS-GLOBAL')
  write(join(home, 'config/opencode/rules/another-rule.mdc'), 'ALWAYS-ANOTHER')
  write(join(home, 'config/opencode/rules/style.md'), 'ALWAYS-REPLACED')
  write(join(home, 'mine/own.md'), 'ALWAYS-OWN')
  project.write('extra/more.md', 'ALWAYS-MORE')
  project.write('.opencode/rules/project-rule.md', 'ALWAYS-PROJECT')
  project.write('.opencode/rules/style.md', 'ALWAYS-STYLE')
  project.write('.opencode/rules/python.md', '---\nglobs: "*.py"\n---\nJOINS-PYTHON')
  project.write('.opencode/rules/broken.md', '---\nx: 1\nglobs: [a, {b\n---\nBROKEN')
  // What a cloned repository may have in it, and what a manager of dotfiles makes.
  project.write('.env', 'SECRET')
  const login = join(home, 'data/opencode/auth.json')
  write(login, '{"provider": {"key": "SECRET"}}')
  write(join(scratch, 'store/x1-linked'), 'ALWAYS-LINKED')
  symlinkSync(join(scratch, 'store/x1-linked'), join(home, 'config/opencode/rules/linked.md'))
  for (const target of [project.path('.env'), login, project.path('.git/HEAD')]) {
    symlinkSync(target, project.path(`.opencode/rules/link-${basename(target)}.md`))
  }
}

const DISCOVERED = [
  'Discovered global rule: global-rule.md',
  'Discovered global rule: another-rule.mdc',
  'Discovered project rule: project-rule.md',
  'Discovered project rule: more.md',
]

next(
  'No rules when formattedRules is empty, Debug logging with no rules found, enabled for global rules, enabled for project rules',
  async () => {
    host = await startHost({
      home,
      plugin: [[join(scratch, 'wrapped'), { rules: { directories: ['extra', '~/mine'] } }]],
      env: { SENT_LOG: sentLog, STORED_LOG: storedLog, SAT_DEBUG: '1' },
    })
    mkdirSync(directory)
    project = host.project({
      directory,
      git: true,
      files: { 'a.py': 'print(1)\n', '.opencode/rules/.keep': 'HIDDEN' },
    })
    const alone = await project.session()
    const { requests: [bare] } = await alone.turn('hello')
    expect(bare!.messages.filter(({ role }) => role === 'user').map(textOf)).toEqual(['hello'])
    await compact(alone)
    expect(await agentsOf(alone)).toEqual([
      'user build',
      'assistant build',
      'user build',
      'assistant compaction',
    ])
    expect(sentTo(alone.id)).toEqual([])
    expect(logLines('Discovered')).toEqual([])

    writeRules()
    const session = await project.session()
    const { requests: [request] } = await session.turn('hello')
    const places = ['ANOTHER', 'GLOBAL', 'LINKED', 'PROJECT', 'STYLE', 'MORE', 'OWN']
      .map((rule) => request!.messages.map(textOf).join('\n').indexOf(`ALWAYS-${rule}`))
    expect(places).toEqual(places.toSorted((one, other) => one - other))
    expect(places).not.toContain(-1)
    expect([times('ALWAYS-REPLACED', request!), times('SECRET', request!)]).toEqual([0, 0])
    // A session can be shared: nothing of the person's own is stored in it.
    const stored = JSON.stringify((await silentOf(session)).map(({ parts }) => parts))
    for (const words of ['ALWAYS-GLOBAL', 'ALWAYS-LINKED', 'ALWAYS-OWN', 'SECRET', scratch]) {
      expect([words, stored.includes(words)]).toEqual([words, false])
    }
    expect(stored).toContain('ALWAYS-PROJECT')

    const told = `Rules for ${session.id}: another-rule (always), global-rule (always), linked (always)`
    // Nothing waits for the log; this line is written last.
    await until(async () => logLines(told).length > 0)
    for (const line of DISCOVERED) expect([line, logLines(line).length > 0]).toEqual([line, true])
    expect(logLines('Discovered global rule: style.md')).toEqual([])
    // What was sent to which session, and why.
    expect(logLines(told)).toHaveLength(1)
    const warnings = logLines('Left out the rule file')
    expect(warnings).toHaveLength(4)
    expect(warnings[0]).toContain(`${project.path('.opencode/rules/broken.md')}:3`)
  },
)

story(
  'Rules not sent twice to same session: a creation that is reported twice, or by two hosts',
  async () => {
    const session = await project.session({ title: 'told twice' })
    const { requests } = await session.turn('hello')
    expect(sentTo(session.id)).toHaveLength(1)
    expect(sentTo(session.id)).toMatchObject([
      { noReply: true, parts: [{ type: 'text', text: expect.stringContaining('ALWAYS-PROJECT') }] },
    ])
    expect(counts('ALWAYS-PROJECT', requests)).toEqual([1])
    // Another host that begins the same session sends the same, and the host stores it over the first one.
    await project.http('POST', `/session/${session.id}/message`, sentTo(session.id)[0])
    const silent = await silentOf(session)
    expect(silent).toHaveLength(1)
    expect(silent[0]!.parts).toHaveLength(1)
  },
)

story(
  'Error handling during message send: logged with its session, tried again, and the session goes on',
  async () => {
    const session = await project.session({ title: 'fails once' })
    await until(async () => sentTo(session.id).length > 0)
    const { requests } = await session.turnAs({ agent: 'plan' }, 'hello', 'hi')
    expect(requests).toHaveLength(1)
    expect(counts('ALWAYS-PROJECT', requests)).toEqual([1])
    const failures = () => logLines('The rules did not reach the session')
    await until(async () => failures().length > 0)
    const lines = failures()
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(session.id)
    expect(lines[0]).toContain('the store is closed')
    expect(sentTo(session.id)).toHaveLength(2)
    expect((await silentOf(session)).map(({ info }) => info.agent)).toEqual(['plan'])
  },
)

story('a delivery that is slow: the first request has the rules, the session stays what it is', async () => {
  const session = await project.session({ title: 'slow' })
  const { requests } = await session.turnAs({ agent: 'plan' }, 'hello', read('a.py'))
  expect(requests).toHaveLength(2)
  expect(counts('ALWAYS-PROJECT', requests)).toEqual([1, 1])
  await until(async () => (await silentOf(session)).every(({ info }) => info.agent === 'plan'))
  // What joined is stored over the message, without the texts of rules.
  await until(async () => storedIn(session.id).includes('a.py'))
  expect(storedIn(session.id)).toContain('a.py')
  expect(storedIn(session.id)).not.toMatch(/ALWAYS|JOINS/)
  expect(await agentsOf(session)).toEqual(['user plan', 'user plan', 'assistant plan', 'assistant plan'])
  expect(await recordOf(session)).toMatchObject({ agent: 'plan' })
  await compact(session)
  const { requests: [next] } = await session.turnAs({ agent: 'build' }, 'and now?')
  expect([times('ALWAYS-PROJECT', next!), times('JOINS-PYTHON', next!)]).toEqual([1, 1])
  expect(await recordOf(session)).toMatchObject({ agent: 'build' })
  expect(await silentOf(session)).toHaveLength(1)
  resumed = session.id
})

next(
  'Compaction for unknown session: sessions that the host resumes as after a restart, with what is stored of them alone',
  async () => {
    const untold = await project.session()
    await untold.turnAs({ agent: 'plan' }, 'hello', read('a.py'))
    await project.http('POST', '/instance/dispose')
    project.write('.opencode/rules/project-rule.md', 'ALWAYS-EDITED')

    const session = project.resume(resumed)
    const { requests } = await session.turnAs({ agent: 'plan' }, 'still there?')
    expect(requests).toHaveLength(1)
    expectCounts(requests, { 'ALWAYS-EDITED': [1], 'JOINS-PYTHON': [1], 'ALWAYS-PROJECT': [0] })
    expect(await silentOf(session)).toHaveLength(1)

    const unknown = project.resume(untold.id)
    const before = sentTo(unknown.id).length
    await compact(unknown)
    await until(async () => sentTo(unknown.id).length > before)
    const { requests: after } = await unknown.turnAs({ agent: 'plan' }, 'and now?')
    expect(sentTo(unknown.id)).toHaveLength(before + 1)
    expect(after).toHaveLength(1)
    expectCounts(after, { 'ALWAYS-EDITED': [1], 'JOINS-PYTHON': [1], 'ALWAYS-PROJECT': [0] })
    expect(await silentOf(unknown)).toHaveLength(1)
    expect(new Set(await agentsOf(unknown))).toEqual(
      new Set(['user plan', 'assistant plan', 'assistant compaction']),
    )
  },
)

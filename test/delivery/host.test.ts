import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { CHECKOUT, type Host, type Project, startHost } from '../harness/host.ts'
import { logLines as linesOf } from '../harness/log.ts'
import { textOf } from '../harness/model.ts'
import { scratchFolder, writeFileAt as write } from '../harness/scratch.ts'
import { STORY_TIMEOUT_MS } from '../harness/story.ts'
import { discoverIn, expectSame } from '../rewriting/layouts.ts'
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

// Each of these goes on where the one before it ended.
const story = (name: string, tell: () => Promise<void>): void => test.serial(name, tell, STORY_TIMEOUT_MS)

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
/** A second host in the same home, which knows nothing of the sessions of the first but what is stored. */
let other: Host | undefined
afterAll(async () => void await Promise.all([host?.stop(), other?.stop()]))

const scratch = scratchFolder()
const home = join(scratch, 'home')
const directory = join(scratch, 'project')
const sentLog = join(scratch, 'sent.log')
const storedLog = join(scratch, 'stored.log')
write(join(scratch, 'wrapped', 'index.js'), WRAPPED)
write(join(scratch, 'wrapped', 'package.json'), '{"type":"module","main":"./index.js"}')
write(sentLog, '')
write(storedLog, '')

const start = (env: Record<string, string> = {}): Promise<Host> =>
  startHost({
    home,
    plugin: [[join(scratch, 'wrapped'), { rules: { directories: ['extra', '~/mine'] } }]],
    env: { SENT_LOG: sentLog, STORED_LOG: storedLog, ...env },
  })

type Sent = { id: string; body: { noReply: boolean; parts: Array<{ text: string }> } }
const sentTo = (id: string): Array<Sent['body']> =>
  readFileSync(sentLog, 'utf8').split('\n').filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Sent).filter((sent) => sent.id === id).map(({ body }) => body)

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
  write(join(home, 'config/opencode/opencode.json'), '{"provider": {"SECRET": {}}}')
  write(join(scratch, 'store/x1-linked'), 'ALWAYS-LINKED')
  symlinkSync(join(scratch, 'store/x1-linked'), join(home, 'config/opencode/rules/linked.md'))
  const configs = join(home, 'config/opencode/opencode.json')
  for (const target of [project.path('.env'), configs, project.path('.git/HEAD')]) {
    symlinkSync(target, project.path(`.opencode/rules/link-${basename(target)}.md`))
  }
}

const DISCOVERED = [
  'Discovered global rule: global-rule.md',
  'Discovered global rule: another-rule.mdc',
  'Discovered project rule: project-rule.md',
  'Discovered project rule: more.md',
]

story(
  'No rules when formattedRules is empty, Debug logging with no rules found, enabled for global rules, enabled for project rules',
  async () => {
    host = await start({ SAT_DEBUG: '1' })
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

story('Rules not sent twice to same session: a creation that is reported twice', async () => {
  const session = await project.session({ title: 'told twice' })
  const { requests } = await session.turn('hello')
  expect(sentTo(session.id)).toHaveLength(1)
  expect(sentTo(session.id)).toMatchObject([
    { noReply: true, parts: [{ type: 'text', text: expect.stringContaining('ALWAYS-PROJECT') }] },
  ])
  expect(counts('ALWAYS-PROJECT', requests)).toEqual([1])
  expect(await silentOf(session)).toHaveLength(1)
})

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

story('two hosts that are asked at once for a new session store one hidden message', async () => {
  other = await start({ OPENCODE_DISABLE_CLAUDE_CODE: 'true' })
  const session = await project.session({ title: 'slow' })
  const there = other.project({ directory }).resume(session.id)
  const turns = await Promise.all([session.turn('one'), there.turn('two')])
  for (const { requests } of turns) {
    for (const request of requests) expect(times('ALWAYS-PROJECT', request)).toBe(1)
  }
  // A turn does not wait for it longer than ten seconds.
  await until(async () => (await silentOf(session)).length > 0)
  expect(await silentOf(session)).toHaveLength(1)
})

story('discover-rules shows what a host loads that reads no CLAUDE.md', async () => {
  const names = ['CLAUDE.md', 'CONTEXT.md', 'x.md']
  const there = other!.project({
    files: Object.fromEntries(names.map((name) => [name, name])),
    config: { instructions: ['x.md'] },
    git: true,
  })
  const comparison = await discoverIn(await there.session())
  expectSame(comparison, 'no CLAUDE.md')
  expect(comparison.found).toEqual(['CONTEXT.md', 'x.md'].map(there.path))
})

story('twenty rules that join next to 160 KB are stored in less than 100 kB', async () => {
  const ruleOf = (name: string, header: string) => [
    `.opencode/rules/${name.toLowerCase()}.md`,
    `${header}${name}. ${'x'.repeat(2_000)}\n`,
  ]
  const numbers = [...Array(20).keys()]
  const there = host!.project({
    files: Object.fromEntries([
      ...numbers.map((index) => [`src/${index}.ts`, 'x\n']),
      ...numbers.map((index) => ruleOf(`JOINS-${index}`, `---\nglobs: src/${index}.ts\n---\n`)),
      ...[...Array(80).keys()].map((index) => ruleOf(`ALWAYS-${index}`, '')),
    ]),
  })
  const session = await there.session()
  const reads = numbers.map((index) => read(`src/${index}.ts`))
  const { requests } = await session.turn('go', ...[0, 5, 10, 15].map((from) => reads.slice(from, from + 5)))
  expect(times('JOINS-', requests.at(-1)!)).toBe(20)
  const stored = () => readFileSync(storedLog, 'utf8').split('\n').filter((line) => line.includes(session.id))
  await until(async () => stored().at(-1)?.includes('src/19.ts') ?? false)
  expect(stored().join('').length).toBeLessThan(100_000)
})

story('a delivery that is slow: the first request has the rules, the session stays what it is', async () => {
  const session = await project.session({ title: 'slow' })
  const { requests } = await session.turnAs({ agent: 'plan' }, 'hello', read('a.py'))
  expect(requests).toHaveLength(2)
  expect(counts('ALWAYS-PROJECT', requests)).toEqual([1, 1])
  await until(async () => (await silentOf(session)).every(({ info }) => info.agent === 'plan'))
  expect(await agentsOf(session)).toEqual(['user plan', 'user plan', 'assistant plan', 'assistant plan'])
  expect(await recordOf(session)).toMatchObject({ agent: 'plan' })
  await compact(session)
  const { requests: [next] } = await session.turnAs({ agent: 'build' }, 'and now?')
  expect([times('ALWAYS-PROJECT', next!), times('JOINS-PYTHON', next!)]).toEqual([1, 1])
  expect(await recordOf(session)).toMatchObject({ agent: 'build' })
  expect(await silentOf(session)).toHaveLength(1)
  resumed = session.id
})

story(
  'Compaction for unknown session, Debug logging disabled: sessions that a host resumes which did not begin them',
  async () => {
    const untold = await project.session()
    await untold.turnAs({ agent: 'plan' }, 'hello', read('a.py'))
    await host!.stop()
    const discovered = logLines('Discovered').length
    project.write('.opencode/rules/project-rule.md', 'ALWAYS-EDITED')
    project = other!.project({ directory })

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
    expect(logLines('Discovered')).toHaveLength(discovered)
  },
)

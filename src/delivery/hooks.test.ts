import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { captureConfig } from '../host/config.ts'
import type { HooksPart } from '../host/join-hooks.ts'
import type { History } from './history.ts'
import { ruleDelivery, type RuleDeliveryInput } from './hooks.ts'

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'sat-hooks-')))
const project = join(scratch, 'project')
const before = process.env['OPENCODE_CONFIG_DIR']

beforeAll(() => {
  process.env['OPENCODE_CONFIG_DIR'] = join(scratch, 'config')
  mkdirSync(join(project, '.opencode/rules'), { recursive: true })
  writeFileSync(join(project, '.opencode/rules/a.md'), 'ALWAYS-A')
  symlinkSync(join(project, '.opencode/rules'), join(project, 'linked'))
})
afterAll(() => {
  if (before === undefined) delete process.env['OPENCODE_CONFIG_DIR']
  else process.env['OPENCODE_CONFIG_DIR'] = before
  rmSync(scratch, { recursive: true, force: true })
})

/** The texts of the request that the host makes of a history. */
const requestedBy = async (hooks: HooksPart, history: Array<object>): Promise<Array<string>> => {
  const messages = history as History
  await hooks['experimental.chat.messages.transform']!({}, { messages })
  return messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
}

/** The hooks over a client that can do nothing but take silent messages, as `answer` says. */
const start = async (
  answer: () => unknown = () => ({ data: {} }),
  directory = project,
  messages: () => Promise<unknown> = async () => ({ data: [] }),
) => {
  const sent: Array<{ path: { id: string }; body: object }> = []
  const errors: Array<[string, unknown]> = []
  const prompt = (request: (typeof sent)[number]) => {
    sent.push(request)
    return answer()
  }
  const captured = captureConfig()
  const hooks = await ruleDelivery({
    config: captured.current,
    client: {
      session: { prompt, messages },
    } as unknown as RuleDeliveryInput['client'],
    directory,
    worktree: directory,
    log: (level, message, extra) => void (level === 'error' && errors.push([message, extra?.['sessionID']])),
    toast: () => {},
    options: {},
  })
  const tell = (type: string, properties: object): Promise<void> =>
    hooks.event!({ event: { type, properties } } as Parameters<NonNullable<typeof hooks.event>>[0])
  return {
    sent,
    errors,
    requested: (...history: Array<object>) => requestedBy(hooks, history),
    config: captured.hooks.config!,
    said: (message: object, id = 'ses_1') =>
      hooks['chat.message']!({ sessionID: id }, { message, parts: [] } as never),
    compacting: (id = 'ses_1') =>
      hooks['experimental.session.compacting']!({ sessionID: id }, { context: [] }),
    created: (id = 'ses_1') => tell('session.created', { info: { id } }),
    compacted: (id = 'ses_1') => tell('session.compacted', { sessionID: id }),
    deleted: (id = 'ses_1') => tell('session.deleted', { info: { id } }),
  }
}

test('Rules sent on session creation: one silent message with one text part, and not twice', async () => {
  const { sent, created } = await start()
  await created()
  await created()
  expect(sent).toMatchObject([{
    path: { id: 'ses_1' },
    body: {
      noReply: true,
      parts: [{ type: 'text', synthetic: true, text: expect.stringContaining('ALWAYS-A') }],
    },
  }])
  await created('ses_2')
  expect(sent).toHaveLength(2)
})

test('Rules re-sent on session compaction, for an unknown session too, and tracked from then on', async () => {
  const { sent, created, compacted } = await start()
  await created()
  await compacted()
  await created()
  expect(sent).toHaveLength(2)
  await compacted('ses_2')
  await created('ses_2')
  expect(sent).toHaveLength(3)
})

const SAID = { info: { id: 'msg_1', role: 'user', sessionID: 'ses_1', time: { created: 1 } }, parts: [] }

test('what is summed up is left alone, and only that, also where there was nothing to sum up', async () => {
  const { created, compacting, compacted, requested } = await start()
  await created()
  await compacting()
  expect(await requested(SAID)).toEqual([])
  await compacted()
  expect(await requested(SAID)).toEqual([expect.stringContaining('ALWAYS-A')])
  await compacting()
  await requested()
  await compacted()
  expect(await requested(SAID)).toEqual([expect.stringContaining('ALWAYS-A')])
})

const BY_HOST = [
  '.opencode/rules/*.md',
  'x/../.opencode/**/a.md',
  'linked/a.md',
  join(project, 'linked', '*.md'),
]

for (const entry of BY_HOST) {
  test(`a rule that the host sends by ${entry.replace(project, '')} is not sent again`, async () => {
    const { sent, created, config } = await start()
    await config({ instructions: [entry] })
    await created()
    expect(sent).toEqual([])
  })
}

test('where any agent and model would give a session a model for good, the message waits for what is said', async () => {
  const { sent, config, created, said } = await start()
  await config({ agent: { build: { model: 'fake/own' } } })
  await created()
  expect(sent).toEqual([])
  const model = { providerID: 'fake', modelID: 'm' }
  await said({ agent: 'plan', model, time: { created: 1 } })
  await created()
  expect(sent).toMatchObject([{ body: { noReply: true, agent: 'plan', model } }])
  await config({ model: 'fake/m', agent: { build: { model: 'fake/own' } } })
  await created('ses_2')
  expect(sent[1]).toMatchObject({ body: { model } })
})

const FAILURES: Array<[name: string, answer: () => unknown]> = [
  ['answers with an error', () => ({ error: { name: 'NotFoundError', data: { message: 'gone away' } } })],
  ['rejects', () => Promise.reject(new Error('gone away'))],
  ['throws', () => {
    throw new Error('gone away')
  }],
]

for (const [name, answer] of FAILURES) {
  test(`Error handling during message send: the client ${name}`, async () => {
    let fails = true
    const { sent, errors, created } = await start(() => (fails ? answer() : { data: {} }))
    await created()
    expect(errors).toEqual([[expect.stringMatching(/ses_1.*gone away/), 'ses_1']])
    fails = false
    await created()
    await created()
    expect(sent).toHaveLength(2)
    expect(errors).toHaveLength(1)
  })
}

test('a history that cannot be read never counts as empty: nothing is sent, it is said, and tried again', async () => {
  let isGone = true
  const messages = async () => (isGone ? { error: { data: { message: 'the disk is gone' } } } : { data: [] })
  const { sent, errors, created, compacted, said, requested } = await start(undefined, project, messages)
  await created()
  await compacted()
  await said({ agent: 'plan', model: { providerID: 'fake', modelID: 'm' }, time: { created: 1 } })
  expect(sent).toEqual([])
  expect(errors).toHaveLength(3)
  expect(errors[0]).toEqual([expect.stringMatching(/ses_1.*could not be read.*the disk is gone/), 'ses_1'])
  // What stands before a compaction cannot be seen: this request has the rules, and nothing is stored.
  const ids = { sessionID: 'ses_1', time: { created: 2 } }
  const compaction = [
    { info: { ...ids, id: 'msg_2', role: 'user' }, parts: [{ id: 'prt_2', type: 'compaction' }] },
    {
      info: { ...ids, id: 'msg_3', role: 'assistant', parentID: 'msg_2', summary: true, finish: 'stop' },
      parts: [],
    },
  ]
  expect(await requested(...structuredClone(compaction))).toEqual([expect.stringContaining('ALWAYS-A')])
  expect(sent).toEqual([])
  isGone = false
  await said({ agent: 'plan', model: { providerID: 'fake', modelID: 'm' }, time: { created: 3 } })
  expect(sent).toMatchObject([{ body: { agent: 'plan' } }])
})

test('No rules when formattedRules is empty: nothing is sent on any event', async () => {
  const { sent, created, compacted } = await start(undefined, scratch)
  await created()
  await compacted()
  expect(sent).toEqual([])
})

test('what is known of an ended session is let go', async () => {
  const { sent, created, deleted } = await start()
  await created()
  await deleted()
  await created()
  expect(sent).toHaveLength(2)
})

test('the option `rules` turns delivery off', async () => {
  const input = { directory: project, worktree: project, log: () => {}, options: { rules: false } } as unknown
  expect(await ruleDelivery(input as RuleDeliveryInput)).toEqual({})
})

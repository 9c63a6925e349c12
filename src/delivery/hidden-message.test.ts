import { expect, test } from 'bun:test'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { type DeliveryInput, HiddenMessage } from './hidden-message.ts'
import { ruleDelivery, type RuleDeliveryInput } from './hooks.ts'

test('two hosts that are asked at once for a new session store one hidden message', async () => {
  const rule = { path: '/w/a.md', name: 'a', kind: 'always', body: 'A' }
  const onDisk = { rules: [rule], checking: [], leftOut: [], broken: [], instructions: [], folders: [] }
  const sent: Array<{ messageID: string; parts: Array<{ id: string }> }> = []
  const bothSent = Promise.withResolvers<object>()
  const prompt = ({ body }: { body: (typeof sent)[number] }) => {
    if (sent.push(body) === 2) bothSent.resolve({})
    return bothSent.promise
  }
  const get = async () => ({ data: { time: { created: 7 } } })
  const session = { prompt, get, messages: async () => ({ data: [] }) }
  const host = () =>
    new HiddenMessage('ses_1', {
      client: { session },
      log: () => {},
      debug: () => {},
      places: { real: { directory: '/w', worktree: '/w' } },
      config: () => ({}),
      readRules: async () => onDisk,
      brokenNow: async () => [],
    } as unknown as DeliveryInput)
  await Promise.all([host(), host()].map((hidden) => hidden.send({ said: { agent: 'build' } })))
  const [one, other] = sent.map(({ messageID, parts }) => [messageID, ...parts.map(({ id }) => id)])
  expect(one).toHaveLength(2)
  expect(other).toEqual(one!)
})

test('a fork whose messages are still being copied gets no second hidden message', async () => {
  const directory = scratchFolder()
  writeFileAt(`${directory}/.opencode/rules/a.md`, 'A')
  const sent: Array<string> = []
  const session = {
    prompt: async ({ path }: { path: { id: string } }) => ({ data: sent.push(path.id) }),
    get: async () => ({ data: { time: { created: 7 } } }),
    messages: async () => ({
      data: [{ info: { id: 'msg_1', role: 'user', time: { created: 7 } }, parts: [] }],
    }),
  }
  const { event } = await ruleDelivery({
    client: { session, app: { log: async () => ({}) } },
    directory,
    worktree: directory,
    log: () => {},
    toast: () => {},
    options: {},
    config: () => ({}),
  } as unknown as RuleDeliveryInput)
  for (const [id, title] of [['ses_1', 'Tea (fork #2)'], ['ses_2', 'Tea']]) {
    const created = { type: 'session.created', properties: { info: { id, title } } }
    await event!({ event: created } as unknown as Parameters<typeof event & {}>[0])
  }
  expect(sent).toEqual(['ses_2'])
})

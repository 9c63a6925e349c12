import { expect, test } from 'bun:test'
import { type DeliveryInput, HiddenMessage } from './hidden-message.ts'

test('two hosts that are asked at once for a new session store one hidden message', async () => {
  const rule = { path: '/w/a.md', name: 'a', kind: 'always', body: 'A' }
  const onDisk = { rules: [rule], leftOut: [], broken: [], instructions: [], folders: [] }
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

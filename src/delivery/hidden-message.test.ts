import { expect, test } from 'bun:test'
import { METADATA_KEY } from '../host/message-parts.ts'
import type { Panel } from '../host/panel-schema.ts'
import { type DeliveryInput, HiddenMessage } from './hidden-message.ts'
import type { Entry, EntryPart } from './history.ts'

const panel = (file: string): Panel => ({
  rules: [{ path: 'a.md', name: 'a', kind: 'file', bytes: 1 }],
  joined: [{ name: 'a', file }],
  leftOut: [],
  broken: [],
  instructions: [],
  folders: [],
})

const ids = { sessionID: 'ses_1', messageID: 'msg_1' }
const part = (id: string, data: object): EntryPart => ({
  ...ids,
  id,
  type: 'text',
  text: '',
  metadata: { [METADATA_KEY]: data },
})

const message = (...parts: Array<EntryPart>) =>
  [{ info: { id: 'msg_1', role: 'user', time: { created: 1 } }, parts }] as Array<Entry>

// No story can time it: a fork is reported while its messages are still copied, each part by itself.
test('what was found while a fork was copied is found again, with the part that its last change is in', async () => {
  const stored: Array<string> = []
  const patch = async ({ path }: { path: { partID: string } }) => {
    stored.push(path.partID)
    return {}
  }
  const input = { client: { _client: { patch } }, log: () => {}, debug: () => {} }
  const hidden = new HiddenMessage('ses_1', input as unknown as DeliveryInput)
  const [first, changes] = [part('prt_1', panel('a.ts')), part('prt_2', { joined: panel('b.ts').joined })]
  hidden.find(message(first))
  hidden.find(message(first, changes))
  hidden.show(panel('b.ts'))
  hidden.show(panel('c.ts'))
  await Bun.sleep(10)
  expect(stored).toEqual(['prt_2'])
})

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

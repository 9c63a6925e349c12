import { expect, test } from 'bun:test'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { Steps } from '../steps/steps.ts'
import { ruleDelivery, type RuleDeliveryInput } from './hooks.ts'

const directory = scratchFolder()
writeFileAt(`${directory}/.opencode/rules/a.md`, 'A')

type Sent = { path: { id: string }; body: { messageID: string; parts: Array<{ id: string }> } }

/** Starts SAT in several hosts, and reports the same new sessions to each. Returns the messages that SAT sends. */
const sentBy = async (hostCount: number, titles: Array<string>): Promise<Array<Sent>> => {
  const sent: Array<Sent> = []
  const firstMessage = { info: { id: 'msg_1', role: 'user', time: { created: 7 } }, parts: [] }
  const session = {
    prompt: async (request: Sent) => ({ data: sent.push(request) }),
    get: async () => ({ data: { time: { created: 7 } } }),
    messages: async () => ({ data: [firstMessage] }),
  }
  const client = { session, app: { log: async () => ({}) } }
  const log = () => {}
  for (let started = 0; started < hostCount; started++) {
    const steps = new Steps({ client, directory, log } as unknown as ConstructorParameters<typeof Steps>[0])
    const shared = { client, log, steps, toast: () => {}, config: () => ({}), options: {} }
    const input = { ...shared, directory, worktree: directory } as unknown as RuleDeliveryInput
    const { event } = await ruleDelivery(input)
    for (const [index, title] of titles.entries()) {
      const created = { type: 'session.created', properties: { info: { id: `ses_${index}`, title } } }
      await event!({ event: created } as unknown as Parameters<typeof event & {}>[0])
    }
  }
  return sent
}

test('in two hosts, the hidden message of a session has the same ids, so it is stored once', async () => {
  const sent = await sentBy(2, ['Tea'])
  const [first, second] = sent.map(({ body }) => [body.messageID, ...body.parts.map(({ id }) => id)])
  expect(first).toEqual([expect.any(String), expect.any(String)])
  expect(second).toEqual(first!)
})

test('SAT sends no hidden message to a new fork, because the host copies it from the original', async () => {
  const sent = await sentBy(1, ['Tea (fork #2)', 'Tea'])
  expect(sent.map(({ path }) => path.id)).toEqual(['ses_1'])
})

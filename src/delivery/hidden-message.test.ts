import { expect, test } from 'bun:test'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { Steps } from '../steps/steps.ts'
import { ruleDelivery, type RuleDeliveryInput } from './hooks.ts'

const directory = scratchFolder()
writeFileAt(`${directory}/.opencode/rules/a.md`, 'A')

type Sent = { path: { id: string }; body: { messageID: string; parts: Array<{ id: string }> } }

/**
 * Creates a store of sessions that answers once it has received `count` messages, and a function that starts a host.
 * That function returns another, which reports a new session to the host.
 */
const storeOf = (count: number) => {
  const sent: Array<Sent> = []
  const all = Promise.withResolvers<object>()
  const session = {
    prompt: (request: Sent) => {
      if (sent.push(request) === count) all.resolve({ data: {} })
      return all.promise
    },
    get: async () => ({ data: { time: { created: 7 } } }),
    messages: async () => ({
      data: [{ info: { id: 'msg_1', role: 'user', time: { created: 7 } }, parts: [] }],
    }),
  }
  const startHost = async () => {
    const client = { session, app: { log: async () => ({}) } }
    const log = () => {}
    const steps = new Steps({ client, directory, log } as unknown as ConstructorParameters<typeof Steps>[0])
    const edge = { client, log, steps, toast: () => {}, config: () => ({}), options: {} }
    const { event } = await ruleDelivery(
      { ...edge, directory, worktree: directory } as unknown as RuleDeliveryInput,
    )
    return (id: string, title: string) => {
      const created = { type: 'session.created', properties: { info: { id, title } } }
      return event!({ event: created } as unknown as Parameters<typeof event & {}>[0])
    }
  }
  return { sent, startHost }
}

test('two hosts store one hidden message for a new session', async () => {
  const { sent, startHost } = storeOf(2)
  const hosts = [await startHost(), await startHost()]
  await Promise.all(hosts.map((reportCreated) => reportCreated('ses_1', 'Tea')))
  const [first, second] = sent.map(({ body }) => [body.messageID, ...body.parts.map(({ id }) => id)])
  expect(first).toHaveLength(2)
  expect(second).toEqual(first!)
})

test("a new fork is sent no hidden message, because the host copies its parent's", async () => {
  const { sent, startHost } = storeOf(1)
  const reportCreated = await startHost()
  await reportCreated('ses_1', 'Tea (fork #2)')
  await reportCreated('ses_2', 'Tea')
  expect(sent.map(({ path }) => path.id)).toEqual(['ses_2'])
})

import type { Hooks } from '@opencode-ai/plugin'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { scratchFolder, writeFileAt } from '../../test/harness/scratch.ts'
import { RefusedCall } from '../host/join-hooks.ts'
import type { History } from './history.ts'
import { ruleDelivery, type RuleDeliveryInput } from './hooks.ts'

const NEW_FILE = { args: { filePath: 'a.js', content: '' } }

test('a new file is refused for a rule that its request lacks, and for none where rules could not be injected', async () => {
  const directory = scratchFolder()
  writeFileAt(join(directory, '.opencode/rules/js.md'), '---\nglobs: "*.js"\n---\nUse const.\n')
  const answers = async () => ({ data: [] })
  const client = { session: { messages: answers, get: answers, prompt: answers }, app: { agents: answers } }
  const hooks = await ruleDelivery({
    client: client as unknown as RuleDeliveryInput['client'],
    ...{ directory, worktree: directory, log: () => {}, toast: () => {}, options: {}, config: () => ({}) },
  })
  const request = async (parts: History[number]['parts']) => {
    const info = { id: 'msg_1', role: 'user', sessionID: 'ses_1', time: { created: 0 } }
    const messages = [{ info, parts }] as unknown as History
    await hooks['experimental.chat.messages.transform']!({}, { messages }).catch(() => {})
  }
  const call = { tool: 'write', sessionID: 'ses_1', callID: 'call_1' }
  const write = (): Promise<unknown> =>
    (hooks as Required<Hooks>)['tool.execute.before'](call, NEW_FILE).catch((thrown: unknown) => thrown)

  await request([])
  expect(await write()).toBeInstanceOf(RefusedCall)
  // A history that cannot be read at all.
  await request(null as never)
  expect(await write()).toBeUndefined()
})

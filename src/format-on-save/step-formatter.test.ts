/** Tests that the hooks of format on save accept events of the host that concern no session. */
import type { Hooks, PluginInput } from '@opencode-ai/plugin'
import { expect, test } from 'bun:test'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { Steps } from '../steps/steps.ts'
import { formatOnSave } from './index.ts'

type Event = Parameters<NonNullable<Hooks['event']>>[0]['event']

const directory = scratchFolder()

test('an event without a session causes no error', async () => {
  const [client, log] = [{} as PluginInput['client'], () => {}]
  const steps = new Steps({ client, directory, log })
  const workspace = { directory, worktree: directory }
  const hooks = formatOnSave({ client, steps, workspace, option: { '*.ts': 'true' }, log, toast: log })
  // The first request loads the step formatter, which receives events.
  const messages = [{ info: { id: 'msg', role: 'user', sessionID: 'ses' }, parts: [] }] as never
  await hooks['experimental.chat.messages.transform']?.({}, { messages })
  const event = { type: 'lsp.updated', properties: {} } as unknown as Event
  expect(await hooks.event?.({ event })).toBeUndefined()
})

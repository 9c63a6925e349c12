import type { Hooks } from '@opencode-ai/plugin'
import { expect, test } from 'bun:test'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startHooks } from '../../test/formatting/hooks.ts'

type Event = Parameters<NonNullable<Hooks['event']>>[0]['event']

test('an event without a session is ignored', async () => {
  const hooks = await startHooks(mkdtempSync(join(tmpdir(), 'sat-step-')), { '*.ts': 'true' })
  // The first request loads the step formatter, which then receives events.
  const messages = [{ info: { id: 'msg', role: 'user', sessionID: 'ses' }, parts: [] }] as never
  await hooks['experimental.chat.messages.transform']?.({}, { messages })
  const event = { type: 'lsp.updated', properties: {} } as unknown as Event
  expect(await hooks.event?.({ event })).toBeUndefined()
})

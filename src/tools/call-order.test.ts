import type { ToolContext } from '@opencode-ai/plugin'
import { expect, test } from 'bun:test'
import { setTimeout } from 'node:timers/promises'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { runInTurn, runWriterInTurn } from './call-order.ts'
import { SessionStates } from './pipeline-state.ts'

const directory = scratchFolder()
const tools = { description: '', directory, sessions: new SessionStates() }

test.each<[answerMs: number, waits: string, minMs: number, hasEnded: boolean]>([
  [40, 'for the answer', 0, true],
  [2_000, 'a tenth of a second', 95, false],
])('if the person answers after %p ms, the next call waits %s', async (answerMs, _, minMs, hasEnded) => {
  const sessionID = `answer after ${answerMs} ms`
  const context = { sessionID, directory, ask: () => setTimeout(answerMs) } as unknown as ToolContext
  const start = Date.now()
  let hasAskingCallEnded = false
  void runWriterInTurn(tools, context, ({ permissions }) => permissions.askToEnter('/outside/a.md'))
    .finally(() => hasAskingCallEnded = true)
  await runInTurn(sessionID, async () => expect(hasAskingCallEnded).toBe(hasEnded))
  expect(Date.now() - start).toBeGreaterThanOrEqual(minMs)
})

test('a call that throws does not block the next call', async () => {
  await runInTurn('throws', () => Promise.reject(new Error('broken'))).catch(() => {})
  expect(await runInTurn('throws', async () => 'next')).toBe('next')
})

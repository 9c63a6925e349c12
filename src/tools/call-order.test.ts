import type { ToolContext } from '@opencode-ai/plugin'
import { expect, test } from 'bun:test'
import { setTimeout } from 'node:timers/promises'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { inCallOrder, inOrder } from './call-order.ts'
import { PipelineState } from './pipeline-state.ts'

const directory = scratchFolder()
const tools = { description: '', directory, sessions: new PipelineState() }

/** Runs a call whose question is open for some milliseconds; gives when the next call of its session ran, and whether before its end. */
const waitBehind = async (sessionID: string, openMs: number): Promise<{ ms: number; isBefore: boolean }> => {
  const context = { sessionID, directory, ask: () => setTimeout(openMs) } as unknown as ToolContext
  const start = Date.now()
  let hasEnded = false
  const first = inCallOrder(tools, context, ({ permissions }) => permissions.toEnter('/elsewhere/a.md'))
    .finally(() => hasEnded = true)
  const second = inOrder(sessionID, async () => ({ ms: Date.now() - start, isBefore: !hasEnded }))
  await first
  return second
}

test('a question that is answered at once holds the next call until its own has ended', async () => {
  expect(await waitBehind('answered', 40)).toMatchObject({ isBefore: false })
})

test('a question that stays open holds the next call for a tenth of a second', async () => {
  const { ms, isBefore } = await waitBehind('open', 2_000)
  expect(isBefore).toBe(true)
  expect(ms).toBeGreaterThanOrEqual(95)
})

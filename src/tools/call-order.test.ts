import type { ToolContext } from '@opencode-ai/plugin'
import { expect, test } from 'bun:test'
import { setTimeout } from 'node:timers/promises'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { runInTurn, runWriterInTurn } from './call-order.ts'
import { PipelineState } from './pipeline-state.ts'

const directory = scratchFolder()
const tools = { description: '', directory, sessions: new PipelineState() }

// How the call waits, how long the question is open, and whether the call runs before the earlier one has ended.
test.each([
  ['until an earlier call with a short question has ended', 40, false],
  ['a tenth of a second for an earlier call with a long question', 2_000, true],
])(
  'a call waits %s',
  async (sessionID, openMs, passes) => {
    const context = { sessionID, directory, ask: () => setTimeout(openMs) } as unknown as ToolContext
    const start = Date.now()
    let hasEnded = false
    void runWriterInTurn(tools, context, ({ permissions }) => permissions.toEnter('/elsewhere/a.md'))
      .finally(() => hasEnded = true)
    await runInTurn(sessionID, async () => expect(hasEnded).toBe(!passes))
    expect(Date.now() - start).toBeGreaterThanOrEqual(passes ? 95 : 0)
  },
)

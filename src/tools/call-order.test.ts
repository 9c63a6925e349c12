import type { ToolContext } from '@opencode-ai/plugin'
import { expect, test } from 'bun:test'
import { setTimeout } from 'node:timers/promises'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { inCallOrder, inOrder } from './call-order.ts'
import { PipelineState } from './pipeline-state.ts'

const directory = scratchFolder()
const tools = { description: '', directory, sessions: new PipelineState() }

test.each([['answered at once', 40, false], ['left open', 2_000, true]])(
  'the next call of a session waits for one whose question is %s, for a tenth of a second at most',
  async (sessionID, openMs, passes) => {
    const context = { sessionID, directory, ask: () => setTimeout(openMs) } as unknown as ToolContext
    const start = Date.now()
    let hasEnded = false
    void inCallOrder(tools, context, ({ permissions }) => permissions.toEnter('/elsewhere/a.md'))
      .finally(() => hasEnded = true)
    await inOrder(sessionID, async () => expect(hasEnded).toBe(!passes))
    expect(Date.now() - start).toBeGreaterThanOrEqual(passes ? 95 : 0)
  },
)

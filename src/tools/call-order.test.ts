import type { ToolContext } from '@opencode-ai/plugin'
import { expect, test } from 'bun:test'
import { setTimeout } from 'node:timers/promises'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { serialize, serializeWriter } from './call-order.ts'
import { PipelineState } from './pipeline-state.ts'

const directory = scratchFolder()
const tools = { description: '', directory, sessions: new PipelineState() }

test.each([['answered at once', 40, false], ['left open', 2_000, true]])(
  'a call waits for an earlier one whose question is %s, for at most a tenth of a second',
  async (sessionID, openMs, passes) => {
    const context = { sessionID, directory, ask: () => setTimeout(openMs) } as unknown as ToolContext
    const start = Date.now()
    let hasEnded = false
    void serializeWriter(tools, context, ({ permissions }) => permissions.toEnter('/elsewhere/a.md'))
      .finally(() => hasEnded = true)
    await serialize(sessionID, async () => expect(hasEnded).toBe(!passes))
    expect(Date.now() - start).toBeGreaterThanOrEqual(passes ? 95 : 0)
  },
)

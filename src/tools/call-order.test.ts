import type { ToolContext } from '@opencode-ai/plugin'
import { expect, test } from 'bun:test'
import { setTimeout } from 'node:timers/promises'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { runInTurn, runWriterInTurn } from './call-order.ts'
import { PipelineState } from './pipeline-state.ts'

const directory = scratchFolder()
const tools = { description: '', directory, sessions: new PipelineState() }

test.each<[questionMs: number, waits: string, minMs: number, hasEnded: boolean]>([
  [40, 'until that has ended', 0, true],
  [2_000, 'a tenth of a second', 95, false],
])(
  'after a call that asks the person for %p ms, the next call waits %s',
  async (questionMs, sessionID, minMs, hasEnded) => {
    const context = { sessionID, directory, ask: () => setTimeout(questionMs) } as unknown as ToolContext
    const start = Date.now()
    let hasAskingEnded = false
    // A file outside the project, so that the call asks.
    void runWriterInTurn(tools, context, ({ permissions }) => permissions.toEnter('/elsewhere/a.md'))
      .finally(() => hasAskingEnded = true)
    await runInTurn(sessionID, async () => expect(hasAskingEnded).toBe(hasEnded))
    expect(Date.now() - start).toBeGreaterThanOrEqual(minMs)
  },
)

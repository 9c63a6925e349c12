import type { ToolContext } from '@opencode-ai/plugin'
import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAddTool } from './add-rules.ts'
import { PipelineState } from './pipeline-state.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'sat-add-rules-')))
afterAll(() => rmSync(folder, { recursive: true }))

test('the project’s own file comes before one outside that was shown, so it has to be shown first', async () => {
  const [directory, outside] = [join(folder, 'project'), join(folder, 'outside.md')]
  mkdirSync(directory)
  for (const path of [outside, join(directory, 'AGENTS.md')]) writeFileSync(path, 'be nice\n')
  const tool = createAddTool({
    description: '',
    directory,
    discovered: new Set([outside]),
    sessions: new PipelineState(),
    config: () => ({}),
  })
  const context = { sessionID: 's', directory, worktree: directory, ask: async () => {} }
  const added = await tool.execute({ rules: ['- new'] }, context as unknown as ToolContext)
  expect(added).toMatchObject({
    output: expect.stringMatching(/added to .*project\/AGENTS\.md: discover-rules has not shown it/),
  })
  expect(readFileSync(outside, 'utf8')).toBe('be nice\n')
})

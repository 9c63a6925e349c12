import type { ToolContext } from '@opencode-ai/plugin'
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchWithState } from '../../test/harness/scratch.ts'
import { toolOutput } from '../../test/harness/tool-output.ts'
import {
  createAddTool,
  createDiscoverTool,
  createFormatRulesTool,
  createParseRulesTool,
  createRewriteTool,
} from './rules.ts'

const directory = scratchWithState()
const description = ''
const path = join(directory, 'AGENTS.md')
const discovered = new Set<string>()

const contextOf = (sessionID: string, messageID: string) =>
  ({ sessionID, messageID, agent: 'build', directory, worktree: directory }) as ToolContext

test('tools that are made with the options of the plan alone share what they know', async () => {
  writeFileSync(path, 'We sell tea. dont use npm!!\n')
  const context = contextOf('plan', 'one')
  const call = (tool: Parameters<typeof toolOutput>[0], args: object) => toolOutput(tool, args, context)
  const rule = { strength: 'forbidden', action: 'use', target: 'npm' }
  await call(createDiscoverTool({ description, directory, discovered }), {})
  expect(await call(createParseRulesTool({ description }), { rules: [rule] })).toContain('"npm"')
  expect(await call(createFormatRulesTool({ description }), { rules: ['Rule: Do not use npm.'] })).toContain(
    'npm',
  )
  const rewrite = createRewriteTool({ description, directory, discovered })
  expect(await call(rewrite, {})).toContain('1 line in no rule')
  const added = call(createAddTool({ description, directory, discovered }), { rules: ['Rule: Use pnpm.'] })
  expect(await added).toContain('Added 1 rule(s)')
  expect(readFileSync(path, 'utf8')).toBe('We sell tea. dont use npm!!\n\nUse pnpm.\n')
})

test('a call that throws leaves no lock behind', async () => {
  const broken = createRewriteTool({
    description,
    directory,
    discovered: new Set([path]),
    sessions: {
      of: () => {
        throw new Error('broken')
      },
    } as never,
  })
  const call = (tool: typeof broken) =>
    toolOutput(tool, { rules: ['- x'], files: path }, contextOf('lock', 'one'))
  expect(await call(broken)).toContain('The tool failed: broken')
  expect(await call(createRewriteTool({ description, directory, discovered: new Set([path]) }))).toContain(
    'in no rule',
  )
})

const RULES = Array.from(
  { length: 3 },
  (_, index) => ({ strength: 'obligatory', action: 'use', target: `tool ${index}` }),
)

test.each<[corrections: unknown, answer: RegExp]>([
  [{ 2: { target: 'tabs' } }, /"tool 0"[^]*"tabs"[^]*"tool 2"/],
  [{ rules: { 3: { target: 'tabs' } } }, /"tool 1"[^]*"tabs"/],
  ['{"1": {"target": "tabs"}}', /"tabs"[^]*"tool 1"[^]*"tool 2"/],
  [[{ index: 2, target: 'tabs' }], /"tool 0"[^]*"tabs"[^]*"tool 2"/],
  [{ 4: { target: 'tabs' } }, /^There is no rule 4 to correct: 3 were sent to parse-rules/],
  [{ 0: { target: 'tabs' } }, /^There is no rule 0/],
  [{ 2: { strength: 'good' } }, /rules\.1\.strength/],
])('single rules are corrected by %j', async (corrections, answer) => {
  const parse = createParseRulesTool({ description })
  const call = (rules: unknown) => toolOutput(parse, { rules }, contextOf(JSON.stringify(corrections), 'one'))
  await call(RULES)
  expect(await call(corrections)).toMatch(answer)
})

test('a first list may number its members', async () => {
  const parse = createParseRulesTool({ description })
  const rules = RULES.map((rule, index) => ({ index: index + 1, ...rule }))
  expect(await toolOutput(parse, { rules }, contextOf('numbered', 'one'))).toContain('"tool 2"')
})

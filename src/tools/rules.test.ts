/** Unit tests of the tools of the rules pipeline, without a host. */
import type { ToolContext, ToolDefinition } from '@opencode-ai/plugin'
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

const contextOf = (sessionID: string, messageID = 'one', parts: Partial<ToolContext> = {}) =>
  ({ sessionID, messageID, agent: 'build', directory, worktree: directory, ...parts }) as ToolContext

test('tools created without `sessions` share the parsed rules; `discovered` holds the shown files', async () => {
  const discovered = new Set<string>()
  const path = join(directory, 'AGENTS.md')
  writeFileSync(path, 'We sell tea. dont use npm!!\n')
  const call = (tool: ToolDefinition, args: object = {}) => toolOutput(tool, args, contextOf('plan'))
  const rule = { strength: 'forbidden', action: 'use', target: 'npm' }
  await call(createDiscoverTool({ description, directory, discovered }))
  expect(await call(createParseRulesTool({ description }), { rules: [rule] })).toContain('"npm"')
  await call(createFormatRulesTool({ description }), { rules: ['Rule: Do not use npm.'] })
  expect(await call(createRewriteTool({ description, directory, discovered }))).toContain('1 line in no rule')
  expect(await call(createAddTool({ description, directory, discovered }))).toContain('Added 1 rule(s)')
  expect(readFileSync(path, 'utf8')).toBe('We sell tea. dont use npm!!\n\nDo not use npm.\n')
})

test('a stopped call lists each file as written or not written', async () => {
  const paths = ['a.md', 'b.md', 'c.md'].map((name) => join(directory, name))
  for (const path of paths) writeFileSync(path, 'old\n')
  const stop = new AbortController()
  const ask: ToolContext['ask'] = async ({ patterns }) => {
    if (patterns.includes('b.md')) stop.abort()
  }
  const rewrite = createRewriteTool({ description, directory, discovered: new Set(paths) })
  const args = { rules: ['- new'], files: paths, mode: 'concise' }
  const call = (messageID: string) =>
    toolOutput(rewrite, args, contextOf('stopped', messageID, { ask, abort: stop.signal }))
  expect(await call('question')).toMatch(/^Nothing was written: .*\n- `.*a\.md`: 1 line in no rule: `old`\n/)
  const output = await call('confirmation')
  expect(output).toMatch(/^\| a\.md +\| Success .*\n\| b\.md +\| Not written .*\n\| c\.md +\| Not written /m)
  expect(output).toContain('1 line in no rule: `old`. The backup contains these lines')
  expect(output).toContain(`Not written: ${paths[1]}: the call was stopped while it waited for permission`)
  expect(output).toContain(`Not written: ${paths[2]}: the call was stopped before it wrote this file`)
  expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(['- new\n', 'old\n', 'old\n'])
})

const RULES = ['npm', 'tabs', 'eval'].map((target) => ({ strength: 'forbidden', action: 'use', target }))
const parseRules = createParseRulesTool({ description })
const formatRules = createFormatRulesTool({ description })

const numbered = (rules: Array<object>) => rules.map((rule, index) => ({ index: index + 1, ...rule }))

const send = (session: string, tool: ToolDefinition, rules: unknown, message?: string) =>
  toolOutput(tool, { rules }, contextOf(session, message))

const correct = async (corrections: unknown): Promise<string> => {
  const session = JSON.stringify(corrections)
  expect(await send(session, parseRules, numbered(RULES))).toContain('"eval"')
  return send(session, parseRules, corrections)
}

test.each<[corrections: unknown, targets: Array<string>]>([
  [{ 2: null }, ['npm', 'eval']],
  [[{ index: 2, rule: null }], ['npm', 'eval']],
  [{ index: 2, target: 'var' }, ['npm', 'var', 'eval']],
  [numbered([...RULES, { ...RULES[0], target: 'var' }]), ['npm', 'tabs', 'eval', 'var']],
])('%j corrects the rules on npm, tabs and eval to rules on %j', async (corrections, targets) => {
  const { rules } = JSON.parse(await correct(corrections)) as { rules: typeof RULES }
  expect(rules.map(({ target }) => target)).toEqual(targets)
})

test.each<[corrections: unknown, answer: RegExp]>([
  [[{ index: 2, target: 'var' }, RULES[0]], /rules\.0\.index: unknown/],
  [{ 0: { target: 'var' } }, /^There is no rule 0/],
  [{ 2: { strength: 'good' } }, /rules\.1\.strength/],
])('the correction %j of three rules is refused with %p', async (corrections, answer) => {
  expect(await correct(corrections)).toMatch(answer)
})

test('a correction drops the unknown properties of the earlier rule', async () => {
  const withUnknown = RULES.map((rule) => ({ ...rule, must: 'not' }))
  expect(await send('unknown', parseRules, withUnknown)).toContain('rules.1.must: unknown')
  // After a correction of rules 1 and 2, only rule 3 has an unknown property.
  expect(await send('unknown', parseRules, { 1: RULES[0], 2: { reason: 'x' } })).not.toMatch(/rules\.[01]/)
  expect(await send('unknown', parseRules, { 3: RULES[2] })).toMatch(/"npm"[^]*"tabs"[^]*"x"[^]*"eval"/)
})

test('format-rules refuses to remove a text by number, because a repeat would remove the next text', async () => {
  await send('null', formatRules, ['a', 'b', 'c'])
  const refusal = /rules\.1: [^]*by number: \{"2"/
  for (const _ of ['once', 'again']) expect(await send('null', formatRules, { 2: null })).toMatch(refusal)
  expect(await send('null', formatRules, { 2: 'd' })).toMatch(/"a"[^]*"d"[^]*"c"/)
})

// `RULES[1]` forbids tabs, so format-rules asks the model to correct `Use tabs.` or to send it again.
const isDoubted = async (session: string, message: string): Promise<boolean> =>
  (await send(session, formatRules, ['Use tabs.'], message)).includes('send the same again')

test('a doubted text is accepted when a later message repeats it', async () => {
  await send('doubted', parseRules, [RULES[1]], 'first')
  expect(await isDoubted('doubted', 'first')).toBe(true)
  expect(await isDoubted('doubted', 'first')).toBe(true)
  expect(await isDoubted('doubted', 'second')).toBe(false)
})

test('a text that was doubted is doubted again after other rules were parsed', async () => {
  await send('other', parseRules, [RULES[1]], 'first')
  expect(await isDoubted('other', 'first')).toBe(true)
  await send('other', parseRules, [RULES[1], RULES[2]], 'second')
  expect(await isDoubted('other', 'second')).toBe(true)
  expect(await isDoubted('other', 'third')).toBe(false)
})

test('after parse-rules refused rules, texts are not compared with earlier rules', async () => {
  await send('refused', parseRules, RULES)
  await send('refused', parseRules, [{ target: 'eval' }])
  expect(await send('refused', formatRules, ['Use tabs.'])).toStartWith('{')
})

test('add-rules adds accepted texts, and refuses a list with a text that format-rules refused', async () => {
  const path = join(directory, 'refused.md')
  writeFileSync(path, 'old\n')
  const addRules = createAddTool({ description, directory, discovered: new Set([path]) })
  const [accepted, refused, other] = ['Do not use npm.', 'Use tabs.', 'Ask Ann.']
  const refusal = /^Nothing was written: format-rules refused `Use tabs\.`\. Fix what it reported/
  await send('add', parseRules, RULES.slice(0, 2))
  await send('add', formatRules, [accepted, refused])
  for (const rules of [[refused], [other, ` ${refused} `], [refused, accepted]]) {
    expect(await send('add', addRules, rules)).toMatch(refusal)
  }
  expect(await send('add', addRules, [accepted, other])).toStartWith('Added 2 rule(s)')
  await send('add', formatRules, [accepted, refused], 'confirmed')
  expect(await send('add', addRules, [refused])).toStartWith('Added 1 rule(s)')
})

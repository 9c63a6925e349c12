import type { ToolDefinition } from '@opencode-ai/plugin'
import { expect, test } from 'bun:test'
import { toolOutput as run } from '../../test/harness/tool-output.ts'
import { SessionStates } from './pipeline-state.ts'
import { createFormatPromptTool, createParsePromptTool } from './prompts.ts'
import { createFormatRulesTool, createParseRulesTool } from './rules.ts'

const options = { description: '', sessions: new SessionStates() }
const parseRules = createParseRulesTool(options)
const formatRules = createFormatRulesTool(options)
const parsePrompt = createParsePromptTool(options)

const json = JSON.stringify
const RULE = { strength: 'forbidden', action: 'use', target: 'eval', reason: 'unsafe' }
const TASK = { intent: 'Fix it', targets: ['src'], constraints: [], subtasks: [] }
const BARE = { intent: 'Fix it', targets: [], constraints: [], subtasks: [] }

const parsedTasks = async (tasks: unknown): Promise<unknown> => JSON.parse(await run(parsePrompt, { tasks }))

test.each([
  ...['src', 'src, test', '[slug].md', '```ts\nx\n```', '```ts\n[a] = b\n```', '{"type":"module"} stays'],
  ...['["a"].md', '[] is empty', "['a'] and b", '"[slug].md"', '```\n["a"]\n``` is a list', 'as {"a":1}'],
])('parse-prompt reads the targets %j as a single target', async (targets) => {
  expect(await parsedTasks([{ ...TASK, targets }])).toEqual({ tasks: [{ ...TASK, targets: [targets] }] })
})

test.each(
  ['["src"]', '[‘src’]', '[\\"src\\"]', '["src"];', "['src',]", json('["src"]'), '```json\n["src"]\n```'],
)('parse-prompt reads the targets %j as a list in JSON', async (targets) => {
  expect(await parsedTasks([{ ...TASK, targets }])).toEqual({ tasks: [{ ...TASK, targets: ['src'] }] })
})

test.each<[tasks: unknown, task: object]>([
  [[{ intent: 'Fix it', targets: '""', constraints: '[ ]', subtasks: 'None' }], BARE],
  [{ ...TASK, subtasks: BARE }, { ...TASK, subtasks: [BARE] }],
  [[{ ...TASK, subtasks: "[{'intent': 'Fix it'}]" }], { ...TASK, subtasks: [BARE] }],
  [{ tasks: json([json(TASK)]) }, TASK],
  [{ tasks: [{ ...TASK, context: [], priority: null, notes: '', tags: [], meta: {} }], version: null }, TASK],
])('parse-prompt reads the argument "tasks" %j as the single task %j', async (tasks, task) => {
  expect(await parsedTasks(tasks)).toEqual({ tasks: [task] })
})

test('parse-rules accepts a strength in quotes, and null for optional and unknown keys', async () => {
  const sent = { ...RULE, strength: '"forbidden"', reason: null, context: null, scope: '', id: null }
  const { reason: _, ...accepted } = RULE
  expect(JSON.parse(await run(parseRules, { rules: [sent] }))).toEqual({ rules: [accepted] })
})

test.each<unknown>([
  { rules: { rules: '- x' } },
  { rules: { rules: '```json\n{"rules": [\'- x\']}\n```' } },
  ...['', 'null', 'undefined', [], {}, null, 'Concise ', json('concise')]
    .map((mode) => ({ rules: ['- x'], mode })),
  json({ rules: ['- x'], files: '', file: null, style: [] }),
])('format-rules reads the rule "- x" in %j', async (args) => {
  expect(JSON.parse(await run(formatRules, args))).toEqual({ rules: ['- x'] })
})

test('format-rules reads a line break that was encoded twice, except in backticks', async () => {
  expect(JSON.parse(await run(formatRules, { rules: ['Rule: split at `\\n`\\nReason: y'] })))
    .toEqual({ rules: ['Rule: split at `\\n`\nReason: y'] })
})

const refusedTasks = (tasks: unknown, says: RegExp) => [{ tasks }, parsePrompt, says] as const
const refusedTaskWith = (more: object, says: RegExp) => refusedTasks([{ ...TASK, ...more }], says)
const refusedRules = (rules: unknown, says: RegExp) => [{ rules }, parseRules, says] as const
const refusedRuleWith = (more: object, says: RegExp) => refusedRules([{ ...RULE, ...more }], says)
const refusedTexts = (rules: unknown, says: RegExp) => [{ rules }, formatRules, says] as const

const REFUSED: Array<readonly [args: unknown, tool: ToolDefinition, says: RegExp]> = [
  refusedTasks(json([TASK]) + json([BARE]), /^Invalid JSON: there is more than one/),
  refusedTaskWith({ targets: '["a", "b' }, /^Invalid JSON: cut off/),
  refusedTexts('["a", "b', /cut off at offset 8.*\(argument rules\)\nA valid example: \{"rules"/),
  refusedTaskWith({ subtasks: [{ goal: 'x' }] }, /tasks\.0\.subtasks\.0\.goal: unknown, known here: intent/),
  refusedRules([{ modality: 'forbidden', Action: 'use' }], /modality: unknown, known here: strength, action/),
  refusedRules([{ target: 'x' }], /\.strength: missing[^]*\{"rules":\[/),
  refusedTexts({ rules: ['- x'], mode: 'concise' }, / {2}- rules\.mode: unknown, known here: rules/),
  [[TASK], parsePrompt, /input: expected an object with tasks; got a list of 1/],
  [{ rules: [RULE], files: 'a.md' }, parseRules, /files: unknown, known here: rules/],
  [{ rulesJson: [RULE] }, parseRules, /rulesJson: unknown, did you mean "rules"/],
  [{ rulse: ['- x'], made: 'concise' }, formatRules, /rulse: .* mean "rules"[^]*made: .* mean "mode"/],
  refusedTaskWith({ intent: ' ' }, /tasks\.0\.intent: the intent is empty/),
  refusedTaskWith({ targets: { a: 1 } }, /targets: expected a list/),
  refusedTaskWith({ subtasks: 'as above' }, /subtasks: expected a list; got "as/),
  refusedRuleWith(
    { source: { text: 'x' } },
    /source: expected a string or a list; got an object.*\n.*"source"/,
  ),
  refusedRuleWith({ source: ['x', 1] }, /rules\.0\.source\.1: expected a string; got the number 1/),
  refusedRuleWith({ strength: 'x'.repeat(61) }, /strength: expected one of obl.*; got "x{60}…"$/m),
  refusedRuleWith({ action: { ['k'.repeat(100)]: 1 } }, /got an object with k{60}…$/m),
  refusedRuleWith({ action: '' }, /rules\.0\.action: rule 1: the action is empty/),
  refusedTexts(null, / {2}- rules: expected a list; got null\n.*\{"rules":\[/),
  [{ rules: '["x', mode: 'short' }, formatRules, /rules: Invalid JSON: cut off[^]*mode: expected .*"short"/],
  ['no JSON', formatRules, /^Invalid JSON: expected JSON.*near "no JSON"/],
  ...['1. x', '- Use tabs\n- Import ["fs", "path"] only', '1. Keep ["fs"] first.', 'Rule: use `["fs"]`']
    .map((words) => refusedTexts(words, /^Invalid JSON: expected JSON, which starts with { or \[.*near "/)),
]

// The first rule is valid, so the model need not send it again.
const REFUSED_SECOND_RULE: typeof REFUSED = [
  refusedTexts(['- x', null], /rules\.1: expected a string; got null/),
  ...['', 'Rule: ', 'Rule:\nReason: y', '- **Rule:**']
    .map((empty) => refusedTexts(['- x', empty], /rules\.1: the rule is empty/)),
  refusedTexts(
    ['- x', '- a⟦U+200B⟧b'],
    /rule 2 contains the mark ⟦U\+200B⟧, which discover-rules shows/,
  ),
  refusedTexts(['- x', 'a\u200Bb'], /rule 2 contains invisible .*\. Remove them: U\+200B at character 2$/m),
]

test.each(REFUSED)('%j is refused', async (args, tool, says) => {
  const output = await run(tool, args)
  expect(output).toMatch(says)
  expect(output).not.toMatch(/by number: /)
  expect(output).toEndWith('Fix the issues and try again.')
})

test.each(REFUSED_SECOND_RULE)(
  '%j is refused, and the second rule can be corrected by number',
  async (args, tool, says) => {
    const output = await run(tool, args)
    expect(output).toMatch(says)
    expect(output).toMatch(/by number: \{"2": …\}\.$/m)
    expect(output).toEndWith('Fix the issues and try again.')
  },
)

test('format-prompt without tasks renders the tasks that the last parse-prompt call accepted', async () => {
  const newSessions = { description: '', sessions: new SessionStates() }
  const parse = createParsePromptTool(newSessions)
  const format = createFormatPromptTool(newSessions)
  const nothing = 'There are no tasks to render: "tasks" was left out'
  expect(await run(format, {})).toStartWith(nothing)
  await run(parse, { tasks: [BARE] })
  const last = '1. Fix it\n\nRendered: the tasks that parse-prompt last accepted (1 task).'
  for (const tasks of [undefined, null, '', 'null', [], {}]) expect(await run(format, { tasks })).toBe(last)
  expect(await run(format, { tasks: [BARE] })).toBe('1. Fix it')
  await run(parse, { tasks: '[{"intent":' })
  expect(await run(format, {})).toStartWith(nothing)
})

test('hidden characters of an argument are marked in the answer', async () => {
  const hidden = `eval\u{E0163}\u200B`
  expect(await run(parseRules, { rules: [{ ...RULE, target: hidden }] })).toContain('eval⟦U+E0163⟧⟦U+200B⟧')
  const refused = await run(parseRules, { rules: '[]', [hidden]: 'x' })
  expect(refused).toContain('⟦U+E0163⟧')
  expect(refused).not.toContain('\u200B')
})

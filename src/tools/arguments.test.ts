/** What the tools take of what models send, and what they answer: through each tool's own `execute`. */
import type { ToolDefinition } from '@opencode-ai/plugin'
import { expect, test } from 'bun:test'
import { toolOutput as run } from '../../test/harness/tool-output.ts'
import { expectLinear, expectWithinASecond, filled } from '../../test/harness/within-a-second.ts'
import { PipelineState } from './pipeline-state.ts'
import { createFormatPromptTool, createParsePromptTool } from './prompts.ts'
import { createFormatRulesTool, createParseRulesTool } from './rules.ts'

const description = ''
const sessions = new PipelineState()
const parseRules = createParseRulesTool({ description, sessions, discovered: new Set() })
const formatRules = createFormatRulesTool({ description, sessions })
const parsePrompt = createParsePromptTool({ description, sessions })

const text = JSON.stringify
const RULE = { strength: 'forbidden', action: 'use', target: 'eval', reason: 'unsafe' }
const TASK = { intent: 'Fix it', targets: ['src'], constraints: [], subtasks: [] }
const BARE = { intent: 'Fix it', targets: [], constraints: [], subtasks: [] }

/** What is given, and what is taken. */
type Taken = [given: unknown, data: object]

const ofTargets = (given: unknown, targets: Array<string>): Taken => [[{ ...TASK, targets: given }], {
  ...TASK,
  targets,
}]

// What stands around them, and in what else they may be written: the property in `validate.test.ts`.
const TASKS_TAKEN: Array<Taken> = [
  // lists that are left out, or empty in some way
  [[{ intent: 'Fix it', targets: '[]', constraints: '[ ]', subtasks: '[]' }], BARE],
  [[{ intent: 'Fix it', targets: 'null', constraints: {}, subtasks: 'None' }], BARE],
  // one text for a list, whatever it begins as
  ofTargets('src', ['src']),
  ...[
    'src, test',
    '[slug].md',
    '```ts\nx\n```',
    '```ts\n[a] = b\n```',
    '{"type":"module"} stays',
    'as {"a":1}',
  ]
    .map((words) => ofTargets(words, [words])),
  ...['["a"].md', '[] is empty', "['a'] and b", '"[slug].md"', '```\n["a"]\n``` is a list']
    .map((words) => ofTargets(words, [words])),
  // a list as text
  ...['["src"]', '[‘src’]', '[\\"src\\"]', '["src"];', "['src',]", text('["src"]'), '```json\n["src"]\n```']
    .map((words) => ofTargets(words, ['src'])),
  // one object for a list, and as text
  [[{ ...TASK, subtasks: BARE }], { ...TASK, subtasks: [BARE] }],
  [[text(TASK)], TASK],
  [[`{'intent': 'Fix it', 'targets': ['src'], 'context': None}`], TASK],
  [[{ ...TASK, subtasks: "[{'intent': 'Fix it'}]" }], { ...TASK, subtasks: [BARE] }],
  [TASK, TASK],
  [{ intent: 'Fix it' }, BARE],
  [{ tasks: TASK }, TASK],
  [{ tasks: text([TASK]) }, TASK],
  // what is optional or unknown, and empty
  [[{ ...TASK, context: [] }], TASK],
  [[{ ...TASK, priority: null, notes: '', tags: [], meta: {} }], TASK],
  [{ tasks: [TASK], version: null }, TASK],
  // what stands around
  [`Sure!\n\`\`\`json\n${text([TASK])}\n\`\`\`\nDone.`, TASK],
  [`\uFEFF${text([TASK])}\0`, TASK],
]

test.each(TASKS_TAKEN)('parse-prompt takes %j', async (tasks, data) => {
  expect(JSON.parse(await run(parsePrompt, { tasks }))).toEqual({ tasks: [data] })
})

const { reason: _, ...UNREASONED } = RULE

const RULES_TAKEN: Array<Taken> = [
  [[{ ...RULE, strength: '"forbidden"' }], RULE],
  [
    `{'rules': [{'strength': 'forbidden', 'action': 'use', 'target': 'eval', 'reason': None}]}`,
    UNREASONED,
  ],
  [{ rules: RULE }, RULE],
  [[{ ...RULE, context: null, scope: '', id: null }], RULE],
  [`[{"strength":"forbidden",${text(RULE).slice(1)}]`, RULE],
]

test.each(RULES_TAKEN)('parse-rules takes %j', async (rules, data) => {
  expect(JSON.parse(await run(parseRules, { rules }))).toEqual({ rules: [data] })
})

test.each<unknown>([
  { rules: { rules: '- x' } },
  { rules: "['- x']" },
  { rules: { rules: "{'rules': ['- x']}" } },
  { rules: { rules: '```json\n{"rules": ["- x"]}\n```' } },
  ...['', 'null', 'undefined', [], {}, null, 'Concise', 'Concise ', text('concise'), text('')]
    .map((mode) => ({ rules: ['- x'], mode })),
  { rules: ['- x'], files: '', file: null, style: [] },
  text({ rules: ['- x'] }),
])('format-rules takes %j', async (args) => {
  expect(JSON.parse(await run(formatRules, args))).toEqual({ rules: ['- x'] })
})

const OTHER_NAMES = [{ modality: 'forbidden', Action: 'use', target: 'x', reason: 'y' }]

const ofTasks = (tasks: unknown, says: RegExp) => [parsePrompt, { tasks }, says] as const
const ofTask = (more: object, says: RegExp) => ofTasks([{ ...TASK, ...more }], says)
const ofRules = (rules: unknown, says: RegExp) => [parseRules, { rules }, says] as const
const ofSentences = (rules: unknown, says: RegExp) => [formatRules, { rules }, says] as const

const ANSWERED: Array<readonly [tool: ToolDefinition, args: unknown, says: RegExp]> = [
  // two values, and what is cut off
  ofTasks(text([TASK]) + text([BARE]), /^Invalid JSON: there is more than one/),
  ofTasks(text([TASK]).slice(0, -2), /^Invalid JSON: cut off at offset \d+/),
  ofTask({ targets: '["a", "b' }, /^Invalid JSON: cut off/),
  ofSentences({ rules: '["a", "b' }, /cut off at offset 8.*\(argument rules\)/),
  // keys and arguments that are unknown or missing
  ofTask({ priority: 1 }, /tasks\.0\.priority: unknown, known here/),
  ofTasks([{ Intent: 'x' }], /tasks\.0\.Intent: unknown, did you mean "intent"/),
  ofTasks([{ goal: 'x' }], /tasks\.0\.goal: unknown, did you mean "intent"\?/),
  ofTasks('{}', / {2}- tasks: missing, expected a list/),
  ofRules({ tasks: [TASK] }, /tasks: unknown, did you mean "rules"/),
  ofRules(OTHER_NAMES, / {2}- rules\.0\.strength: missing/),
  ofRules(OTHER_NAMES, /modality: unknown, known here: strength, action/),
  ofRules(OTHER_NAMES, /\{"rules":\[\{"strength":/),
  ofSentences({ rules: ['- x'], mode: 'concise' }, / {2}- rules\.mode: unknown, known here: rules/),
  [parsePrompt, {}, / {2}- tasks: missing, expected a list/],
  [parsePrompt, { tasks: [TASK], title: 'x' }, / {2}- title: unknown/],
  [parsePrompt, [TASK], /input: expected an object with tasks; got a list of 1/],
  [parseRules, { rulesJson: [RULE] }, /rulesJson: unknown, did you mean "rules"/],
  // another type, or a word that is none of the known ones
  ofTask({ intent: 7 }, /intent: expected a string; got the number 7/),
  ofTask({ targets: [1] }, /targets\.0: expected a string; got the num/),
  ofTask({ targets: { a: 1 } }, /targets: expected a list/),
  ofTask({ subtasks: 'as above' }, /subtasks: expected a list; got "as/),
  ofRules(
    [{ ...RULE, source: { text: 'x' } }],
    /source: expected a string or a list; got an object.*\n.*"source"/,
  ),
  ofRules([{ ...RULE, source: ['x', 7] }], /source\.1: expected a string; got the number 7/),
  ofRules([{ ...RULE, strength: 'must' }], /strength: expected one of obl/),
  ofSentences([['- x']], /rules\.0: expected a string; got a list of 1/),
  ofSentences(['- x', null], /rules\.1: expected a string; got null/),
  ofSentences(['- x', ''], /rules\.1: the rule is empty/),
  ofSentences([{ rule: 'x' }], /got an object with rule\n.*"Rule: /),
  ofSentences(null, / {2}- rules: expected a list; got null\n.*\{"rules":\[/),
  [formatRules, { rules: ['- x'], mode: 'short' }, /mode: expected one of .*; got "short"/],
  // plain text, also with a list in one of its rules
  ofSentences('1. x\n2. y', /expected JSON, which starts with { or \[/),
  ofSentences('- x\n- y', /^Invalid JSON: expected JSON.*near "- x - y"/),
  ...['- Use tabs\n- Import ["fs", "path"] only', '1. Keep ["fs"] first.', 'Rule: use `["fs"]`\nReason: x']
    .map((words) => ofSentences(words, /expected JSON, which starts/)),
]

test.each(ANSWERED.map(([tool, args, says]) => [args, tool, says] as const))(
  '%j is answered',
  async (args, tool, says) => {
    const output = await run(tool, args)
    expect(output).toMatch(says)
    expect(output).toEndWith('Fix the issues and try again.')
  },
)

test('format-prompt without tasks renders what parse-prompt took last in the session', async () => {
  const sessions = new PipelineState()
  const parse = createParsePromptTool({ description, sessions })
  const format = createFormatPromptTool({ description, sessions })
  const nothing = 'There are no tasks to render: "tasks" was left out'
  expect(await run(format, {})).toStartWith(nothing)
  await run(parse, { tasks: [BARE, { ...TASK, subtasks: [BARE] }] })
  const tree = '├── 1. Fix it\n└── 2. Fix it\n    │ > Targets: src\n    └── 3. Fix it'
  for (const tasks of [undefined, null, '', 'null', [], {}]) {
    expect(await run(format, { tasks })).toBe(`${tree}\n\nRendered: what parse-prompt last took (3 tasks).`)
  }
  expect(await run(format, { tasks: [BARE] })).toBe('1. Fix it')
  await run(parse, { tasks: '[{"intent":' })
  expect(await run(format, {})).toStartWith(nothing)
})

type Hostile = Record<string, (bytes: number) => string>

/** Too many values to be walked, whatever tool they are for. */
const TOO_MANY: Hostile = {
  'numbers': (bytes) => `[${filled('1,', bytes)}1]`,
  'empty objects': (bytes) => `[${filled('{},', bytes)}{}]`,
  'rules of nothing': (bytes) => `{"rules":[${filled('{"a":1},', bytes)}{}]}`,
}

const textsOfJson = (bytes: number) => text(Array.from({ length: bytes / 20 }, () => '["["]'))

/** The worst that can be read as a value, which then goes through each tool's own schema. */
const HOSTILE_VALUES: Hostile = {
  'keys': (bytes) => `{${Array.from({ length: bytes / 12 }, (_, index) => `"k${index}":1`).join(',')}}`,
  'blanks in a text': (bytes) => text([{ targets: `${filled(' ', bytes)}x` }]),
  'texts that hold JSON': textsOfJson,
}

/** The worst for the reader of JSON that all tools share: depth, quotes, what looks like JSON. */
const HOSTILE_TEXTS: Hostile = {
  'lists in lists': (bytes) => filled('[', bytes),
  'lists in objects': (bytes) => filled('{"":[', bytes),
  'lists of empty texts': (bytes) => filled('["",', bytes),
  'lists in prose': (bytes) => `so ${filled('[', bytes)}`,
  'lists in prose before a fence': (bytes) => `so ${filled('["a"] ', bytes)}\n\`\`\`\n[1]`,
  'objects in objects': (bytes) => filled('{"a":', bytes),
  'escaped objects': (bytes) => filled('{\\n', bytes),
  'one key': (bytes) => `{${filled('"a":1,', bytes)}"a":1}`,
  'one key with a blank': (bytes) => `{${filled('"a" :1,', bytes)}"a":1}`,
  'texts in texts': (bytes) => text(text(text(filled('"[', bytes / 16)))),
  'values run together': (bytes) => filled('["a"]', bytes),
  'values in prose': (bytes) => filled('so ["a"] ', bytes),
  'sketches in prose': (bytes) => filled('so {a: b} ', bytes),
  'fences': (bytes) => filled('```\n[1]\n```\n', bytes),
  'open fences': (bytes) => filled('```', bytes),
  'fences in lines': (bytes) => filled('x\n```["', bytes),
  'one backtick after the other': (bytes) => filled('`', bytes),
  'quotes': (bytes) => filled('"', bytes),
  'quotes in braces': (bytes) => filled('{"', bytes),
  'backslashes': (bytes) => `"${filled('\\', bytes)}`,
  'comments': (bytes) => filled('/**/', bytes),
  'comments in lists': (bytes) => filled('[/**/', bytes),
  'comments that never end': (bytes) => filled('/*', bytes),
  'blanks': (bytes) => `[${filled(' ', bytes)}`,
  'blanks after commas': (bytes) => filled('[1],  \n', bytes),
  'colons': (bytes) => `["${filled(' :', bytes)}"]`,
  'words': (bytes) => filled('a', bytes),
  'a long key': (bytes) => `{"${filled('k', bytes)}":1}`,
}

const READERS = { rules: parseRules, 'formatted rules': formatRules, tasks: parsePrompt }
const KINDS = ['rules', 'formatted rules', 'tasks'] as const

const read = async (what: keyof typeof READERS, hostile: string): Promise<void> => {
  const output = await run(READERS[what], { [what === 'tasks' ? 'tasks' : 'rules']: hostile })
  if (!output.startsWith('{')) expect(output).toMatch(/^[^]{0,2000}Fix the issues and try again\.$/)
}

const HOSTILE = [
  ...Object.entries(HOSTILE_TEXTS).map(([kind, hostile]) => ['rules', kind, hostile] as const),
  ...KINDS.flatMap((what) =>
    Object.entries(HOSTILE_VALUES).map(([kind, hostile]) => [what, kind, hostile] as const)
  ),
]

test.each(HOSTILE)(
  'as %s, %s are read in time that grows as they do',
  (what, kind, hostile) => expectLinear(kind, (bytes) => read(what, hostile(bytes))),
)

const MEGABYTES = [
  ...KINDS.map((what) => [what, 'texts that hold JSON', textsOfJson] as const),
  ...Object.entries(TOO_MANY).map(([kind, hostile]) => ['rules', kind, hostile] as const),
]

test.each(MEGABYTES)(
  'as %s, 1 MB of %s is answered within a second',
  (what, kind, hostile) => expectWithinASecond(kind, () => read(what, hostile(1_000_000))),
)

test('hidden characters of an argument are marked in the answer', async () => {
  const hidden = `eval\u{E0163}\u200B`
  expect(await run(parseRules, { rules: { rules: [{ ...RULE, target: hidden }] } }))
    .toContain('eval⟦U+E0163⟧⟦U+200B⟧')
  const refused = await run(parseRules, { rules: '[]', [hidden]: 'x' })
  expect(refused).toContain('⟦U+E0163⟧')
  expect(refused).not.toContain('\u200B')
})

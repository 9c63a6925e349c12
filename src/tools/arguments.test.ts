/** What the tools take of what models send, and what they answer: through each tool's own `execute`. */
import type { ToolContext, ToolDefinition } from '@opencode-ai/plugin'
import { expect, test } from 'bun:test'
import { expectLinear, expectWithinASecond, filled } from '../../test/harness/within-a-second.ts'
import { PipelineState } from './pipeline-state.ts'
import { createFormatPromptTool, createParsePromptTool } from './prompts.ts'
import { createFormatRulesTool, createParseRulesTool } from './rules.ts'

const run = async (tool: ToolDefinition, args: unknown): Promise<string> => {
  const answered = await tool.execute(args as Record<string, unknown>, { sessionID: 's' } as ToolContext)
  return typeof answered === 'string' ? answered : answered.output
}

const description = ''
const sessions = new PipelineState()
const parseRules = createParseRulesTool({ description, sessions, discovered: new Set() })
const formatRules = createFormatRulesTool({ description, sessions })
const parsePrompt = createParsePromptTool({ description, sessions })

const text = JSON.stringify
const RULE = { strength: 'forbidden', action: 'use', target: 'eval', reason: 'unsafe' }
const TASK = { intent: 'Fix it', targets: ['src'], constraints: [], subtasks: [] }
const BARE = { intent: 'Fix it', targets: [], constraints: [], subtasks: [] }

type Taken = [kind: string, given: unknown, data: object]

const TASKS_TAKEN: Array<Taken> = [
  ['lists left out', [{ intent: 'Fix it' }], BARE],
  ['lists of null', [{ intent: 'Fix it', targets: null, constraints: null, subtasks: null }], BARE],
  ['lists of ""', [{ intent: 'Fix it', targets: '', constraints: ' ', subtasks: '' }], BARE],
  ['lists of "[]"', [{ intent: 'Fix it', targets: '[]', constraints: '[ ]', subtasks: '[]' }], BARE],
  [
    'lists of "null" and {}',
    [{ intent: 'Fix it', targets: 'null', constraints: {}, subtasks: 'None' }],
    BARE,
  ],
  ['one text for a list', [{ ...TASK, targets: 'src' }], TASK],
  ['one text with commas', [{ ...TASK, targets: 'src, test' }], { ...TASK, targets: ['src, test'] }],
  ['one path with brackets', [{ ...TASK, targets: '[slug].md' }], { ...TASK, targets: ['[slug].md'] }],
  ['one text with a fence', [{ ...TASK, targets: '```ts\nx\n```' }], { ...TASK, targets: ['```ts\nx\n```'] }],
  [
    'one text with code that begins as a list',
    [{ ...TASK, targets: '```ts\n[a] = b\n```' }],
    { ...TASK, targets: ['```ts\n[a] = b\n```'] },
  ],
  [
    'one text that begins as JSON',
    [{ ...TASK, targets: '{"type":"module"} stays' }],
    { ...TASK, targets: ['{"type":"module"} stays'] },
  ],
  ['one text with braces', [{ ...TASK, targets: 'as {"a":1}' }], { ...TASK, targets: ['as {"a":1}'] }],
  ...['["a"].md', '[] is empty', "['a'] and b", '"[slug].md"', '```\n["a"]\n``` is a list'].map((
    words,
  ): Taken => [
    `one text that begins as a list does: ${words}`,
    [{ ...TASK, targets: words }],
    { ...TASK, targets: [words] },
  ]),
  ...['["src"]', '[‘src’]', '[\\"src\\"]', '["src"];'].map((words): Taken => [
    `a list as text: ${words}`,
    [{ ...TASK, targets: words }],
    TASK,
  ]),
  ['a Python list as text', [{ ...TASK, targets: "['src',]" }], TASK],
  ['a list encoded twice', [{ ...TASK, targets: text('["src"]') }], TASK],
  ['a list in a fence', [{ ...TASK, targets: '```json\n["src"]\n```' }], TASK],
  ['one object for a list', [{ ...TASK, subtasks: BARE }], { ...TASK, subtasks: [BARE] }],
  ['a task as JSON text', [text(TASK)], TASK],
  ['a task as Python text', [`{'intent': 'Fix it', 'targets': ['src'], 'context': None}`], TASK],
  ['subtasks as Python text', [{ ...TASK, subtasks: "[{'intent': 'Fix it'}]" }], {
    ...TASK,
    subtasks: [BARE],
  }],
  ['a lone task', TASK, TASK],
  ['a lone task of an intent', { intent: 'Fix it' }, BARE],
  ['one task for the list', { tasks: TASK }, TASK],
  ['the list as text', { tasks: text([TASK]) }, TASK],
  ['what is optional as []', [{ ...TASK, context: [] }], TASK],
  ['what is optional as {}', [{ ...TASK, context: {} }], TASK],
  ['an empty unknown key', [{ ...TASK, priority: null, notes: '', tags: [], meta: {} }], TASK],
  ['an empty unknown key of the payload', { tasks: [TASK], version: null }, TASK],
  ['prose after', `${text({ tasks: [TASK] })}\nLet me know (if it's fine).`, TASK],
  ['a fence in prose', `Sure!\n\`\`\`json\n${text([TASK])}\n\`\`\`\nDone.`, TASK],
  ['a fence after a sketch', `As {"tasks": [...]}:\n\`\`\`\n${text([TASK])}\n\`\`\``, TASK],
  ['encoded thrice', text(text(text([TASK]))), TASK],
  ['a mark in front, a NUL after', `\uFEFF${text([TASK])}\0`, TASK],
]

test.each(TASKS_TAKEN)('parse-prompt takes %s', async (_, tasks, data) => {
  expect(JSON.parse(await run(parsePrompt, { tasks }))).toEqual({ tasks: [data] })
})

const { reason: _, ...UNREASONED } = RULE

const RULES_TAKEN: Array<Taken> = [
  ['a strength in capitals', [{ ...RULE, strength: 'FORBIDDEN' }], RULE],
  ['a strength in quotes', [{ ...RULE, strength: '"forbidden"' }], RULE],
  [
    'Python',
    `{'rules': [{'strength': 'forbidden', 'action': 'use', 'target': 'eval', 'reason': None}]}`,
    UNREASONED,
  ],
  ['a lone rule', RULE, RULE],
  ['one rule for the list', { rules: RULE }, RULE],
  ['a wrapper too many', { rules: { rules: [RULE] } }, RULE],
  ['empty keys', [{ ...RULE, context: null, scope: '', id: null }], RULE],
  ['an encoded rule', [text(RULE)], RULE],
  ['an encoded list', { rules: text([RULE]) }, RULE],
  ['a key twice with one value', `[{"strength":"forbidden",${text(RULE).slice(1)}]`, RULE],
]

test.each(RULES_TAKEN)('parse-rules takes %s', async (_, rules, data) => {
  expect(JSON.parse(await run(parseRules, { rules }))).toEqual({ rules: [data] })
})

test.each<[string, unknown]>([
  ['a text for the list', { rules: { rules: '- x' } }],
  ['a Python list', { rules: "['- x']" }],
  ['the list as text in its object', { rules: { rules: '["- x"]' } }],
  ['its object as Python text in its object', { rules: { rules: "{'rules': ['- x']}" } }],
  ['its object in a fence in its object', { rules: { rules: '```json\n{"rules": ["- x"]}\n```' } }],
  ['a mode of ""', { rules: ['- x'], mode: '' }],
  ['a mode of "null"', { rules: ['- x'], mode: 'null' }],
  ['a mode of "undefined"', { rules: ['- x'], mode: 'undefined' }],
  ['a mode of []', { rules: ['- x'], mode: [] }],
  ['a mode of {}', { rules: ['- x'], mode: {} }],
  ['a mode in capitals', { rules: ['- x'], mode: 'Concise' }],
  ['a mode that is encoded twice', { rules: ['- x'], mode: text('concise') }],
  ['a mode of "" that is encoded twice', { rules: ['- x'], mode: text('') }],
  ['an unknown argument that is empty', { rules: ['- x'], files: '', file: null, style: [] }],
  ['a mode of null', { rules: ['- x'], mode: null }],
  ['a mode with a blank', { rules: ['- x'], mode: 'Concise ' }],
  ['arguments as text', text({ rules: ['- x'] })],
])('format-rules takes %s', async (_, args) => {
  expect(JSON.parse(await run(formatRules, args))).toEqual({ rules: ['- x'] })
})

const ANSWERED: Array<readonly [kind: string, tool: ToolDefinition, args: unknown, says: RegExp]> = [
  [
    'two values',
    parsePrompt,
    { tasks: text([TASK]) + text([BARE]) },
    /^Invalid JSON: there is more than one/,
  ],
  [
    'what is cut off',
    parsePrompt,
    { tasks: text([TASK]).slice(0, -2) },
    /^Invalid JSON: cut off at offset \d+/,
  ],
  [
    'what is cut off in a list',
    parsePrompt,
    { tasks: [{ ...TASK, targets: '["a", "b' }] },
    /^Invalid JSON: cut off/,
  ],
  [
    'a key with content',
    parsePrompt,
    { tasks: [{ ...TASK, priority: 1 }] },
    /tasks\.0\.priority: unknown, known here/,
  ],
  [
    'a key in another case',
    parsePrompt,
    { tasks: [{ Intent: 'x' }] },
    /tasks\.0\.Intent: unknown, did you mean "intent"/,
  ],
  ['a list for the arguments', parsePrompt, [TASK], /input: expected an object with tasks; got a list of 1/],
  ['a list in the list', formatRules, { rules: [['- x']] }, /rules\.0: expected a string; got a list of 1/],
  ['null in the list', formatRules, { rules: ['- x', null] }, /rules\.1: expected a string; got null/],
  ['an empty rule', formatRules, { rules: ['- x', ''] }, /rules\.1: the rule is empty/],
  [
    'another tool’s payload',
    parseRules,
    { rules: { tasks: [TASK] } },
    /tasks: unknown, did you mean "rules"/,
  ],
  [
    'an argument inside another',
    formatRules,
    { rules: { rules: ['- x'], mode: 'concise' } },
    / {2}- rules\.mode: unknown, known here: rules/,
  ],
  ['a near argument', parseRules, { rulesJson: [RULE] }, /rulesJson: unknown, did you mean "rules"/],
  ['numbered text', formatRules, { rules: '1. x\n2. y' }, /expected JSON, which starts with { or \[/],
  ...['- Use tabs\n- Import ["fs", "path"] only', '1. Keep ["fs"] first.', 'Rule: use `["fs"]`\nReason: x']
    .map((words) =>
      [
        'plain rules with a list in one',
        formatRules,
        { rules: words },
        /expected JSON, which starts/,
      ] as const
    ),
  ['an argument with content', parsePrompt, { tasks: [TASK], title: 'x' }, / {2}- title: unknown/],
  ['no tasks', parsePrompt, {}, / {2}- tasks: missing, expected JSON text/],
  ['an object that says nothing', parsePrompt, { tasks: '{}' }, / {2}- tasks: missing, expected a list/],
  [
    'a number for a text',
    parsePrompt,
    { tasks: [{ ...TASK, intent: 7 }] },
    /intent: expected a string; got the number 7/,
  ],
  [
    'numbers in a list',
    parsePrompt,
    { tasks: [{ ...TASK, targets: [1] }] },
    /targets\.0: expected a string; got the num/,
  ],
  [
    'a number for a list',
    parsePrompt,
    { tasks: [{ ...TASK, targets: 1 }] },
    /targets: expected a list; got the number 1/,
  ],
  [
    'an object in a list of texts',
    parsePrompt,
    { tasks: [{ ...TASK, targets: { a: 1 } }] },
    /targets: expected a list/,
  ],
  [
    'words for subtasks',
    parsePrompt,
    { tasks: [{ ...TASK, subtasks: 'as above' }] },
    /subtasks: expected a list; got "as/,
  ],
  [
    'a word that is no strength',
    parseRules,
    { rules: [{ ...RULE, strength: 'must' }] },
    /strength: expected one of obl/,
  ],
  [
    'a word that is no mode',
    formatRules,
    { rules: ['- x'], mode: 'short' },
    /mode: expected one of .*; got "short"/,
  ],
  ['plain text', formatRules, { rules: '- x\n- y' }, /^Invalid JSON: expected JSON.*near "- x - y"/],
  ['a number for a rule', formatRules, { rules: [1] }, /rules\.0: expected a string; got the number 1/],
]

const OTHER_NAMES = [{ modality: 'forbidden', Action: 'use', target: 'x', reason: 'y' }]

ANSWERED.push(
  ['a strength that is left out', parseRules, { rules: OTHER_NAMES }, / {2}- rules\.0\.strength: missing/],
  ['an unknown key', parseRules, { rules: OTHER_NAMES }, /modality: unknown, known here: strength, action/],
  ['an example of what is valid', parseRules, { rules: OTHER_NAMES }, /\{"rules":\[\{"strength":/],
  ['a rule as an object', formatRules, { rules: [{ rule: 'x' }] }, /got an object with rule\n.*"Rule: /],
  ['null', formatRules, { rules: null }, / {2}- rules: expected JSON text; got null\n.*\{"rules":\[/],
  ['a goal', parsePrompt, { tasks: [{ goal: 'x' }] }, /tasks\.0\.goal: unknown, did you mean "intent"\?/],
  [
    'a cut-off list',
    formatRules,
    { rules: { rules: '["a", "b' } },
    /cut off at offset 8.*\(argument rules\)/,
  ],
)

test.each(ANSWERED)('%s: answered', async (_, tool, args, says) => {
  const output = await run(tool, args)
  expect(output).toMatch(says)
  expect(output).toEndWith('Fix the issues and try again.')
})

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

/** The worst that can be read as a value, which then goes through each tool's own schema. */
const HOSTILE_VALUES: Hostile = {
  'numbers': (bytes) => `[${filled('1,', bytes)}1]`,
  'empty objects': (bytes) => `[${filled('{},', bytes)}{}]`,
  'rules of nothing': (bytes) => `{"rules":[${filled('{"a":1},', bytes)}{}]}`,
  'keys': (bytes) => `{${Array.from({ length: bytes / 12 }, (_, index) => `"k${index}":1`).join(',')}}`,
  'blanks in a text': (bytes) => text([{ targets: `${filled(' ', bytes)}x` }]),
  'texts that hold JSON': (bytes) => text(Array.from({ length: bytes / 20 }, () => '["["]')),
}

/** The worst for the reader of JSON that all tools share: depth, quotes, what looks like JSON. */
const HOSTILE_TEXTS: Hostile = {
  'lists in lists': (bytes) => filled('[', bytes),
  'lists in prose': (bytes) => `so ${filled('[', bytes)}`,
  'lists in prose before a fence': (bytes) => `so ${filled('["a"] ', bytes)}\n\`\`\`\n[1]`,
  'objects in objects': (bytes) => filled('{"a":', bytes),
  'one key': (bytes) => `{${filled('"a":1,', bytes)}"a":1}`,
  'one key with a blank': (bytes) => `{${filled('"a" :1,', bytes)}"a":1}`,
  'texts in texts': (bytes) => text(text(text(filled('"[', bytes / 16)))),
  'values run together': (bytes) => filled('["a"]', bytes),
  'values in prose': (bytes) => filled('so ["a"] ', bytes),
  'sketches in prose': (bytes) => filled('so {a: b} ', bytes),
  'fences': (bytes) => filled('```\n[1]\n```\n', bytes),
  'open fences': (bytes) => filled('```', bytes),
  'quotes': (bytes) => filled('"', bytes),
  'backslashes': (bytes) => `"${filled('\\', bytes)}`,
  'comments': (bytes) => filled('/**/', bytes),
  'blanks': (bytes) => `[${filled(' ', bytes)}`,
  'blanks after commas': (bytes) => filled('[1],  \n', bytes),
  'colons': (bytes) => `["${filled(' :', bytes)}"]`,
  'words': (bytes) => filled('a', bytes),
  'a long key': (bytes) => `{"${filled('k', bytes)}":1}`,
}

const READERS = { rules: parseRules, 'formatted rules': formatRules, tasks: parsePrompt }

const read = async (what: keyof typeof READERS, hostile: string): Promise<void> => {
  const output = await run(READERS[what], { [what === 'tasks' ? 'tasks' : 'rules']: hostile })
  expect(output).toMatch(/Fix the issues|^\{/)
}

test.each(Object.entries(HOSTILE_TEXTS))(
  'as rules, 1 MB of %s is answered or taken within a second',
  (kind, hostile) => expectLinear(kind, (bytes) => read('rules', hostile(bytes))),
)

const VALUES = Object.entries(HOSTILE_VALUES).flatMap(([kind, hostile]) =>
  (['rules', 'formatted rules', 'tasks'] as const).map((what) => [what, kind, hostile(1_000_000)] as const)
)

test.each(VALUES)(
  'as %s, 1 MB of %s is answered or taken within a second',
  (what, kind, hostile) => expectWithinASecond(kind, () => read(what, hostile)),
)

test('hidden characters of an argument are marked in the answer', async () => {
  const hidden = `eval\u{E0163}\u200B`
  expect(await run(parseRules, { rules: { rules: [{ ...RULE, target: hidden }] } }))
    .toContain('eval⟦U+E0163⟧⟦U+200B⟧')
  const refused = await run(parseRules, { rules: '[]', [hidden]: 'x' })
  expect(refused).toContain('⟦U+E0163⟧')
  expect(refused).not.toContain('\u200B')
})

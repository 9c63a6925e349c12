import type { ToolDefinition } from '@opencode-ai/plugin'
import { expect, test } from 'bun:test'
import { expectLinear, expectNoHang, filled } from '../../test/harness/processor-time.ts'
import { toolOutput as run } from '../../test/harness/tool-output.ts'
import { SessionStates } from './pipeline-state.ts'
import { createParsePromptTool } from './prompts.ts'
import { createFormatRulesTool, createParseRulesTool } from './rules.ts'

const options = { description: '', sessions: new SessionStates() }
const parseRules = createParseRulesTool(options)
const formatRules = createFormatRulesTool(options)
const parsePrompt = createParsePromptTool(options)

const HOSTILE_TEXTS: Array<[before: string, repeated: string, after: string]> = [
  ...['[', '{"":[', '{"a":', 'so ["a"] ', 'so {a: b} ', '```\n[1]\n```\n', '`', '"', '/**/', '[1],  \n']
    .map((repeated): [string, string, string] => ['', repeated, '']),
  ['so ', '["a"] ', '\n```\n[1]'],
  ['{', '"a" :1,', '"a":1}'],
  ['"', '\\', ''],
  ['["', ' :', '"]'],
]

const send = async (tool: ToolDefinition, hostile: string): Promise<void> => {
  const output = await run(tool, { [tool === parsePrompt ? 'tasks' : 'rules']: hostile })
  if (!output.startsWith('{')) expect(output).toMatch(/^[^]{0,2000}Fix the issues and try again\.$/)
}

test.each(HOSTILE_TEXTS)(
  'a text that begins with %j, repeats %j and ends with %j is read in linear time',
  (before, repeated, after) =>
    expectLinear(repeated, (bytes) => send(parseRules, before + filled(repeated, bytes) + after)),
)

const keys = (bytes: number) =>
  `{${Array.from({ length: bytes / 12 }, (_, index) => `"k${index}":1`).join(',')}}`

test('many keys, and many blanks in a text, are read in linear time', async () => {
  await expectLinear('keys', (bytes) => send(parseRules, keys(bytes)))
  await expectLinear(
    'blanks',
    (bytes) => send(parsePrompt, JSON.stringify([{ targets: `${filled(' ', bytes)}x` }])),
  )
})

test.each([
  ['texts that hold JSON', formatRules, JSON.stringify(Array.from({ length: 50_000 }, () => '["["]'))],
  ['too many values', parseRules, `{"rules":[${filled('{"a":1},', 1_000_000)}{}]}`],
])('%s are read without a hang', (name, tool, hostile) => expectNoHang(name, () => send(tool, hostile)))

import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder } from '../../test/harness/scratch.ts'
import { METADATA_KEY } from '../host/message-parts.ts'
import type { History, MessagePart } from './history.ts'
import {
  markedParts,
  remindedKeys,
  REMINDER_KEY,
  unmentioned,
  unresolvedIn,
  violationKey,
} from './violations-in-session.ts'

const violation = (line: number, more: object = {}) => ({
  rule: 'r',
  path: 'a.ts',
  text: 'any',
  line,
  ...more,
})

// `tolerated` counts the lines with the reported text that were in the file before.
// In both rows, line 3 was fixed after the report of line 5, then came back.
test.each<[what: string, text: string, reports: Array<[line: number, tolerated: number | undefined]>]>([
  ['the lower `tolerated` count is used', 'any\n\nany\n\nany\n', [[3, 1], [5, 2], [3, 2]]],
  ['a missing `tolerated` count is 0', '\n\nany\n\nany\n', [[3, undefined], [5, 1], [3, 1]]],
])('if a line was reported twice, %s', async (_, text, reports) => {
  const worktree = scratchFolder()
  writeFileSync(join(worktree, 'a.ts'), text)
  const violations = reports.map(([line, tolerated]) => violation(line, { tolerated }))
  expect((await unresolvedIn(violations, { worktree })).map(({ line }) => line)).toEqual([3, 5])
})

test.each([
  ['completed', 1],
  ['error', 1],
  ['running', 0],
])('a call of a subagent with the status %s gives %i marked part(s)', (status, count) => {
  const call = { type: 'tool', tool: 'task', state: { status, metadata: { sessionId: 'ses_1' } } }
  const history = [{ info: { role: 'assistant' }, parts: [call] }] as Array<unknown> as History
  expect(markedParts(history)).toHaveLength(count)
})

test('of two violations with the same key, one is unmentioned if the key is mentioned once', () => {
  const key = JSON.stringify(['r', 'a.ts', 'any'])
  expect(unmentioned([violation(1), violation(2)], [key])).toEqual([violation(2)])
  expect(unmentioned([violation(1)], [key, key])).toEqual([])
})

test('a reminder is void if the model breaks the same rule by the same line again', () => {
  const [a, b] = [violation(1, { text: 'a' }), violation(1, { text: 'b' })]
  const report = (broken: object) => ({
    type: 'tool',
    state: { status: 'completed', metadata: { [METADATA_KEY]: { broken: [broken] } } },
  })
  const reminder = { type: 'text', metadata: { [REMINDER_KEY]: [a, b].map(violationKey) } }
  const marked = [report(a), report(b), reminder, report(a)] as Array<unknown> as Array<MessagePart>
  expect(remindedKeys(marked)).toEqual([violationKey(b)])
})

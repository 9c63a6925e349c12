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

// `tolerated` counts the equal lines that are older than the reported line.
// In both rows, line 3 was fixed after the report of line 5, then came back.
test.each<[what: string, text: string, reports: Array<[line: number, tolerated: number | undefined]>]>([
  ['the lower `tolerated` count is used', 'let a: any\n\nlet a: any\n\nlet a: any\n', [[3, 1], [5, 2], [
    3,
    2,
  ]]],
  ['a missing `tolerated` count is 0', '\n\nlet a: any\n\nlet a: any\n', [[3, undefined], [5, 1], [3, 1]]],
])('if a line was reported twice, %s', async (_, text, reports) => {
  const worktree = scratchFolder()
  writeFileSync(join(worktree, 'a.ts'), text)
  const violations = reports.map(([line, tolerated]) => ({
    rule: 'no-any',
    path: 'a.ts',
    text: 'let a: any',
    line,
    tolerated,
  }))
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
  const violation = (line: number) => ({ rule: 'r', path: 'a.ts', text: 'let a: any', line })
  const key = JSON.stringify(['r', 'a.ts', 'let a: any'])
  expect(unmentioned([violation(1), violation(2)], [key])).toEqual([violation(2)])
  expect(unmentioned([violation(1)], [key, key])).toEqual([])
})

test('a reminder is void if the model breaks the same rule by the same line again', () => {
  const violation = (text: string) => ({ rule: 'r', path: 'a.ts', text, line: 1 })
  const report = (text: string) => ({
    type: 'tool',
    state: { status: 'completed', metadata: { [METADATA_KEY]: { broken: [violation(text)] } } },
  })
  const [a, b] = ['a', 'b'].map((text) => violationKey(violation(text)))
  const reminder = { type: 'text', metadata: { [REMINDER_KEY]: [a, b] } }
  const marked = [report('a'), report('b'), reminder, report('a')] as Array<unknown> as Array<MessagePart>
  expect(remindedKeys(marked)).toEqual([b])
})

import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { scratchFolder } from '../../test/harness/scratch.ts'
import type { History } from './history.ts'
import { markedParts, toRemind, unmentioned, unresolvedIn, violationKey } from './violations-in-session.ts'

const violation = (line: number, more: object = {}) => ({
  rule: 'r',
  path: 'a.ts',
  text: 'any',
  line,
  ...more,
})

// `tolerated` counts the lines with the reported text that were in the file before the step.
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
])('if a call that starts a subagent has the status %s, there are %i marked parts', (status, count) => {
  const call = { type: 'tool', tool: 'task', state: { status, metadata: { sessionId: 'ses_1' } } }
  const history = [{ info: { role: 'assistant' }, parts: [call] }] as Array<unknown> as History
  expect(markedParts(history)).toHaveLength(count)
})

test('of two violations with the same key, one is unmentioned if the key is mentioned once', () => {
  const key = JSON.stringify(['r', 'a.ts', 'any'])
  expect(unmentioned([violation(1), violation(2)], [key])).toEqual([violation(2)])
  expect(unmentioned([violation(1)], [key, key])).toEqual([])
})

test.each<
  [what: string, lines: Array<number>, reports: number, reminders: number, due: Array<number>, keys: number]
>([
  ['a reported line', [1], 1, 0, [1], 1],
  ['no line a second time', [1], 1, 1, [], 0],
  ['a line that was fixed and broken again after its reminder', [1], 2, 1, [1], 1],
  ['only the last of three lines after a reminder of two', [1, 3, 4], 3, 2, [4], 1],
  ['a line once if it was broken twice before the reminder', [1], 2, 0, [1], 2],
  ['a line that no report lists, because a report can also give only the number of lines', [1], 0, 0, [1], 1],
])('the model is reminded of %s', (_, lines, reports, reminders, due, keys) => {
  const at = (line: number) => ({ rule: 'r', path: 'a.ts', text: 'let a: any', line })
  const key = violationKey(at(1))
  const reported = Array.from({ length: reports }, () => at(1))
  const reminder = toRemind(lines.map(at), reported, Array(reminders).fill(key))
  expect(reminder).toEqual({ violations: due.map(at), keys: Array(keys).fill(key) })
})

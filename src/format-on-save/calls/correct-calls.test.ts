import { expect, test } from 'bun:test'
import { targetsOf } from '../../steps/call.ts'
import { correctCalls } from './correct-calls.ts'
import type { DoneCall } from './known-files.ts'

type Call = [tool: string, args: object]

const callsOf = (...all: Array<Call>): Array<DoneCall> => {
  let before = ''
  return all.map(([tool, ownArgs], index) => {
    const args: Record<string, unknown> = { filePath: '/p/x.js', ...ownArgs }
    const file = targetsOf(tool, args, '/p')[0]!
    const applied = file.apply(before)!
    const call = { ...file, callID: `${index}`, tool, args, before, applied }
    before = applied.raw
    return { ...call, textAfterCall: '', hasForeignChange: false }
  })
}

const write = (content: string): Call => ['write', { content }]
const remove = (oldString: string): Call => ['edit', { oldString, newString: '' }]
const patch = (lines: string): Call => ['apply_patch', { patchText: `*** Update File: x.js\n@@\n${lines}` }]

test.each<[lines: number, corrects: boolean]>([
  [10, true],
  [100_000, false],
])('if others may have changed the file, a write of %i lines is corrected: %p', async (lines, corrects) => {
  const calls = callsOf(write('a=1\n'.repeat(lines)))
  const formatted = 'a = 1;\n'.repeat(lines)
  const { texts } = await correctCalls(calls, formatted, '/p', true)
  expect(texts.get(calls[0]!)).toEqual([corrects ? formatted : null])
})

test('a corrected write still has the line that a later edit removes', async () => {
  const calls = callsOf(write('a=1\nb=2\nc=3\n'), remove('b=2'))
  const corrected = await correctCalls(calls, 'a = 1;\n\nc = 3;\n', '/p', false)
  expect(corrected.calls[0]!.args['content']).toBe('a = 1;\nb=2\nc = 3;\n')
})

test('each hunk of a patch gets its formatted text', async () => {
  const [, ...patches] = callsOf(write('a\nb\nc\n'), patch('-a\n+x=1\n@@\n-c\n+y=2'))
  const corrected = await correctCalls(patches, 'x = 1;\nb\ny = 2;\n', '/p', false)
  expect(corrected.calls[0]!.args['patchText']).toEndWith('\n-a\n+x = 1;\n@@\n-c\n+y = 2;')
})

test.each<[reason: string, content: string, later: Call, formatted: string]>([
  // The formatter also removed the blank lines next to `b=2`.
  ['the place of a removed line is not certain', 'a=1\n\nb=2\n\nc=3\n', remove('b=2'), 'a = 1;\nc = 3;\n'],
  ['the place of a removed first line is not certain', 'b=2\n\na=1\n', remove('b=2'), 'a = 1;\n'],
  ['a patch would find `a = 1` twice', 'a=1\nb=2\na = 1\n', patch('-a = 1\n+c'), 'a = 1\nb = 2\nc\n'],
  ['the formatter changed only the lines of a patch', 'a=1\n', patch('-a=1\n+b=2\n+'), 'b = 2\n'],
])('a write stays as it was sent if %s', async (_, content, later, formatted) => {
  const corrected = await correctCalls(callsOf(write(content), later), formatted, '/p', false)
  expect(corrected.calls[0]!.args['content']).toBe(content)
})

test('patches stay as they were sent if somebody else replaced the whole text of the file', async () => {
  const [, ...patches] = callsOf(
    write('none\n'),
    patch('-none\n+\n+none'),
    patch('-none\n+none // a remark'),
    patch('-none // a remark\n+\n+\n+\n+none // a remark'),
  )
  // If this text came from a formatter, both lines would become the new text of the last patch.
  const corrected = await correctCalls(patches, '1 a.ts\n2 b.ts\n', '/p', true)
  expect(corrected.calls.map(({ args }) => args)).toEqual(patches.map(({ args }) => args))
})

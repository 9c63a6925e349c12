/** Tests which texts `correctCalls` puts into a model's calls after a formatter or somebody else changed the file. */
import { expect, test } from 'bun:test'
import { targetsOf } from '../../steps/call.ts'
import { correctCalls } from './correct-calls.ts'
import type { DoneCall } from './known-files.ts'

type Call = [tool: string, args: object]

/** Creates calls that follow each other on an empty file. */
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

test.each<[lines: number, newText: string | null]>([
  [10, 'a = 1;\n'.repeat(10)],
  [100_000, null],
])('if others may have changed the file, only a short write is corrected: %i', async (lines, newText) => {
  const calls = callsOf(['write', { content: 'a=1\n'.repeat(lines) }])
  const { texts } = await correctCalls(calls, 'a = 1;\n'.repeat(lines), '/p', true)
  expect(texts.get(calls[0]!)).toEqual([newText])
})

const patch = (lines: string): Call => ['apply_patch', { patchText: `*** Update File: x.js\n@@\n${lines}` }]
const remove = (oldString: string): Call => ['edit', { oldString, newString: '' }]

test.each<[content: string, later: Call, formatted: string, corrected: string]>([
  ['a=1\nb=2\nc=3\n', remove('b=2'), 'a = 1;\n\nc = 3;\n', 'a = 1;\nb=2\nc = 3;\n'],
  // The formatter also removed what was next to `b=2`, so its place is unknown: the write stays as it was sent.
  ['a=1\n\nb=2\n\nc=3\n', remove('b=2'), 'a = 1;\nc = 3;\n', 'a=1\n\nb=2\n\nc=3\n'],
  ['b=2\n\na=1\n', remove('b=2'), 'a = 1;\n', 'b=2\n\na=1\n'],
  // In a corrected write, the patch would find `a = 1` twice: the write stays as it was sent.
  ['a=1\nb=2\na = 1\n', patch('-a = 1\n+c = 3'), 'a = 1\nb = 2\nc = 3\n', 'a=1\nb=2\na = 1\n'],
  // The formatter changed only the lines of the patch. Without them, the file is as the write sent it.
  ['a=1\n', patch('-a=1\n+b=2\n+'), 'b = 2\n', 'a=1\n'],
])(
  'a corrected write still has what a later call replaces: %j, then %j, formatted to %j, becomes %j',
  async (content, later, formatted, corrected) => {
    const calls = callsOf(['write', { content }], later)
    const { calls: [write] } = await correctCalls(calls, formatted, '/p', false)
    expect(write!.args['content']).toBe(corrected)
  },
)

test('patches stay as they are if somebody else replaced the whole text that they wrote', async () => {
  const calls = callsOf(
    // The write is not corrected: it only creates the text that the patches change.
    ['write', { content: 'none\n' }],
    patch('-none\n+\n+none'),
    patch('-none\n+none // a remark'),
    patch('-none // a remark\n+\n+\n+\n+none // a remark'),
  )
  const patches = calls.slice(1)
  // Taken for formatted text, both lines would move into the last patch.
  const corrected = await correctCalls(patches, '1 a.ts\n2 b.ts\n', '/p', true)
  expect(corrected.calls.map(({ args }) => args)).toEqual(patches.map(({ args }) => args))
})

/** Tests which texts `correctCalls` puts into a model's calls after a formatter or somebody else changed the file. */
import { expect, test } from 'bun:test'
import { readCall } from '../../steps/call.ts'
import { correctCalls } from './correct-calls.ts'
import type { DoneCall } from './known-files.ts'

const UNUSED_FIELDS = { textAfterCall: '', isForeign: false }

/** Creates calls that follow each other on an empty file. */
const callsOf = (...all: Array<[tool: string, args: object]>): Array<DoneCall> => {
  let before = ''
  return all.map(([tool, ownArgs], index) => {
    const args: Record<string, unknown> = { filePath: '/p/x.js', ...ownArgs }
    const file = readCall(tool, args, '/p')[0]!
    const applied = file.apply(before)!
    const call = { ...file, ...UNUSED_FIELDS, callID: `${index}`, tool, args, before, applied }
    before = applied.raw
    return call
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

const patch = (lines: string) => ({ patchText: `*** Update File: x.js\n@@\n${lines}` })

const REMOVAL: [string, object] = ['edit', { oldString: 'b=2', newString: '' }]
const PATCH: [string, object] = ['apply_patch', patch('-a = 1\n+c = 3')]

// In the rows below the first, the write stays: otherwise, the later call would not find what it replaces.
test.each<[content: string, later: [string, object], formatted: string, corrected: string]>([
  ['a=1\nb=2\nc=3\n', REMOVAL, 'a = 1;\n\nc = 3;\n', 'a = 1;\nb=2\nc = 3;\n'],
  ['a=1\n\nb=2\n\nc=3\n', REMOVAL, 'a = 1;\nc = 3;\n', 'a=1\n\nb=2\n\nc=3\n'],
  ['b=2\n\na=1\n', REMOVAL, 'a = 1;\n', 'b=2\n\na=1\n'],
  ['a=1\nb=2\na = 1\n', PATCH, 'a = 1\nb = 2\nc = 3\n', 'a=1\nb=2\na = 1\n'],
  ['a=1\n', ['apply_patch', patch('-a=1\n+b=2\n+')], 'b = 2\n', 'a=1\n'],
])(
  'a corrected write still has what a later call replaces: %j, then %j, formatted to %j, becomes %j',
  async (content, later, formatted, expected) => {
    const calls = callsOf(['write', { content }], later)
    const corrected = await correctCalls(calls, formatted, '/p', false)
    expect(corrected.calls[0]!.args['content']).toBe(expected)
  },
)

test('patches of a file that somebody else rewrote stay as they are', async () => {
  const calls = callsOf(
    // The write only creates the text that the patches change.
    ['write', { content: 'none\n' }],
    ['apply_patch', patch('-none\n+\n+none')],
    ['apply_patch', patch('-none\n+none // a remark')],
    ['apply_patch', patch('-none // a remark\n+\n+\n+\n+none // a remark')],
  )
  const patches = calls.slice(1)
  const corrected = await correctCalls(patches, '1 a.ts\n2 b.ts\n', '/p', true)
  expect(corrected.calls.map(({ args }) => args)).toEqual(patches.map(({ args }) => args))
})

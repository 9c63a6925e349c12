import { expect, test } from 'bun:test'
import { readCall } from '../../steps/call.ts'
import { correctCalls } from './correct-calls.ts'
import type { DoneCall } from './known-files.ts'

const UNUSED_FIELDS = { textAfterCall: '', isForeign: false }

/** Creates successive calls on one file from their tools and arguments. */
const callsOf = (...all: Array<[tool: string, args: object]>): Array<DoneCall> => {
  let before = ''
  return all.map(([tool, own], index) => {
    const args: Record<string, unknown> = { filePath: '/p/x.js', ...own }
    const file = readCall(tool, args, '/p')[0]!
    const applied = file.apply(before)!
    const call = { ...file, ...UNUSED_FIELDS, callID: `${index}`, tool, args, before, applied }
    before = applied.raw
    return call
  })
}

test.each([
  // The case, the number of lines of the call, and its new texts.
  ['a short text is corrected', 10, ['a = 1;\n'.repeat(10)]],
  ['a long text is not compared', 100_000, [null]],
])('after a person changed the file: %s', async (_, lines, expected) => {
  const calls = callsOf(['write', { content: 'a=1\n'.repeat(lines) }])
  const { texts } = await correctCalls(calls, 'a = 1;\n'.repeat(lines), '/p', true)
  expect(texts.get(calls[0]!)).toEqual(expected)
})

const patch = (lines: string) => ({ patchText: `*** Update File: x.js\n@@\n${lines}` })

// The write is corrected only if the text that the edit removed can be restored in its own place, and if the patch would
// still match in the same place.
const REMOVAL: [string, object] = ['edit', { oldString: 'b=2', newString: '' }]
const PATCH: [string, object] = ['apply_patch', patch('-a = 1\n+c = 3')]

test.each<[content: string, later: [string, object], formatted: string, shown: string]>([
  ['a=1\nb=2\nc=3\n', REMOVAL, 'a = 1;\n\nc = 3;\n', 'a = 1;\nb=2\nc = 3;\n'],
  ['a=1\n\nb=2\n\nc=3\n', REMOVAL, 'a = 1;\nc = 3;\n', 'a=1\n\nb=2\n\nc=3\n'],
  ['b=2\n\na=1\n', REMOVAL, 'a = 1;\n', 'b=2\n\na=1\n'],
  ['a=1\nb=2\na = 1\n', PATCH, 'a = 1\nb = 2\nc = 3\n', 'a=1\nb=2\na = 1\n'],
])(
  'a write of %j before %j, formatted to %j, is corrected to %j',
  async (content, later, formatted, shown) => {
    const calls = callsOf(['write', { content }], later)
    const corrected = await correctCalls(calls, formatted, '/p', false)
    expect(corrected.calls[0]!.args['content']).toBe(shown)
  },
)

test('calls on a file that somebody else rewrote stay as they are', async () => {
  const calls = callsOf(
    ['write', { content: 'none\n' }],
    ['apply_patch', patch('-none\n+\n+none')],
    ['apply_patch', patch('-none\n+none // a remark')],
    ['apply_patch', patch('-none // a remark\n+\n+\n+\n+none // a remark')],
  )
  // The write only gives the patches a text to start from.
  const patches = calls.slice(1)
  const corrected = await correctCalls(patches, '1 a.ts\n2 b.ts\n', '/p', true)
  expect(corrected.calls.map(({ args }) => args)).toEqual(patches.map(({ args }) => args))
})

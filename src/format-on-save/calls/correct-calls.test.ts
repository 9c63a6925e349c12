import { expect, test } from 'bun:test'
import { readCall } from '../../steps/call.ts'
import { correctCalls } from './correct-calls.ts'
import type { DoneCall } from './known-files.ts'

/** Creates successive calls on one file from their tools and arguments. */
const callsOf = (...all: Array<[tool: string, args: Record<string, unknown>]>): Array<DoneCall> => {
  let before = ''
  return all.map(([tool, own], index) => {
    const args = { filePath: '/p/x.js', ...own }
    const file = readCall(tool, args, '/p')[0]!
    const applied = file.apply(before)!
    const call = {
      ...file,
      callID: `${index}`,
      tool,
      args,
      before,
      applied,
      textAfterCall: '',
      isForeign: false,
    }
    before = applied.raw
    return call
  })
}

test.each([
  ['a short text is corrected', 10, ['a = 1;\n'.repeat(10)]],
  ['a long text is not compared', 100_000, [null]],
])(
  'a file that a person may also have changed is searched for the words of the call: %s',
  async (_, lines, expected) => {
    const calls = callsOf(['write', { content: 'a=1\n'.repeat(lines) }])
    const { texts } = await correctCalls(calls, 'a = 1;\n'.repeat(lines), '/p', true)
    expect(texts.get(calls[0]!)).toEqual(expected)
  },
)

test.each([
  ['a=1\nb=2\nc=3\n', 'a = 1;\n\nc = 3;\n', 'a = 1;\nb=2\nc = 3;\n'],
  ['a=1\n\nb=2\n\nc=3\n', 'a = 1;\nc = 3;\n', 'a=1\n\nb=2\n\nc=3\n'],
  ['b=2\n\na=1\n', 'a = 1;\n', 'b=2\n\na=1\n'],
])(
  'the text that an edit removed from %j, formatted to %j, is restored in its own place or not at all',
  async (content, text, shown) => {
    const calls = callsOf(['write', { content }], ['edit', { oldString: 'b=2', newString: '' }])
    const corrected = await correctCalls(calls, text, '/p', false)
    expect(corrected.calls[0]!.args['content']).toBe(shown)
  },
)

test('a write stays as it is if a later patch would match another place in it', async () => {
  const content = 'a=1\nb=2\na = 1\n'
  const patchText = '*** Update File: x.js\n@@\n-a = 1\n+c = 3'
  const calls = callsOf(['write', { content }], ['apply_patch', { patchText }])
  const corrected = await correctCalls(calls, 'a = 1\nb = 2\nc = 3\n', '/p', false)
  expect(corrected.calls[0]!.args['content']).toBe(content)
})

test('calls on a file that somebody else rewrote stay as they are', async () => {
  const patch = (...lines: Array<string>) => ({ patchText: `*** Update File: x.js\n@@\n${lines.join('\n')}` })
  const calls = callsOf(
    ['write', { content: 'none\n' }],
    ['apply_patch', patch('-none', '+', '+none')],
    ['apply_patch', patch('-none', '+none // a remark')],
    ['apply_patch', patch('-none // a remark', '+', '+', '+', '+none // a remark')],
  )
  const corrected = await correctCalls(calls.slice(1), '1 a.ts\n2 b.ts\n', '/p', true)
  expect(corrected.calls.map(({ args }) => args)).toEqual(calls.slice(1).map(({ args }) => args))
})

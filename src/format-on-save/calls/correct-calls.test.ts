import { expect, test } from 'bun:test'
import { readCall } from '../../steps/call.ts'
import { correctCalls } from './correct-calls.ts'
import type { DoneCall } from './known-files.ts'

/** Makes calls on one file, one after the other, each by its tool and its arguments. */
const callsOf = (...all: Array<[tool: string, args: Record<string, unknown>]>): Array<DoneCall> => {
  let before = ''
  return all.map(([tool, given], index) => {
    const args = { filePath: '/p/x.js', ...given }
    const file = readCall(tool, args, '/p')[0]!
    const applied = file.apply(before)!
    const call = { ...file, callID: `${index}`, tool, args, before, applied, checked: '', isForeign: false }
    before = applied.raw
    return call
  })
}

test.each([
  ['one of ten lines is corrected', 10, ['a = 1;\n'.repeat(10)]],
  ['counting the words of a long one would hold the host', 100_000, [null]],
])(
  'a text that a person may have changed as well is searched for its words: %s',
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
  'what an edit removed from %j, formatted to %j, is joined to nothing',
  async (content, text, shown) => {
    const calls = callsOf(['write', { content }], ['edit', { oldString: 'b=2', newString: '' }])
    const corrected = await correctCalls(calls, text, '/p', false)
    expect(corrected.calls[0]!.args['content']).toBe(shown)
  },
)

test('a write in which a later patch would find another place stays as it is', async () => {
  const content = 'a=1\nb=2\na = 1\n'
  const patchText = '*** Update File: x.js\n@@\n-a = 1\n+c = 3'
  const calls = callsOf(['write', { content }], ['apply_patch', { patchText }])
  const corrected = await correctCalls(calls, 'a = 1\nb = 2\nc = 3\n', '/p', false)
  expect(corrected.calls[0]!.args['content']).toBe(content)
})

test('of a file that another has written anew, earlier calls stay as they are', async () => {
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

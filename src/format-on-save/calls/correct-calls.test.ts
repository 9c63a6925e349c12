import { expect, test } from 'bun:test'
import { readCall } from './call.ts'
import { correctCalls } from './correct-calls.ts'

test.each([
  ['one of ten lines is corrected', 10, ['a = 1;\n'.repeat(10)]],
  ['counting the words of a long one would hold the host', 100_000, [null]],
])(
  'a text that a person may have changed as well is searched for its words: %s',
  async (_, lines, expected) => {
    const [tool, args] = ['write', { filePath: '/p/x.js', content: 'a=1\n'.repeat(lines) }]
    const file = readCall(tool, args, '/p')!.files[0]!
    const applied = file.apply('')!
    const { path, from } = file
    const call = { callID: '1', tool, args, path, from, before: '', applied, checked: '', isSettled: false }
    const { texts } = await correctCalls([call], 'a = 1;\n'.repeat(lines), '/p', true)
    expect(texts.get(call)).toEqual(expected)
  },
)

import { expect, test } from 'bun:test'
import type { PastCall } from './call.ts'
import { recall } from './earlier-calls.ts'

const PATH = '/p/x.js'

const write = (content: string): PastCall => ({
  callID: 'write',
  tool: 'write',
  input: { filePath: PATH, content },
})

const edit = (oldString: string, newString: string, more = {}): PastCall => ({
  callID: `edit ${newString}`,
  tool: 'edit',
  input: { filePath: PATH, oldString, newString, ...more },
})

const patch = (...lines: Array<string>): PastCall => ({
  callID: 'patch',
  tool: 'apply_patch',
  input: { patchText: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') },
})

const recalled = (calls: Array<PastCall>, before: string, after: string) => {
  const { corrections, believed } = recall(calls, { path: PATH, directory: '/p', before, after })
  return { values: corrections.map(({ past, corrected }) => [past.callID, corrected.value]), believed }
}

test.each<[string, Array<PastCall>, string, string, Array<[string, string]>, string]>([
  [
    'a write',
    [write('a=1\nb=2\n')],
    'a=1\nb=2\n',
    'a = 1\nb = 2\n',
    [['write', 'a = 1\nb = 2\n']],
    'a = 1\nb = 2\n',
  ],
  ['an edit', [edit('x', 'b=2')], 'a=1\nb=2\n', 'a = 1\nb = 2\n', [['edit b=2', 'b = 2']], 'a=1\nb = 2\n'],
  [
    'a write and edits of it',
    [write('a=1\nb=2\nc=3\n'), edit('b=2', 'b=4'), edit('a=1', 'a=[1]')],
    'a=[1]\nb=4\nc=3\n',
    'a = [1]\nb = 4\nc = 3\n',
    [['edit a=[1]', 'a = [1]'], ['edit b=4', 'b = 4'], ['write', 'a=1\nb=2\nc = 3\n']],
    'a = [1]\nb = 4\nc = 3\n',
  ],
  [
    'an edit of an edit',
    [edit('x', 'a=1\nb=2\n'), edit('b=2', 'b=3')],
    'a=1\nb=3\n',
    'a = 1\nb = 3\n',
    [['edit b=3', 'b = 3']],
    'a=1\nb = 3\n',
  ],
  [
    'a write, an edit and an edit of that',
    [write('x\nc=1\n'), edit('x', 'a=1\nb=2'), edit('b=2', 'b=3')],
    'a=1\nb=3\nc=1\n',
    'a = 1\nb = 3\nc = 1\n',
    [['edit b=3', 'b = 3']],
    'a=1\nb = 3\nc=1\n',
  ],
  [
    'an edit whose text stands twice',
    [edit('x', 'a=1')],
    'a=1\na=1\n',
    'a = 1\na = 1\n',
    [],
    'a=1\na=1\n',
  ],
  ['a write that somebody changed', [write('a=1\n')], 'a=2\n', 'a = 2\n', [], 'a=2\n'],
  [
    'what was written over',
    [write('old=1\n'), edit('old=1', 'older=1'), write('a=1\n')],
    'a=1\n',
    'a = 1\n',
    [['write', 'a = 1\n']],
    'a = 1\n',
  ],
  [
    'a patch',
    [patch('*** Update File: x.js', '@@', ' a=1', '-b=1', '+b=2')],
    'a=1\nb=2\n',
    'a = 1\nb = 2\n',
    [['patch', patch('*** Update File: x.js', '@@', ' a=1', '-b=1', '+b = 2').input['patchText'] as string]],
    'a=1\nb = 2\n',
  ],
  ['one that says it already', [edit('x', 'b = 2')], 'a=1\nb = 2\n', 'a = 1\nb = 2\n', [], 'a=1\nb = 2\n'],
])(
  'what earlier calls say of a file formatted behind them: %s',
  (_, calls, before, after, values, believed) => {
    expect(recalled(calls, before, after)).toEqual({ values, believed })
  },
)

test.each<[string, Array<PastCall>, number, Array<string>, string]>([
  ['nothing', [edit('x', 'a=1'), edit('y', 'b=2')], 0, ['b = 2', 'a = 1'], 'a = 1\nb = 2\n'],
  ['the first', [edit('x', 'a=1'), edit('y', 'b=2')], 1, ['b = 2', 'a = 1'], 'a=1\nb = 2\n'],
  ['both', [edit('x', 'a=1'), edit('y', 'b=2')], 2, ['b = 2', 'a = 1'], 'a=1\nb=2\n'],
  ['a write', [write('a=1\nb=2\n')], 1, ['a = 1\nb = 2\n'], 'a=1\nb=2\n'],
])(
  'a file that was read behind a call is believed as it was read: %s',
  (_, calls, count, values, believed) => {
    const change = { path: PATH, directory: '/p', before: 'a=1\nb=2\n', after: 'a = 1\nb = 2\n' }
    const recalled = recall(calls, change, new Set(calls.slice(0, count)))
    expect(recalled.corrections.map(({ corrected }) => corrected.value)).toEqual(values)
    expect(recalled.believed).toBe(believed)
  },
)

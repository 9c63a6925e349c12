import { expect, test } from 'bun:test'
import { readCall } from './call.ts'
import { carryArguments } from './carry-arguments.ts'
import { UnseenFormatting } from './unseen-formatting.ts'

/** What a call's argument has become in a file that says `text`; null where it stays. */
const carry = (
  unseen: UnseenFormatting,
  args: Record<string, unknown>,
  text: string,
  sessionID = 'session',
) =>
  carryArguments('patchText' in args ? 'apply_patch' : 'edit', {
    filePath: '/p/x',
    newString: 'new',
    ...args,
  }, {
    directory: '/p',
    unseen: (path) => unseen.fileOf(sessionID, path),
    now: () => text,
  })?.args[('patchText' in args) ? 'patchText' : 'oldString'] ?? null

const start = (...texts: Array<[string, string]>) => {
  const unseen = new UnseenFormatting()
  for (const [before, after] of texts) unseen.add('session', { path: '/p/x', before, after })
  return unseen
}

test.each<[string, Array<[string, string]>, string, string, string | null]>([
  ['formatted since', [['a=1\nb=2', 'a = 1;\nb = 2;']], 'b=2', 'a = 1;\nb = 2;', 'b = 2;'],
  [
    'formatted twice since',
    [['a=1\nb=2', 'a = 1\nb = 2'], ['a = 1\nb = 2', 'a = 1;\nb = 2;']],
    'b=2',
    'a = 1;\nb = 2;',
    'b = 2;',
  ],
  ['changed by a person and formatted again', [['b=2', 'b = 2'], ['b=3', 'b = 3']], 'b=2', 'b = 3', null],
  [
    'with other line ends',
    [['a=1\r\nb=2\r\n', 'a = 1\r\nb = 2\r\n']],
    'a=1\nb=2',
    'a = 1\r\nb = 2\r\n',
    'a = 1\r\nb = 2',
  ],
  ['still there', [['a=1\nb=2', 'a = 1\nb=2']], 'b=2', 'a = 1\nb=2', null],
  ['never there', [['a=1', 'a = 1']], 'b=2', 'a = 1', null],
  ['in two places', [['a=1\na=1', 'a = 1\na = 1']], 'a=1', 'a = 1\na = 1', null],
  ['in two places now', [['a=1\na = 1', 'a = 1\na = 1']], 'a=1', 'a = 1\na = 1', 'a = 1\na = 1'],
  [
    'in two places now, and spelt as it was',
    [['x\na = 1\ny\na=1\ny\n', 'x\na = 1\ny\na = 1\ny\n']],
    'a = 1',
    'x\na = 1\ny\na = 1\ny\n',
    'x\na = 1\ny',
  ],
  ['in two places now, and changed since', [['a=1\na = 1', 'a = 1\na = 1']], 'a=1', 'a = 1\na = 1\n', null],
  [
    'with line ends that the formatter made',
    [['a=1\nb=2\n', 'a = 1\r\nb = 2\r\n']],
    'a=1\nb=2',
    'a = 1\r\nb = 2\r\n',
    'a = 1\r\nb = 2',
  ],
  ['changed by another call since', [['a=1\nb=2', 'a = 1\nb = 2']], 'b=2', 'a = 1\nb = 3', null],
  ['taken out by the formatter', [['a=1\n;;b', 'a = 1']], ';;b', 'a = 1', null],
  [
    'still there, with a sign put in behind it',
    [['a=1\nb()\n', 'a = 1\nb();\n']],
    'b()',
    'a = 1\nb();\n',
    null,
  ],
  ['empty', [['a=1', 'a = 1']], '', 'a = 1', null],
  [
    'what reads so now stood elsewhere',
    [['a = \'x\'\nb = "x"', 'a = "x"\nb  =  "x"']],
    'b = "x"',
    'a = "x"\nb  =  "x"',
    'b  =  "x"',
  ],
])('a text from before formatting is carried over, or left: %s', (_, texts, oldString, text, expected) => {
  expect(carry(start(...texts), { oldString }, text)).toBe(expected)
})

test('the lines around an edit go into both its texts, and are none of its own', () => {
  const text = 'x\na = 1\ny\na = 1\n'
  const sent = { filePath: '/p/x', oldString: 'a=1', newString: 'a=2' }
  const carried = carryArguments('edit', sent, {
    directory: '/p',
    unseen: () => ({ believed: 'x\na = 1\ny\na=1\n', text }),
    now: () => text,
  })!
  expect(carried.args).toEqual({ oldString: 'y\na = 1\n', newString: 'y\na=2\n' })
  const [file] = readCall('edit', { ...sent, ...carried.args }, '/p', 'a=1', carried.around)!.files
  expect(file!.simulate(text)).toEqual({
    raw: 'x\na = 1\ny\na=2\n',
    ranges: [{ start: 10, end: 13 }],
    replaced: [{ start: 10, end: 15 }],
  })
})

test.each<[string, string, string, string, string | null]>([
  ['all its places', 'a=1\nb=2\nb=2', 'a = 1\nb = 2\nb = 2', 'b=2', 'b = 2'],
  ['one place', 'a=1\nb=2', 'a = 1\nb = 2', 'b=2', 'b = 2'],
  ['places that differ now', 'f(b=2)\nb=2;', 'f(b=2)\nb = 2;', 'b=2', null],
  ['more places now', 'b=2\nb = 2', 'b = 2\nb = 2', 'b=2', null],
])(
  'a text that is replaced everywhere is carried over, or left: %s',
  (_, before, after, oldString, expected) => {
    expect(carry(start([before, after]), { oldString, replaceAll: true }, after)).toBe(expected)
  },
)

test('a text that two calls have made, with a formatting after each, is carried over', () => {
  const unseen = start(['a=1\nb=2\n', 'a = 1\nb = 2\n'])
  const call = (from: string, to: string, after: string, formatted: string) => {
    unseen.apply(
      'session',
      { path: '/p/x', from: '/p/x' },
      (text) => text.includes(from) ? text.replace(from, to) : null,
      after,
    )
    unseen.add('session', { path: '/p/x', before: after, after: formatted })
  }
  call('a=1', 'a=1\nc=1', 'a = 1\nc=1\nb = 2\n', 'a = 1\nc = 1\nb = 2\n')
  call('b=2', 'b=3', 'a = 1\nc = 1\nb=3\n', 'a = 1\nc = 1\nb = 3\n')
  const now = 'a = 1\nc = 1\nb = 3\n'
  expect(carry(unseen, { oldString: 'c=1\nb=3' }, now)).toBe('c = 1\nb = 3')
  call('gone', 'x', now, now)
  expect(carry(unseen, { oldString: 'c=1\nb=3' }, now)).toBeNull()
})

test('what another file or session had, and what the model has seen since, is not carried over', () => {
  const unseen = start(['a=1', 'a = 1'])
  const oldString = 'a=1'
  expect(carry(unseen, { oldString, filePath: '/p/y' }, 'a = 1')).toBeNull()
  expect(carry(unseen, { oldString }, 'a = 1', 'other')).toBeNull()
  expect(carry(unseen, { oldString }, 'a = 1')).toBe('a = 1')
  unseen.forget('session')
  expect(carry(unseen, { oldString }, 'a = 1')).toBeNull()
})

const patchOf = (...lines: Array<string>): string =>
  ['*** Begin Patch', '*** Update File: x', ...lines, '*** End Patch'].join('\n')

test.each<[string, string, string, Array<string>, Array<string> | null]>([
  ['context and lines that go', 'a=1\nb=2\nc=3\n', 'a = 1\nb = 2\nc = 3\n', [
    '@@',
    ' a=1',
    '-b=2',
    '+b=4',
    ' c=3',
  ], [
    '@@',
    ' a = 1',
    '-b = 2',
    '+b=4',
    ' c = 3',
  ]],
  ['the line that a hunk names', 'f(){\na=1\n}\ng(){\na=1\n}\n', 'f () {\na = 1\n}\ng () {\na = 1\n}\n', [
    '@@ g(){',
    '-a=1',
    '+a=2',
  ], ['@@ g () {', '-a = 1', '+a=2']],
  ['two hunks', 'a=1\nb=2\nc=3\n', 'a = 1\nb = 2\nc = 3\n', ['@@', '-a=1', '+x', '@@', '-c=3', '+y'], [
    '@@',
    '-a = 1',
    '+x',
    '@@',
    '-c = 3',
    '+y',
  ]],
  ['a line that was wrapped', 'a=f(one,two)\nb=2\n', 'a = f(\n  one,\n  two,\n)\nb = 2\n', [
    '@@',
    '-a=f(one,two)',
    '+a=1',
    ' b=2',
  ], ['@@', '-a = f(', '-  one,', '-  two,', '-)', '+a=1', ' b = 2']],
  ['a blank line that came between', 'import a\nb=2\n', 'import a;\n\nb = 2\n', [
    '@@',
    ' import a',
    '-b=2',
    '+b=3',
  ], [
    '@@',
    ' import a;',
    ' ',
    '-b = 2',
    '+b=3',
  ]],
  ['blank lines that went', 'a=1\n\n\n\nb=2\n', 'a = 1\n\nb = 2\n', ['@@', ' ', '-b=2', '+b=3'], [
    '@@',
    '-b = 2',
    '+b=3',
  ]],
  ['line ends', 'a=1\r\nb=2\r\n', 'a = 1\r\nb = 2\r\n', ['@@', ' a=1', '+c=1'], ['@@', ' a = 1', '+c=1']],
  ['nothing, since it is still there', 'a=1\nb=2\n', 'a=1\nb = 2\n', ['@@', '-a=1', '+a=2'], null],
  ['nothing, since it never was there', 'a=1\n', 'a = 1\n', ['@@', '-q=1', '+a=2'], null],
  ['nothing, since it is gone', 'b=2\nx=f\nc=1\n', 'b = 2\nc = 1\n', ['@@', '-x=f', '+x=g'], null],
])('the old lines of a patch are carried over: %s', (_, believed, text, given, expected) => {
  expect(carry(start([believed, text]), { patchText: patchOf(...given) }, text)).toBe(
    expected && patchOf(...expected),
  )
})

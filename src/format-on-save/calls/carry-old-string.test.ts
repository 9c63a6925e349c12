import { expect, test } from 'bun:test'
import { UnseenFormatting } from './carry-old-string.ts'

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
  ['in two places now', [['a=1\na = 1', 'a = 1\na = 1']], 'a=1', 'a = 1\na = 1', null],
  ['changed by another call since', [['a=1\nb=2', 'a = 1\nb = 2']], 'b=2', 'a = 1\nb = 3', null],
  ['taken out by the formatter', [['a=1\n;;b', 'a = 1']], ';;b', 'a = 1', null],
  ['empty', [['a=1', 'a = 1']], '', 'a = 1', null],
])('a text from before formatting is carried over, or left: %s', (_, texts, oldString, text, expected) => {
  expect(start(...texts).carry('session', '/p/x', oldString, text)).toBe(expected)
})

test('a text that two calls have made, with a formatting after each, is carried over', () => {
  const unseen = start(['a=1\nb=2\n', 'a = 1\nb = 2\n'])
  const call = (from: string, to: string, after: string, formatted: string) => {
    unseen.apply('session', '/p/x', (text) => text.includes(from) ? text.replace(from, to) : null, after)
    unseen.add('session', { path: '/p/x', before: after, after: formatted })
  }
  call('a=1', 'a=1\nc=1', 'a = 1\nc=1\nb = 2\n', 'a = 1\nc = 1\nb = 2\n')
  call('b=2', 'b=3', 'a = 1\nc = 1\nb=3\n', 'a = 1\nc = 1\nb = 3\n')
  const now = 'a = 1\nc = 1\nb = 3\n'
  expect(unseen.carry('session', '/p/x', 'c=1\nb=3', now)).toBe('c = 1\nb = 3')
  call('gone', 'x', now, now)
  expect(unseen.carry('session', '/p/x', 'c=1\nb=3', now)).toBeNull()
})

test('what another file or session had, and what the model has seen since, is not carried over', () => {
  const unseen = start(['a=1', 'a = 1'])
  expect(unseen.carry('session', '/p/y', 'a=1', 'a = 1')).toBeNull()
  expect(unseen.carry('other', '/p/x', 'a=1', 'a = 1')).toBeNull()
  expect(unseen.carry('session', '/p/x', 'a=1', 'a = 1')).toBe('a = 1')
  unseen.forget('session')
  expect(unseen.carry('session', '/p/x', 'a=1', 'a = 1')).toBeNull()
})

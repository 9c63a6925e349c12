import { expect, test } from 'bun:test'
import { noteOf } from './note.ts'

const many = (word: string) => Array.from({ length: 30 }, (_, index) => `${word} ${index}`).join('\n')

test.each<[string, string, string, string]>([
  ['nothing', 'a\nb', 'a\nb', ''],
  ['blank lines', 'a\n\n\nb\n', 'a\nb\n', ''],
  ['a line', 'a\nb\n', 'a\nb;\n', 'x.ts was formatted and now reads in line 2:\nb;'],
  [
    'lines in two places',
    'a\nb\nc\nd',
    'A\nb\nC\nD',
    'x.ts was formatted and now reads in line 1:\nA\nand now reads in lines 3-4:\nC\nD',
  ],
  ['the last line', 'a\nb', 'a\nB\n', 'x.ts was formatted and now reads in line 2:\nB'],
  ['a line that is gone', 'a\nb\nc\n', 'a\nc\n', 'x.ts was formatted and no longer has:\nb'],
  ['lines in another order', 'b\na\n', 'a\nb\n', 'x.ts was formatted and now reads in line 2:\nb'],
  ['many lines', many('a'), many('b'), 'x.ts was formatted; read it again before you edit its other lines.'],
  [
    'one long line',
    'a',
    'b'.repeat(700),
    'x.ts was formatted; read it again before you edit its other lines.',
  ],
])('a model is told of %s', (_, believed, text, note) => {
  expect(noteOf('x.ts', believed, text)).toBe(note)
})

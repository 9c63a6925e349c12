import { expect, test } from 'bun:test'
import { toParsedRule } from '../../test/harness/parsed-rule.ts'
import { pairsNote, unsourcedNote } from './notes.ts'

const NOTHING = { goes: [], lines: [], pieces: [], sentences: [] }
const FACT = { text: 'We build  it;', line: 5 }
const ORDER = { text: 'Never ask.', line: 7 }

test.each<[Partial<Parameters<typeof unsourcedNote>[0]>, Array<string>]>([
  [{ lines: [[3, 3]] }, ['In no rule, so they stay as they are: line 3.']],
  [{ lines: [[1, 1], [7, 9]], pieces: [FACT] }, [
    'In no rule, so they stay as they are: lines 1, 7-9; «We build it;» (line 5).',
  ]],
  [{ sentences: [FACT, ORDER] }, ['Orders in it, left out as clear ones? line 7.']],
  [{ goes: [FACT] }, [
    'In no source, so it goes with its sentence: «We build it;» (line 5). Say in a rule what matters of it.',
  ]],
])('the note on %j', (unsourced, notes) => {
  expect(unsourcedNote({ ...NOTHING, ...unsourced })).toEqual(notes)
})

const FIRST = 'obligatory, use, tabs, in Go files'

/** Gives the pairs in the notes, by the numbers of their rules, under the first word of each title. */
const pairsIn = (rules: Array<string>) =>
  pairsNote(rules.map(toParsedRule)).map((
    note,
  ) => [
    note.split(/\W/, 1)[0],
    ...[...note.matchAll(/rule (\d+).*, and rule (\d+)/g)].map(([, ...pair]) => pair.join(' ')),
  ])

test.each([
  ['forbidden, use, tabs, in Go files', [['Contradictory', '2 3']]],
  ['forbidden, Use , Tabs, in go files', [['Contradictory', '2 3']]],
  ['forbidden, use, tabs in Go files', [['Contradictory', '2 3']]],
  ['forbidden, use, tabs, in C files', []],
  ['permissible, use, tabs, in Go files', []],
])(`${FIRST} and %s: %j`, (other, expected) => {
  expect(pairsIn(['obligatory, read, the docs', FIRST, other])).toEqual(expected)
})

test('each is paired with the first that it repeats or contradicts', () => {
  expect(pairsIn([FIRST, FIRST, FIRST, FIRST.replace('obligatory', 'forbidden')]))
    .toEqual([['Contradictory', '1 4'], ['There', '1 2', '1 3']])
  expect(pairsIn(['optional, use, tabs', 'optional, use, tabs'])).toEqual([['There', '1 2']])
})

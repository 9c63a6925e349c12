import { expect, test } from 'bun:test'
import { toParsedRule } from '../../test/harness/parsed-rule.ts'
import { pairsNote, remainingNote, toNote, unsourcedNote } from './notes.ts'

const NOTHING = { ordering: [], others: [], overtaken: [], alone: [], renumbered: [] }

test.each<[Partial<Parameters<typeof remainingNote>[0]>, Array<RegExp>]>([
  [{}, []],
  [{ ordering: [3] }, [/as they are: line 3 \(an order: was it left out\?\)\.$/]],
  [{ ordering: [3, 5], others: [[1, 1], [7, 9]] }, [/: lines 3, 5 \(an order.*\); lines 1, 7-9\.$/]],
  [{ others: [[2, 4]] }, [/as they are: lines 2-4\.$/]],
  [{ overtaken: [4, 6] }, [/^What stays on lines 4, 6 will stand before the rules/]],
  [{ alone: [4] }, [/^What stays on line 4 introduces only what goes/]],
  [{ renumbered: [4, 6] }, [/other numbers, and one may be named on lines 4, 6\./]],
])('the note on %j', (remaining, notes) => {
  expect(remainingNote({ ...NOTHING, ...remaining })).toEqual(
    notes.map((note) => expect.stringMatching(note)),
  )
})

test.each([
  ['Keep it short (', [0], /: `Keep it short \(` \(rule 1\)\. Put it into/],
  ['; the office has no network', [1, 0], /`; the office has no network` \(rule 2\)/],
  ['为了避免冲突请先拉取', [0], /rule 1/],
  [', not spaces, in Go files', [0], /^$/],
  ['Please', [0], /^$/],
  [', but `x` in', [0], /^$/],
])('%j beside the sources of the rules %j', (text, rules, note) => {
  const parsed = ['obligatory, use, tabs instead of spaces, in Go files', 'obligatory, ask, first']
  expect(unsourcedNote([{ text, rules }], parsed.map(toParsedRule)).join()).toMatch(note)
})

test('a note counts the items beyond its most', () => {
  expect([toNote('T', ['a'], 1), toNote('T', ['a', 'b'], 1)]).toEqual([['T\n- a'], ['T\n- a\n- and 1 more']])
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
  ['obligatory, use, tabs, in Go files', [['There', '2 3']]],
  ['forbidden, Use , Tabs, in go files', [['Contradictory', '2 3']]],
  ['forbidden, use, tabs in Go files', [['Contradictory', '2 3']]],
  ['forbidden, use, tabs', []],
  ['forbidden, use, tabs, in C files', []],
  ['forbidden, use, spaces, in Go files', []],
  ['permissible, use, tabs, in Go files', []],
])(`${FIRST} and %s: %j`, (other, expected) => {
  expect(pairsIn(['obligatory, read, the docs', FIRST, other])).toEqual(expected)
})

test('each is paired with the first that it repeats or contradicts', () => {
  expect(pairsIn([FIRST, FIRST, FIRST, FIRST.replace('obligatory', 'forbidden')]))
    .toEqual([['Contradictory', '1 4'], ['There', '1 2', '1 3']])
  expect(pairsIn(['optional, use, tabs', 'optional, use, tabs'])).toEqual([['There', '1 2']])
})

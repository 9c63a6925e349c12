import { expect, test } from 'bun:test'
import { toParsedRule } from '../../test/harness/parsed-rule.ts'
import { pairNotes } from './notes.ts'

const FIRST = 'obligatory, use, tabs, in Go files'

/** Returns, for each note, its first word and the numbers of the paired rules: `['Repeated', '1 2', '1 3']`. */
const pairsIn = (rules: Array<string>) =>
  pairNotes(rules.map(toParsedRule)).map((note) => {
    const pairs = [...note.matchAll(/rule (\d+).*, and rule (\d+)/g)].map(([, ...pair]) => pair.join(' '))
    return [note.split(/\W/, 1)[0], ...pairs]
  })

test.each([
  ['forbidden, Use , Tabs, in go files', true],
  ['forbidden, use, tabs in Go files', true],
  ['forbidden, use, tabs, in C files', false],
  ['permissible, use, tabs, in Go files', false],
])(`whether "${FIRST}" and "%s" contradict each other: %p`, (rule, isContradictory) => {
  const rules = ['obligatory, read, the docs', FIRST, rule]
  expect(pairsIn(rules)).toEqual(isContradictory ? [['Contradictory', '2 3']] : [])
})

test('a rule is paired with the first rule that it repeats or contradicts', () => {
  expect(pairsIn([FIRST, FIRST, FIRST, FIRST.replace('obligatory', 'forbidden')]))
    .toEqual([['Contradictory', '1 4'], ['Repeated', '1 2', '1 3']])
  expect(pairsIn(['optional, use, tabs', 'optional, use, tabs'])).toEqual([['Repeated', '1 2']])
})

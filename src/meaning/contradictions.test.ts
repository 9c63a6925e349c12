import { expect, test } from 'bun:test'
import { toParsedRule } from '../../test/harness/parsed-rule.ts'
import { pairsOf } from './contradictions.ts'

const FIRST = 'obligatory, use, tabs, in Go files'

test.each([
  ['forbidden, use, tabs, in Go files', ['2 3 contradiction']],
  ['obligatory, use, tabs, in Go files', ['2 3 repetition']],
  ['forbidden, Use , Tabs, in go files', ['2 3 contradiction']],
  ['forbidden, use, tabs', []],
  ['forbidden, use, tabs, in C files', []],
  ['forbidden, use, spaces, in Go files', []],
  ['permissible, use, tabs, in Go files', []],
])(`${FIRST} and %s: %j`, (other, expected) => {
  const pairs = pairsOf(['obligatory, read, the docs', FIRST, other].map(toParsedRule))
  expect(pairs.map(({ kind, first, second }) => `${first} ${second} ${kind}`)).toEqual(expected)
})

test('each is paired with the first that it repeats or contradicts', () => {
  const [rule, contrary] = [toParsedRule(FIRST), toParsedRule(FIRST.replace('obligatory', 'forbidden'))]
  expect(pairsOf([rule, rule, rule, contrary]).map(({ first, second }) => [first, second]))
    .toEqual([[1, 2], [1, 3], [1, 4]])
})

import { expect, test } from 'bun:test'
import { ratesOfMeaning } from '../../test/corpora/corpus.ts'
import { toParsedRule } from '../../test/harness/parsed-rule.ts'
import { compareMeaning } from './compare-meaning.ts'

const BAN = 'forbidden, use, eval'
const ORDER = 'obligatory, keep, lines'

// The parsed rule, the words in the file that the rule replaces, its new text, and what the issue says, if any.
const CASES: Array<[parsed: string, replaced: string | undefined, text: string, says?: RegExp]> = [
  [ORDER, 'Keep lines below 100.', 'Keep lines short.', /rule 1 does not say 100, which is in the words/],
  [ORDER, '1. Keep lines below 1,000.', 'Keep lines below 1000.'],
  [ORDER, 'Keep lines below 3.', 'Keep lines below three.'],
  [ORDER, 'Keep `src/a.ts` short', 'Keep files short', /does not say `src\/a\.ts`/],
  [ORDER, 'Keep `a-b` short', 'Keep a/b short'],
  [ORDER, 'See [it](docs/x.md) and [7][7]', 'See it and [7][7]', /does not say docs\/x\.md/],
  [ORDER, 'See https://a.b/c.', 'See https://a.b/c'],
  ['obligatory, keep, `src` below 100', undefined, 'Keep src below 90', /does not say 100, which was parsed/],
  ['obligatory, keep, lines, below 100', 'Keep lines', 'Keep lines'],
  [BAN, undefined, 'Rule: use eval', /rule 1 does not forbid: parsed rule 1 is forbidden.*do not use eval/],
  [BAN, undefined, 'Rule: call `eval`, never mind'],
  [BAN, undefined, 'Use JSON.parse instead of eval'],
  [BAN, 'Never use evil', 'Use eval', /does not forbid/],
  [BAN, 'use evil', 'Use eval'],
  ['forbidden, nutzen, eval', undefined, 'Nutze eval nie'],
  ['forbidden, nutzen, eval', undefined, 'Verwende es nicht'],
]

// Each row is one argument: bun would pass a callback in place of a missing last one.
test.each(CASES.map((row) => [row] as const))('what the text lost: %j', ([parsed, replaced, text, says]) => {
  const sources = replaced === undefined ? [] : [{ text: replaced, rules: [0] }]
  const issues = compareMeaning([toParsedRule(parsed)], sources, [text])
  expect(issues.map(({ message }) => message)).toEqual(says ? [expect.stringMatching(says)] : [])
})

test('if several rules replace the same words, a detail is kept if the text of any of them has it', () => {
  const rules = [ORDER, BAN].map(toParsedRule)
  const replaced = [{ text: 'Keep lines below 100 and never use `eval`.', rules: [0, 1] }]
  expect(compareMeaning(rules, replaced, ['Never:', 'use `eval`, and keep lines below 100'])).toEqual([])
})

test('a text with a bullet, as in the mode concise, may leave out the reason', () => {
  const rules = [{ ...toParsedRule(ORDER), reason: 'a screen has 100' }]
  const replaced = [{ text: 'Keep lines short, a screen has 100.', rules: [0] }]
  expect(compareMeaning(rules, replaced, ['- Keep lines short'])).toEqual([])
  expect(compareMeaning(rules, replaced, ['Keep lines short'])).toHaveLength(1)
})

test('in ten real files, 29 of 36 lost bans and 6 of 12 lost numbers are doubted, no right text is', () => {
  const { right, slips } = ratesOfMeaning()
  expect(right).toEqual({ doubted: 0, of: 356 })
  expect(slips.get('lost-negation')).toEqual({ doubted: 29, of: 36 })
  expect(slips.get('number')).toEqual({ doubted: 6, of: 12 })
})

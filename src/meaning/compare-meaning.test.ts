import { expect, test } from 'bun:test'
import { doubtRates } from '../../test/corpora/corpus.ts'
import { toParsedRule } from '../../test/harness/parsed-rule.ts'
import { compareMeaning } from './compare-meaning.ts'

const BAN = 'forbidden, use, eval'
const ORDER = 'obligatory, keep, lines'

const CASES: Array<[parsed: string, source: string | undefined, text: string, says?: RegExp]> = [
  [ORDER, 'Keep lines below 100.', 'Keep lines short.', /rule 1 does not say 100, which is in the words/],
  [ORDER, '1. Keep lines below 1,000.', 'Keep lines below 1000.'],
  [ORDER, 'Keep lines below 3.', 'Keep lines below three.'],
  [ORDER, 'Keep `src/a.ts` short', 'Keep files short', /does not say `src\/a\.ts`/],
  [ORDER, 'Keep `a-b` short', 'Keep a/b short'],
  [ORDER, 'See [it](docs/x.md) and [7][7]', 'See it and [7][7]', /does not say docs\/x\.md/],
  [ORDER, 'See https://a.b/c.', 'See https://a.b/c'],
  [ORDER, 'See <a href="https://a.b/c">it</a>', 'See [it](https://a.b/c)'],
  // The parsed rule is compared only if there is no source.
  [
    'obligatory, keep, `src` below 100',
    undefined,
    'Keep src below 90',
    /does not say 100, which is in the parsed rule/,
  ],
  ['obligatory, keep, lines, below 100', 'Keep lines', 'Keep lines'],
  [
    BAN,
    undefined,
    'Rule: use eval',
    /rule 1 does not forbid anything, but parsed rule 1 has the strength "forbidden".*"do not use eval"/,
  ],
  [BAN, undefined, 'Rule: call `eval`, never mind'],
  [BAN, undefined, 'Use JSON.parse instead of eval'],
  [BAN, 'Never use eval', 'Use eval', /does not forbid/],
  [BAN, 'dont use eval', 'Use eval', /does not forbid/],
  [BAN, 'dont use eval', 'You dont use eval'],
  [BAN, 'use eval', 'Use eval'],
  // Only English texts are searched for a ban.
  ['forbidden, nutzen, eval', undefined, 'Nutze eval'],
]

// Each row is one argument, because bun would pass a callback in place of a missing last argument (`says`).
test.each(CASES.map((row) => [row] as const))(
  'there is an issue only if the text lost a detail or a ban: %j',
  ([parsed, source, text, says]) => {
    const sources = source === undefined ? [] : [{ text: source, rules: [0] }]
    const issues = compareMeaning([toParsedRule(parsed)], sources, [text])
    expect(issues.map(({ message }) => message)).toEqual(says ? [expect.stringMatching(says)] : [])
  },
)

test('the details and the ban of a source may be in the text of any of its rules', () => {
  const rules = [ORDER, BAN].map(toParsedRule)
  const sources = [{ text: 'Keep lines below 100 and never use `eval`.', rules: [0, 1] }]
  expect(compareMeaning(rules, sources, ['Never:', 'use `eval`, and keep lines below 100'])).toEqual([])
})

test('the issues are in the order of the rules', () => {
  const sources = [{ text: 'Keep lines below 100', rules: [1] }]
  const issues = compareMeaning([BAN, ORDER].map(toParsedRule), sources, ['Use eval', 'Keep lines short'])
  expect(issues.map(({ path }) => path)).toEqual([['rules', 0], ['rules', 1]])
})

test('a text with a bullet may lack a number that is in the reason, because the mode `concise` omits reasons', () => {
  const rules = [{ ...toParsedRule(ORDER), reason: 'a screen has 100' }]
  const sources = [{ text: 'Keep lines short, a screen has 100.', rules: [0] }]
  expect(compareMeaning(rules, sources, ['- Keep lines short'])).toEqual([])
  expect(compareMeaning(rules, sources, ['Keep lines short'])).toHaveLength(1)
})

test('29 of 36 lost bans and 6 of 12 wrong numbers are found, and correct texts have no issue', () => {
  const { right, slips } = doubtRates()
  expect(right).toEqual({ doubted: 0, of: 356 })
  expect(slips.get('lost-negation')).toEqual({ doubted: 29, of: 36 })
  expect(slips.get('number')).toEqual({ doubted: 6, of: 12 })
})

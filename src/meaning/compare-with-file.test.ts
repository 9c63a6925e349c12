import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { toParsedRule } from '../../test/harness/parsed-rule.ts'
import { compareSource } from './compare-with-file.ts'
import { isOrder } from './force.ts'

const OBLIGATORY = 'obligatory, use, it'
const PERMISSIBLE = 'permissible, use, it'
const FORBIDDEN = 'forbidden, use, it'

/** What one place says, how its rules were parsed, what they say, and what is doubted. */
const CASES: Array<[text: string, parsed: Array<string>, sentences: Array<string>, fault?: RegExp]> = [
  // numbers
  ['Lines have 100 characters.', [OBLIGATORY], ['Rule: Keep lines short.'], /rule 1 does not say 100/],
  ['Wait 5 s: the gateway needs 3.', [OBLIGATORY], ['Rule: Wait five s.\nReason: The gateway needs 3.']],
  ['At most 1,000 rows.', [OBLIGATORY], ['Rule: At most 1000 rows.']],
  ['3. Add one test, see v2 and ES2022.', [OBLIGATORY], ['Rule: Add a test.']],
  ['関数は50行以内に。', [OBLIGATORY], ['関数を短く。'], /does not say 50/],
  // names and links
  ['Log with `log`, not `print`.', [OBLIGATORY], ['Rule: Log with `log`.'], /does not say `print`/],
  ['Log with `log`, not `print`.', [OBLIGATORY, FORBIDDEN], ['Rule: Use `log`.', 'Rule: No `print`.']],
  ['See [the guide](docs/x.md).', [OBLIGATORY], ['Rule: Read the guide.'], /does not say docs\/x\.md/],
  ['See https://example.com/a1.', [OBLIGATORY], ['Rule: Read the page.'], /does not say https:\/\/example/],
  ['See [the guide][guide].', [OBLIGATORY], ['Rule: Read the guide.'], /does not say \[guide\]/],
  ['Sort imports.[^1]', [OBLIGATORY], ['Rule: Sort imports.'], /does not say \[\^1\]/],
  [
    '<a id="imports"></a>Sort imports.',
    [OBLIGATORY],
    ['Rule: Sort imports.'],
    /does not say <a id="imports">,/,
  ],
  // a concise rule leaves its reason out
  ['Wait 5 s: 3 are too few.', [OBLIGATORY], ['- Wait 5 s'], /does not say 3,/],
  // an order
  ['You must use it.', [PERMISSIBLE], ['Rule: May use it.'], /makes advice of an order.*\(now permissible\)/],
  ['You must use it.', [OBLIGATORY], ['Rule: Ideally use it.'], /makes advice of an order/],
  ['Never use it, but reading is fine.', [PERMISSIBLE], ['Rule: Reading is fine.']],
  ['You do not have to use it.', ['omissible, use, it'], ['Rule: Need not use it.']],
  ['Never use it. Never say it.', [FORBIDDEN, PERMISSIBLE], ['Rule: Never use it.', 'Rule: May say it.']],
  ['Das darf nie verwendet werden.', [PERMISSIBLE], ['Das kann verwendet werden.'], /advice of an order/],
  ['必ずテストする。', [PERMISSIBLE], ['テストしてもよい。'], /advice of an order/],
  ['必须运行测试。', [PERMISSIBLE], ['可以运行测试。'], /advice of an order/],
  // advice
  ['Ideally use it.', [OBLIGATORY], ['Rule: Use it.'], /makes an order of advice.*\(now obligatory\)/],
  ['You may use it. Close it.', [OBLIGATORY], ['Rule: Close it.']],
  ['Uploads may be large, stream them.', [OBLIGATORY], ['Rule: Stream uploads.']],
  ['В конце — что можно проверить.', [OBLIGATORY], ['В конце напиши, что можно проверить.']],
  ['Можно писать тесты.', [OBLIGATORY], ['Пиши тесты.'], /order of advice/],
  ['Nothing else may be there.', [FORBIDDEN], ['Rule: Nothing else goes there.']],
  ['Am besten einen Test schreiben.', [OBLIGATORY], ['Einen Test schreiben.'], /order of advice/],
]

const at = (text: string, ...rules: Array<number>) => ({ text, rules })

test.each(CASES)('%j as %j: %j', (text, parsed, sentences, fault = /^$/) => {
  const issues = compareSource([at(text, ...parsed.keys())], parsed.map(toParsedRule), sentences)
  expect(issues.map(({ message }) => message).join('\n')).toMatch(fault)
})

test('what a concise rule was parsed with as its reason is said', () => {
  const rule = { ...toParsedRule(OBLIGATORY), reason: '3 are too few' }
  expect(compareSource([at('Wait 5 s: 3 are too few.', 0)], [rule], ['- Wait 5 s'])).toEqual([])
})

test('each place is compared with its own rules, and a rule that is not there with none', () => {
  const parsed = [OBLIGATORY, OBLIGATORY].map(toParsedRule)
  const places = [at('Use `a`.', 1), at('Use `b`.', 0, 7), at('`c`', 7)]
  expect(compareSource(places, parsed, ['Rule: Use `a`.', 'Rule: Use `a`.']).map(({ path }) => path))
    .toEqual([['rules', 0]])
  expect(compareSource([at('`a`', 1)], parsed, ['Rule: Use it.'])).toEqual([])
})

test('a text that its rule repeats is never said to lose anything', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'`[]()<>.,:/12 ahtps#-\n') }), (text) => {
      expect(compareSource([at(text, 0)], [toParsedRule(OBLIGATORY)], [text])).toEqual([])
    }),
    { numRuns: 1_000 },
  )
})

test('a reason for which none was parsed is doubted once', () => {
  const rule = toParsedRule(OBLIGATORY)
  const places = [at('Use it.', 0), at('Please use it.', 0)]
  const issuesOf = (reason: string, sentence: string) =>
    compareSource(places, [{ ...rule, reason }], [sentence]).map(({ message }) => message)
  expect(issuesOf('', 'Rule: Use it.\nReason: It is fast.')).toEqual([
    expect.stringContaining('rule 1 gives a reason that was not parsed'),
  ])
  expect(issuesOf('it is fast', 'Rule: Use it.\nReason: It is fast.')).toEqual([])
  for (const sentence of ['Rule: Use it.', 'Rule: Use it.\nReason: You please.']) {
    expect(issuesOf('', sentence)).toEqual([])
  }
})

test.each([
  ['Never ask.', true],
  ['The build must never print.', true],
  ['Never do this:', false],
  ['We know what never fails.', false],
  ['You may ask.', false],
])('%j orders something itself: %j', (sentence, expected) => {
  expect(isOrder(sentence)).toBe(expected)
})

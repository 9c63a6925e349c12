import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { toParsedRule } from '../../test/harness/parsed-rule.ts'
import { wordsOf } from '../json/issues.ts'
import { STRENGTHS } from '../rule-schema.ts'
import { compareMeaning, wordingOf } from './compare-with-parsed.ts'

const messages = (parsed: Array<string>, formatted: Array<string>): Array<string> =>
  compareMeaning(parsed.map(toParsedRule), formatted).issues.map((issue) => wordsOf(issue))

// What was parsed.
const P = {
  unwrap: 'forbidden, use, `.unwrap()`, except in tests',
  tests: 'obligatory, run, the tests, before each commit',
  unknown: 'permissible, use, `unknown`',
  example: 'supererogatory, add, an example',
  lines: 'obligatory, limit, functions to 40 lines',
  hours: 'obligatory, wait, 2 hours',
  composition: 'obligatory, prefer, composition over inheritance',
  evaluation: 'forbidden, use, `eval` instead of `JSON.parse`',
  var: 'forbidden, use, `var`',
  kommentare: 'forbidden, verwenden, Emojis, in Kommentaren',
  globali: 'forbidden, usare, variabili globali',
  utc: 'obligatory, store, dates in UTC',
  emoji: 'forbidden, 使う, 絵文字, docstring で',
}

// More of them, right ones and slips, whose words nobody here made up: `test/rewriting/corpus.test.ts`.
const RIGHT: Array<[parsed: string, text: string]> = [
  [P.unwrap, 'keep `.unwrap()` out of everything but tests'],
  ['forbidden, add, comments, only to code that you modify', 'Only add comments to code that you modify.'],
  ['forbidden, créer, de composants, Pas de wrappers', 'Ne pas créer de composants'],
  ['forbidden, importieren, `a` in `b`', '`b` darf `a` nicht importieren.'],
  [
    'forbidden, inventar, funciones que el repositorio no muestre',
    'No inventar funciones que el repositorio no muestre.',
  ],
  [P.tests, 'Never commit without running the tests.'],
  [P.unknown, 'You can always use `unknown`'],
  [P.composition, 'Never inheritance over composition'],
  ['permissible, anlegen, Branches und PRs', 'Branches und PRs dürfen jederzeit angelegt werden'],
  ['obligatory, store, secrets in the vault', 'Secrets must not be stored in the repository'],
  ['forbidden, run, more than 30 jobs, in one pool', 'Run 30 jobs or fewer in one pool'],
  ['obligatory, assume, that callers may be null', 'Callers may be null: assume that'],
  ['obligatory, disable, telemetry, in the tests', 'No telemetry in the tests'],
  [P.utc, 'Never store dates in local time'],
  ['forbidden, non usare, variabili globali', 'Non usare variabili globali'],
  ['forbidden, verwenden, Vererbung statt Komposition', 'Komposition statt Vererbung verwenden'],
  ['obligatory, verwenden, benannte Exporte', 'Only the named ones are for use.'],
  [P.emoji, 'docstring に絵文字を使わない'],
  ['forbidden, force, pushes that are not yours', 'Never force-push to the work of others.'],
]

const WRONG: Array<[parsed: string, text: string, fault: RegExp]> = [
  [P.unwrap, 'use `.unwrap()` except in tests', /does not forbid/],
  [P.unwrap, "don't avoid `.unwrap()` except in tests", /does not forbid/],
  [P.unwrap, 'never use `.unwrap()`', /has lost "except in tests"/],
  ['obligatory, stop, the server', 'Do not stop the server', /forbids what is obligatory/],
  [P.tests, 'Consider running the tests before each commit', /leaves a choice/],
  [P.unknown, 'use `unknown`', /leaves no choice/],
  [P.example, 'Avoid adding an example', /leaves no choice/],
  [P.lines, 'Functions have 400 lines at most', /says 400 where 40/],
  [P.hours, 'Wait three hours', /says 3 where 2/],
  [P.composition, 'Prefer inheritance rather than composition', /sides changed round/],
  [
    'obligatory, use, relative links, between pages',
    'Links between pages must not be relative',
    /forbids what is obligatory/,
  ],
  [P.var, 'Use `var`. Reason: never mind', /does not forbid/],
  [P.kommentare, 'In Kommentaren darf man Emojis verwenden', /leaves a choice/],
  [P.evaluation, 'Use `eval` instead of `JSON.parse`', /does not forbid/],
  ['obligatory, name, test files `*.spec.ts`', 'Name test files `*.test.ts`', /says `\*\.test\.ts` where/],
  [P.tests, "The tests don't have to be run before each commit", /leaves a choice/],
  ['forbidden, verwenden, `var`', 'Verwende `var`', /does not forbid/],
  [P.globali, 'Usare variabili globali', /does not forbid/],
  [P.emoji, 'docstring に絵文字を使う', /does not forbid/],
  ['obligatory, 使用, 组合而不是继承', '使用继承而不是组合', /sides changed round/],
]

test.each(RIGHT)('%s: "%s" is taken', (parsed, text) => {
  expect(messages([parsed], [`Rule: ${text}\nReason: never mind, 17 of \`them\` must`])).toEqual([])
})

test.each(WRONG)('%s: "%s" is doubted', (parsed, text, fault) => {
  expect(messages([parsed], [`- **${text}**`])).toEqual([expect.stringMatching(fault)])
})

const PARSED = [
  'obligatory, use, tabs for indentation',
  'forbidden, commit, secrets',
  'forbidden, commit, generated files',
  'obligatory, answer, in English',
]
const FORMATTED = [
  'Indent with tabs',
  'Never commit secrets',
  'Never commit generated files',
  'Answer in English',
]
const [TABS = '', SECRETS = '', GENERATED = '', ENGLISH = ''] = FORMATTED

test.each<[how: string, formatted: Array<string>, fault: RegExp | null]>([
  ['by their words', [ENGLISH, GENERATED, SECRETS, TABS], null],
  ['by their order', ['Einrücken mit Tabulatoren', SECRETS, GENERATED, 'Auf Englisch antworten'], null],
  ['but one that was dropped', [TABS, SECRETS, ENGLISH], /^parsed rule 3 was dropped/],
  [
    'but two in one',
    [TABS, 'Never commit secrets or generated files', ENGLISH],
    /^rule 2 merges .* rules 2, 3/,
  ],
  ['but one that is new', [...FORMATTED, 'Deploy on Fridays'], /^rule 5 says nothing that was parsed/],
  [
    'but one in two',
    [TABS, 'Never commit your secrets', 'Secrets are never in a commit', GENERATED, ENGLISH],
    /^the rules 2, 3 split the parsed rule 2/,
  ],
  ['but one of another matter', FORMATTED.with(0, 'Deploy on every Friday'), /^rule 1 says something else/],
])('rules are paired %s', (_, formatted, fault) => {
  expect(messages(PARSED, formatted)).toEqual(fault ? [expect.stringMatching(fault)] : [])
})

test('words of the source are words of the rule', () => {
  const parsed = { ...toParsedRule('obligatory, follow, the convention'), source: 'Do as the old tests do.' }
  expect(compareMeaning([parsed], ['Write tests like the others']).issues).toEqual([])
  expect(compareMeaning([parsed], ['Deploy on every Friday']).issues).toHaveLength(1)
})

test('a rule that was parsed without a reason is known by its place among the formatted ones', () => {
  const parsed = PARSED.map(toParsedRule).map(({ reason, ...rule }, index) =>
    index === 1 ? rule : { ...rule, reason }
  )
  const reordered = [SECRETS, TABS, GENERATED, ENGLISH]
  expect(compareMeaning(parsed, reordered)).toMatchObject({ issues: [], withoutReason: new Set([0]) })
  expect(compareMeaning(undefined, ['use eval'])).toMatchObject({ issues: [], withoutReason: new Set() })
})

const words = fc.constantFrom(
  ...'use never not tabs `a` over instead_of unless 5 avoid do_not may if , . must X the 使う nicht ñ only ideally without'
    .split(' ').map((word) => word.replace('_', ' ')),
)
const phrase = fc.array(words, { minLength: 1, maxLength: 4 }).map((all) => all.join(' '))

test('what an answer proposes is taken, whatever the rule', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...STRENGTHS),
      phrase,
      phrase,
      phrase,
      (strength, action, target, context) => {
        const rule = { strength, action, target, context }
        expect(compareMeaning([rule], [`Rule: ${wordingOf(rule)}`]).issues).toEqual([])
      },
    ),
    { numRuns: 2_000 },
  )
})

test('no text makes it throw, and a dropped or an added rule is always doubted', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.array(fc.string()), (targets, formatted) => {
      const parsed = targets.map((target) => ({ strength: 'obligatory' as const, action: 'use', target }))
      const { issues } = compareMeaning(parsed, formatted)
      if (targets.length !== formatted.length) expect(issues).not.toEqual([])
    }),
  )
})

test('a doubt about a strength names both ways out, another doubt only the words', () => {
  expect(messages([P.unknown], ['always use `unknown`'])).toEqual([
    'rule 1 leaves no choice: parsed rule 1 is permissible, expected like "may use `unknown`", or parse it as '
    + 'obligatory or forbidden; got "always use `unknown`"',
  ])
  expect(messages([P.hours], ['Wait three hours'])).toEqual([expect.not.stringContaining('parse it as')])
})

test('sentences in another order are doubted where each has its place in a file', () => {
  const sourced = PARSED.map((text, index) => ({ ...toParsedRule(text), source: `${index}` }))
  const swapped = [SECRETS, TABS, GENERATED, ENGLISH]
  expect(compareMeaning(sourced, FORMATTED).issues).toEqual([])
  expect(compareMeaning(sourced, FORMATTED.slice(1)).issues).toHaveLength(1)
  expect(compareMeaning(sourced, swapped).issues.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^rule 1 says parsed rule 2; expected the order/),
    expect.stringMatching(/^rule 2 says parsed rule 1; expected the order/),
  ])
})

test('what says the reason of its rule says nothing else', () => {
  const [tabs, ...others] = PARSED.map(toParsedRule)
  const reasoned = [{ ...tabs!, reason: 'Fridays are for deploys' }, ...others]
  expect(compareMeaning(reasoned, FORMATTED.with(0, 'Deploy on every Friday')).issues).toEqual([])
})

test('what says one rule in its own words merges no other', () => {
  const tools = ['a', 'b', 'c'].map((name) => `obligatory, use, tool ${name}`)
  expect(messages(tools, ['Rule: Use tool a.', 'Rule: Use tool c.'])).toEqual([
    expect.stringContaining('parsed rule 2 was dropped'),
  ])
})

test('below words that leave a choice a sentence may order', () => {
  const rules = ['supererogatory, focus on, a single use-case'].map(toParsedRule)
  const issuesUnder = (under: string) =>
    compareMeaning(rules, ['Rule: Focus on a single use-case.'], [under]).issues
  expect([issuesUnder('Tests should:'), issuesUnder('**Tests:**').length]).toEqual([[], 1])
})

test('one sentence for two rules is doubted, but for the same rule', () => {
  const [a, b, c] = ['obligatory, use, tabs in code', 'obligatory, use, tabs in docs', 'obligatory, ask, Ann']
  expect(messages([a, b], ['Use tabs.', 'Use tabs.'])).toEqual([
    'rule 2 says what rule 1 says: parsed rule 2 is obligatory, expected like "use tabs in docs"; got "Use tabs."',
  ])
  expect(messages([c, a, b], ['Ask Ann.', 'Use tabs in code.', 'Use tabs in code.'])).toHaveLength(1)
  expect(messages([a, c, a], ['Use tabs in code.', 'Ask Ann.', 'Use tabs in code.'])).toEqual([])
})

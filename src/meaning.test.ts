import { expect, test } from 'bun:test'
import { toParsedRule as toRule } from '../test/parsed-rule.ts'
import { meaningIssues } from './meaning.ts'

const PARSED = [
  'obligatory, use, early returns',
  'forbidden, use, non-null assertions',
  'permissible, use, type assertions, when necessary',
  'forbidden, commit, secrets',
  'supererogatory, document, public APIs',
]
const RIGHT = [
  'Rule: use early returns',
  'Rule: do not use non-null assertions',
  'Rule: may use type assertions when necessary',
  'Rule: never commit secrets',
  'Rule: ideally document public APIs',
]
const without = (index: number) => RIGHT.filter((_, at) => at !== index)
const replaced = (index: number, ...rules: Array<string>) => RIGHT.toSpliced(index, 1, ...rules)

const TABS = ['obligatory, use, tabs, in Go files', 'forbidden, use, tabs, in YAML files']

const TABLE: Array<
  { name: string; parsed?: Array<string>; formatted: Array<string>; says: Array<[string, RegExp]> }
> = [
  { name: 'all rules in order', formatted: RIGHT, says: [] },
  { name: 'all rules in another order', formatted: RIGHT.toReversed(), says: [] },
  {
    name: 'a reworded rule that shares no word',
    formatted: replaced(0, 'Rule: leave functions at once'),
    says: [],
  },
  {
    name: 'a rule replaced by another',
    formatted: replaced(0, 'Rule: name branches after tickets\nReason: They are found again.'),
    parsed: ['obligatory, use, early returns, in functions with guards', ...PARSED.slice(1)],
    says: [['rules', /parsed rule 1 was dropped.*early returns/], [
      'rules.0',
      /rule 1 says nothing that was parsed/,
    ]],
  },
  {
    name: 'a rule in another language',
    formatted: replaced(
      0,
      'Rule: Funktionen sofort verlassen, nicht verschachteln\nReason: Das liest sich leichter.',
    ),
    parsed: ['obligatory, use, early returns, in functions with guards', ...PARSED.slice(1)],
    says: [],
  },
  { name: 'nothing parsed, nothing formatted', parsed: [], formatted: [], says: [] },
  {
    name: 'a dropped rule',
    formatted: without(3),
    says: [['rules', /parsed rule 4 was dropped.*do not commit secrets/]],
  },
  {
    name: 'a lost negation',
    formatted: replaced(3, 'Rule: commit secrets'),
    says: [[
      'rules.3',
      /rule 4 has to read as a negation: parsed rule 4 is forbidden.*"Rule: commit secrets"/,
    ]],
  },
  {
    name: 'a lost negation among rules in another order',
    formatted: replaced(3, 'Rule: commit secrets').toReversed(),
    says: [['rules.1', /rule 2 has to read as a negation: parsed rule 4 is forbidden/]],
  },
  {
    name: 'a negation too many',
    formatted: replaced(0, 'Rule: avoid early returns'),
    says: [['rules.0', /rule 1 must not read as a negation: parsed rule 1 is obligatory/]],
  },
  {
    name: 'a permission made an order',
    formatted: replaced(2, 'Rule: use type assertions when necessary'),
    says: [['rules.2', /rule 3 has to read as permissible.*may use type assertions when necessary/]],
  },
  {
    name: 'two rules merged',
    formatted: [
      RIGHT[0]!,
      'Rule: do not use non-null assertions and never commit secrets',
      RIGHT[2]!,
      RIGHT[4]!,
    ],
    says: [['rules.1', /rule 2 merges the parsed rules 2, 4/]],
  },
  {
    name: 'two rules merged, their contexts left out',
    parsed: ['obligatory, use, pnpm, for package management', 'obligatory, validate, user input'],
    formatted: ["use pnpm, don't use npm, and validate user input"],
    says: [['rules.0', /rule 1 merges the parsed rules 1, 2/]],
  },
  {
    name: 'one rule split',
    formatted: replaced(3, 'Rule: never commit secrets', 'Rule: do not commit secrets to git'),
    says: [['rules.4', /the rules 4, 5 split the parsed rule 4/]],
  },
  {
    name: 'one rule twice, another one dropped',
    formatted: [RIGHT[0]!, RIGHT[0]!, ...RIGHT.slice(2)],
    says: [['rules', /parsed rule 2 was dropped/], ['rules.1', /the rules 1, 2 split the parsed rule 1/]],
  },
  {
    name: 'a rule that was not parsed',
    formatted: [...RIGHT, 'Rule: write haiku'],
    says: [['rules.5', /rule 6 says nothing that was parsed/]],
  },
  {
    name: 'one target under two contexts, in another order',
    parsed: TABS,
    formatted: ['do not use tabs in YAML', 'use tabs in Go'],
    says: [],
  },
  {
    name: 'one target under two contexts, one of them dropped',
    parsed: TABS,
    formatted: ['use tabs in Go'],
    says: [['rules', /parsed rule 2 was dropped/]],
  },
  {
    name: 'one target under two contexts, exchanged',
    parsed: TABS,
    formatted: ['do not use tabs in Go', 'use tabs in YAML'],
    says: [['rules.0', /must not read as a negation/], ['rules.1', /has to read as a negation/]],
  },
  {
    name: 'every rule dropped',
    formatted: [],
    says: PARSED.map((_, at) => ['rules', new RegExp(`rule ${at + 1} was dropped`)]),
  },
]

test.each(TABLE)('$name', ({ parsed = PARSED, formatted, says }) => {
  const issues = meaningIssues(parsed.map(toRule), formatted)
  expect(issues.map(({ path }) => path.join('.'))).toEqual(says.map(([path]) => path))
  says.forEach(([, words], index) => expect(issues[index]!.message).toMatch(words))
})

test('500 rules turned round are still matched, and the one that lost its negation is found', () => {
  const parsed = Array.from(
    { length: 500 },
    (_, at) => toRule(`forbidden, use, feature${at} of module${at % 40}`),
  )
  const formatted = parsed.map(({ target }) => `never use ${target}`).toReversed()
  expect(meaningIssues(parsed, formatted)).toEqual([])
  formatted[100] = formatted[100]!.replace('never ', '')
  expect(meaningIssues(parsed, formatted).map(({ path }) => path)).toEqual([['rules', 100]])
})

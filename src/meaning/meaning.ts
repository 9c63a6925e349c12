import { type Issue, quote } from '../json/issues.ts'
import type { ParsedRule } from '../rule-schema.ts'
import { lostException } from './exceptions.ts'
import { englishScore, lostForeignDenial } from './languages.ts'
import { nameFault, numberFault } from './numbers-and-names.ts'
import { type Pair, type Pairing, pairRules } from './pairing.ts'
import { sidesFault } from './sides.ts'
import { strengthFault } from './strength.ts'
import { type Compared, directiveOf, MAX_LENGTH, plainOf } from './words.ts'

const SHOWN = 100

const FORMS: Record<ParsedRule['strength'], (what: string) => string> = {
  obligatory: (what) => what,
  forbidden: (what) => `do not ${what}`,
  permissible: (what) => `may ${what}`,
  optional: (what) => `optionally ${what}`,
  supererogatory: (what) => `ideally ${what}`,
  indifferent: (what) => `either ${what} or not`,
  omissible: (what) => `need not ${what}`,
}

/** How a parsed rule is put into words (sat-spec.md, deontic strength mapping). */
const expectedOf = ({ strength, action, target, context = '' }: ParsedRule): string =>
  quote(FORMS[strength](`${action} ${target} ${context}`.trim()), SHOWN)

/** The rules of one side that belong to more than one of the other. */
const severalOf = (pairs: Array<Pair>, by: keyof Pair, of: keyof Pair): Array<[number, Array<number>]> => {
  const groups = new Map<number, Array<number>>()
  for (const one of pairs) {
    const group = [...(groups.get(one[by]) ?? []), one[of]]
    groups.set(one[by], group.sort((a, b) => a - b))
  }
  return [...groups].filter(([, group]) => group.length > 1)
}

const numbers = (indexes: Array<number>): string => indexes.map((index) => index + 1).join(', ')

const structureIssues = (
  { pairs, extra, dropped, added }: Pairing,
  parsed: Array<ParsedRule>,
  formatted: Array<string>,
): Array<Issue> => {
  const all = [...pairs, ...extra]
  const isSaid = (index: number) => `says ${expectedOf(parsed[index]!)}`
  const issue = (at: number, message: string): Issue => ({
    path: ['rules', at],
    message: `${message}; got ${quote(formatted[at]!, SHOWN)}`,
  })
  return [
    ...dropped.map((index): Issue => {
      const expected = `expected a rule that ${isSaid(index)}, or a new parse-rules without it`
      return { path: ['rules'], message: `parsed rule ${index + 1} was dropped; ${expected}` }
    }),
    ...severalOf(all, 'formatted', 'parsed').map(([at, group]) =>
      issue(at, `rule ${at + 1} merges the parsed rules ${numbers(group)}; expected one rule for each`)
    ),
    ...severalOf(all, 'parsed', 'formatted').map(([index, group]) => {
      const expected = `expected one that ${isSaid(index)}`
      return issue(group[0]!, `the rules ${numbers(group)} split the parsed rule ${index + 1}; ${expected}`)
    }),
    ...added.map((at) => {
      const expected = `expected only the ${parsed.length} parsed rules`
      return issue(at, `rule ${at + 1} says nothing that was parsed; ${expected}`)
    }),
  ]
}

/** What is surely wrong with one rule's wording, if anything is; in other languages less is sure than in English. */
const faultOf = (compared: Compared, text: string, isInEnglish: boolean): string | undefined => {
  const { rule, parsed, said } = compared
  return numberFault(rule, text) ?? nameFault(rule, text) ?? sidesFault(compared)
    ?? (isInEnglish && englishScore(said + parsed) >= 0
      ? strengthFault(compared) ?? lostException(compared)
      : lostForeignDenial(compared))
}

/**
 * Compares formatted rules with the parsed ones (spec.md, Meaning): which were dropped, merged, split or added, and
 * which surely lost or turned round what they meant, each by its number, counted from 1, and its text.
 *
 * @param parsed what parse-rules took; without it nothing is compared
 * @returns the doubts, and the indexes of the formatted rules that were parsed without a reason
 */
export const compareMeaning = (
  parsed: Array<ParsedRule> | undefined,
  formatted: Array<string>,
): { issues: Array<Issue>; withoutReason: ReadonlySet<number> } => {
  if (parsed === undefined) return { issues: [], withoutReason: new Set() }
  const meant = parsed.map(({ action, target, context = '' }) => plainOf(`${action} ${target} ${context}`))
  const said = formatted.map((rule) => plainOf(directiveOf(rule)))
  const pairing = pairRules(meant, said)
  const isInEnglish = englishScore(said.join('')) > 0
  const wordingIssues = pairing.pairs.flatMap(({ parsed: index, formatted: at }): Array<Issue> => {
    const [rule, text] = [parsed[index]!, formatted[at]!]
    const [action, target] = [plainOf(rule.action), plainOf(rule.target)]
    const compared = { rule, action, target, parsed: meant[index]!, said: said[at]! }
    const fault = faultOf(compared, text.slice(0, MAX_LENGTH), isInEnglish)
    return fault === undefined ? [] : [{
      path: ['rules', at],
      message: `rule ${at + 1} ${fault}: parsed rule ${index + 1} is ${rule.strength}, expected like ${
        expectedOf(rule)
      }; got ${quote(text, SHOWN)}`,
    }]
  })
  const withoutReason = pairing.pairs.filter((pair) => (parsed[pair.parsed]!.reason ?? '').trim() === '')
  return {
    issues: [...structureIssues(pairing, parsed, formatted), ...wordingIssues],
    withoutReason: new Set(withoutReason.map((pair) => pair.formatted)),
  }
}

/** Parsed rules ↔ the sentences that a model made of them. */
import { type Issue, quote } from '../json/issues.ts'
import type { ParsedRule } from '../rule-schema.ts'
import { lostException } from './exceptions.ts'
import { isBareBan, isEnglish, isForeign } from './languages.ts'
import { nameFault, numberFault } from './numbers-and-names.ts'
import { type Pairing, pairRules } from './pairing.ts'
import { areSidesTurned } from './sides.ts'
import { foreignStrengthFault, strengthFault } from './strength.ts'
import { type Compared, contentOf, directiveOf, parsedTextOf, plainOf } from './words.ts'

const SHOWN = 80

// What a sentence of each strength begins with.
const OPENINGS: Record<ParsedRule['strength'], string> = {
  obligatory: '',
  forbidden: 'do not ',
  permissible: 'may ',
  optional: 'optionally ',
  supererogatory: 'ideally ',
  indifferent: 'do or do not ',
  omissible: 'need not ',
}

// Where the sentence is right, the rule was parsed with a wrong strength.
const PARSE_AS: Record<string, string> = {
  'does not forbid': ', or parse it as obligatory or permissible',
  'forbids what is obligatory': ', or parse it as forbidden',
  'leaves a choice': ', or parse it as permissible or supererogatory',
  'leaves no choice': ', or parse it as obligatory or forbidden',
}

/** Words a parsed rule the way that answers propose it. */
export const wordingOf = (rule: ParsedRule): string => `${OPENINGS[rule.strength]}${parsedTextOf(rule)}`

const shownWordingOf = (rule: ParsedRule): string => quote(wordingOf(rule), SHOWN)

const numbersOf = (indexes: Array<number>): string =>
  indexes.map((index) => index + 1).toSorted((a, b) => a - b).join(', ')

/** Names what is surely wrong with a sentence, if anything is; less is sure in other languages than in English. */
const faultOf = (compared: Compared, areInEnglish: boolean): string | undefined => {
  const { rule, text, parsed, said } = compared
  if (said === plainOf(wordingOf(rule))) return undefined
  const known = new Set(contentOf(`${parsed}${plainOf(rule.reason ?? '')}`))
  const isInEnglish = areInEnglish && !isForeign(said)
  if (isInEnglish && !contentOf(plainOf(text)).some((word) => known.has(word))) return 'says something else'
  if (rule.strength !== 'forbidden' && areSidesTurned(compared)) return 'has its sides changed round'
  if (isBareBan(compared)) return 'does not forbid'
  return numberFault(compared) ?? nameFault(compared) ?? (isInEnglish
    ? strengthFault(compared) ?? lostException(compared)
    : foreignStrengthFault(compared))
}

/** Names the parsed rules that were dropped or split. */
const parsedIssues = (parsed: Array<ParsedRule>, saidBy: Pairing['saidBy']): Array<Issue> =>
  parsed.flatMap((rule, index) => {
    const parts = saidBy[index]!
    if (parts.length === 1) return []
    const name = `parsed rule ${index + 1}`
    const fault = parts.length === 0
      ? `${name} was dropped`
      : `the rules ${numbersOf(parts)} split the ${name}`
    const expected = `expected one rule that says ${shownWordingOf(rule)}, or a new parse-rules`
    return [{ path: ['rules'], message: `${fault}; ${expected}` }]
  })

/**
 * Compares formatted rules with the parsed ones: which were dropped, merged, split or added, and which surely lost or
 * reversed what they meant, each by its number, counted from 1, and its text. It is sure or silent.
 *
 * @param parsed what parse-rules took; without it nothing is compared
 * @returns the doubts, and the indexes of the formatted rules that were parsed without a reason
 */
export const compareMeaning = (
  parsed: Array<ParsedRule> | undefined,
  formatted: Array<string>,
): { issues: Array<Issue>; withoutReason: ReadonlySet<number> } => {
  if (parsed === undefined) return { issues: [], withoutReason: new Set() }
  const meant = parsed.map((rule) => plainOf(parsedTextOf(rule)))
  const said = formatted.map((text) => plainOf(directiveOf(text)))
  const { saidBy, says } = pairRules(meant, said)
  const areInEnglish = isEnglish(said.join('')) && isEnglish(meant.join(''))

  const doubtOf = (text: string, at: number): string | undefined => {
    const [index, second] = says[at]!
    if (index === undefined) return 'says nothing that was parsed; expected only the parsed rules'
    if (second !== undefined) {
      return `merges the parsed rules ${numbersOf(says[at]!)}; expected one rule for each`
    }
    const rule = parsed[index]!
    const [action, target] = [plainOf(rule.action), plainOf(rule.target)]
    const fault = faultOf(
      { rule, text, action, target, parsed: meant[index]!, said: said[at]! },
      areInEnglish,
    )
    if (fault === undefined || saidBy[index]!.length > 1) return undefined
    const expected = `expected like ${shownWordingOf(rule)}${PARSE_AS[fault] ?? ''}`
    return `${fault}: parsed rule ${index + 1} is ${rule.strength}, ${expected}`
  }
  const formattedIssues = formatted.flatMap((text, at): Array<Issue> => {
    const doubt = doubtOf(text, at)
    const message = `rule ${at + 1} ${doubt}; got ${quote(text, SHOWN)}`
    return doubt === undefined ? [] : [{ path: ['rules', at], message }]
  })
  const hasReason = (index: number) => (parsed[index]!.reason ?? '').trim() !== ''
  const withoutReason = new Set([...formatted.keys()].filter((at) => !says[at]!.every(hasReason)))
  return { issues: [...parsedIssues(parsed, saidBy), ...formattedIssues], withoutReason }
}

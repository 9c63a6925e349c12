import { type Issue, quote } from '../json/issues.ts'
import type { ParsedRule } from '../rule-schema.ts'
import { lostException } from './exceptions.ts'
import { isBareBan, isEnglish, isForeign, lostForeignDenial } from './languages.ts'
import { nameFault, numberFault } from './numbers-and-names.ts'
import { type Pairing, pairRules } from './pairing.ts'
import { areSidesTurned } from './sides.ts'
import { strengthFault } from './strength.ts'
import { type Compared, directiveOf, parsedTextOf, plainOf } from './words.ts'

const SHOWN = 100

// What a rule of each strength begins with (sat-spec.md, deontic strength mapping).
const OPENINGS: Record<ParsedRule['strength'], string> = {
  obligatory: '',
  forbidden: 'do not ',
  permissible: 'may ',
  optional: 'optionally ',
  supererogatory: 'ideally ',
  indifferent: 'do or do not ',
  omissible: 'need not ',
}

/** Puts a parsed rule into words. */
const expectedOf = (rule: ParsedRule): string =>
  quote(`${OPENINGS[rule.strength]}${parsedTextOf(rule)}`, SHOWN)

const numbersOf = (indexes: Array<number>): string =>
  indexes.map((index) => index + 1).toSorted((a, b) => a - b).join(', ')

const sidesFault = (compared: Compared): string | undefined =>
  compared.rule.strength !== 'forbidden' && areSidesTurned(compared)
    ? 'has its sides changed round'
    : undefined

/** Tells what is surely wrong with a rule's wording, if anything is; less is sure in other languages than in English. */
const faultOf = (compared: Compared, isInEnglish: boolean): string | undefined =>
  numberFault(compared) ?? nameFault(compared) ?? sidesFault(compared)
    ?? (isBareBan(compared) ? 'does not forbid' : undefined) ?? (isInEnglish && !isForeign(compared.said)
      ? strengthFault(compared) ?? lostException(compared)
      : lostForeignDenial(compared))

/** Tells which parsed rules were dropped or split. */
const parsedIssues = (parsed: Array<ParsedRule>, saidBy: Pairing['saidBy']): Array<Issue> =>
  parsed.flatMap((rule, index) => {
    const parts = saidBy[index]!
    if (parts.length === 1) return []
    const name = `parsed rule ${index + 1}`
    const fault = parts.length === 0
      ? `${name} was dropped`
      : `the rules ${numbersOf(parts)} split the ${name}`
    const expected = `expected one rule that says ${expectedOf(rule)}, or a new parse-rules`
    return [{ path: ['rules'], message: `${fault}; ${expected}` }]
  })

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
  const meant = parsed.map((rule) => plainOf(parsedTextOf(rule)))
  const said = formatted.map((text) => plainOf(directiveOf(text)))
  const { saidBy, says } = pairRules(meant, said)
  const isInEnglish = isEnglish(said.join(''))

  const doubtOf = (text: string, at: number): string | undefined => {
    const [index, second] = says[at]!
    if (index === undefined) return 'says nothing that was parsed; expected only the parsed rules'
    if (second !== undefined) {
      return `merges the parsed rules ${numbersOf(says[at]!)}; expected one rule for each`
    }
    const rule = parsed[index]!
    const [action, target] = [plainOf(rule.action), plainOf(rule.target)]
    const fault = faultOf({ rule, text, action, target, parsed: meant[index]!, said: said[at]! }, isInEnglish)
    if (fault === undefined || saidBy[index]!.length > 1) return undefined
    return `${fault}: parsed rule ${index + 1} is ${rule.strength}, expected like ${expectedOf(rule)}`
  }
  const formattedIssues = formatted.flatMap((text, at): Array<Issue> => {
    const doubt = doubtOf(text, at)
    const message = `rule ${at + 1} ${doubt}; got ${quote(text, SHOWN)}`
    return doubt === undefined ? [] : [{ path: ['rules', at], message }]
  })
  const hasReason = (index: number) => (parsed[index]!.reason ?? '').trim() !== ''
  const withoutReason = [...formatted.keys()].filter((at) => !says[at]!.every(hasReason))
  return {
    issues: [...parsedIssues(parsed, saidBy), ...formattedIssues],
    withoutReason: new Set(withoutReason),
  }
}

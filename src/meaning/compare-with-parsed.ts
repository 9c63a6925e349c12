/** Parsed rules ↔ the sentences that a model made of them. */
import { type Issue, quote } from '../json/issues.ts'
import type { ParsedRule } from '../rule-schema.ts'
import { forceFault } from './force.ts'
import { areSidesTurned, hasGainedDenial, hasLostDenial, isBareBan, lostException } from './negation.ts'
import { replacedFault } from './numbers-and-names.ts'
import { fitOf, pairRules } from './pairing.ts'
import { type Compared, contentOf, directiveOf, isEnglish, parsedTextOf, plainOf } from './words.ts'

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

/** Gives the sentence that an answer proposes for a parsed rule. */
export const wordingOf = (rule: ParsedRule): string => {
  // "Do not add comments only to code that you modify" bans the contrary.
  const isLimited = rule.strength === 'forbidden' && /^only\b/i.test(rule.context ?? '')
  return `${isLimited ? '' : OPENINGS[rule.strength]}${parsedTextOf(rule)}`
}

/** Whether plain texts share a word that shows what they are about. */
const isAnySame = (one: string, other: string): boolean => {
  const known = contentOf(other)
  return contentOf(one).some((word) => known.includes(word))
}

const bareOf = (plain: string): string => plainOf(plain.replaceAll('`', ' '))

/** Names what is surely wrong with a sentence, if anything is; less is sure in other languages than in English. */
const faultOf = (
  compared: Compared,
  isEnglishSaid: boolean,
  isEnglishMeant: boolean,
  under: string,
): string | undefined => {
  const { rule, parsed, said } = compared
  if (said === plainOf(wordingOf(rule))) return undefined
  const known = parsed + plainOf([rule.reason ?? '', rule.source ?? ''].flat().join('\n'))
  const isEnglish = isEnglishSaid && !/[^\P{L}a-z]/u.test(said)
  // A name may have backticks on one side only.
  const isSaid = isAnySame(said, known) || isAnySame(bareOf(said), bareOf(known))
  if (isEnglish && isEnglishMeant && !isSaid) return 'says something else'
  const isBan = rule.strength === 'forbidden'
  // "Use B instead of A" has what forbids "A instead of B".
  const isTurned = areSidesTurned(compared)
  if (isTurned && !isBan) return 'has its sides changed round'
  const isLost = isEnglish && isBan && !isTurned && hasLostDenial(compared)
  // "Only to code that you modify" says in the sentence what it says in the context.
  const isLimited = [parsed, said].every((plain) => plain.includes(' only '))
  if (!isLimited && (isBareBan(compared) || isLost)) return 'does not forbid'
  const isGained = isEnglish && rule.strength === 'obligatory' && hasGainedDenial(compared)
  return replacedFault(compared) ?? (isGained ? 'forbids what is obligatory' : undefined)
    ?? forceFault(compared, isEnglish, under) ?? (isEnglish ? lostException(compared) : undefined)
}

const numbersOf = (indexes: Array<number>): string =>
  indexes.map((index) => index + 1).toSorted((a, b) => a - b).join(', ')

/** Makes the issue of a dropped or split rule, from the indexes of the sentences that say it. */
const lostIssues = (rule: ParsedRule, index: number, parts: Array<number>): Array<Issue> => {
  if (parts.length === 1) return []
  const name = `parsed rule ${index + 1}`
  const fault = parts.length === 0 ? `${name} was dropped` : `the rules ${numbersOf(parts)} split the ${name}`
  const expected = `expected one rule that says ${quote(wordingOf(rule), SHOWN)}, or a new parse-rules`
  return [{ path: ['rules'], message: `${fault}; ${expected}` }]
}

/**
 * Compares formatted rules with the parsed ones, if there are any: which were dropped, merged, split or added, and which
 * surely lost or reversed what they meant, each by its number, counted from 1, and its text.
 *
 * @param under for each parsed rule the words under which it stands in its file, such as "Tests should:"
 * @returns the doubts, the indexes of the formatted rules that were parsed without a reason, how well the words fit, from
 * 0 to 1, and the indexes of the parsed rules in whose place each formatted rule stands
 */
export const compareMeaning = (
  parsed: Array<ParsedRule> | undefined,
  formatted: Array<string>,
  under: Array<string | undefined> = [],
): { issues: Array<Issue>; withoutReason: ReadonlySet<number>; fit: number; says: Array<Array<number>> } => {
  if (parsed === undefined) return { issues: [], withoutReason: new Set(), fit: 0, says: [] }
  const meant = parsed.map((rule) => plainOf(parsedTextOf(rule)))
  const said = formatted.map((text) => plainOf(directiveOf(text)))
  const firsts = new Map(said.map((text, at) => [text, at] as const).reverse())
  const { saidBy, says } = pairRules(meant, said)
  const [isEnglishSaid, isEnglishMeant] = [isEnglish(said.join('')), isEnglish(meant.join(''))]
  const isSameNumber = parsed.length === formatted.length
  const hasPlaces = isSameNumber && parsed.some(({ source = '' }) => source !== '')

  const doubtOf = (text: string, at: number): string | undefined => {
    const [index, ...others] = says[at]!
    if (index === undefined) return 'says nothing that was parsed; expected only the parsed rules'
    if (others.length > 0) {
      return `merges the parsed rules ${numbersOf(says[at]!)}; expected one rule for each`
    }
    if (hasPlaces && index !== at) {
      return `says parsed rule ${index + 1}; expected the order of the parsed rules`
    }
    const rule = parsed[index]!
    const [action, target] = [plainOf(rule.action), plainOf(rule.target)]
    const compared = { rule, text, action, target, parsed: meant[index]!, said: said[at]! }
    const first = firsts.get(said[at]!)!
    const isTwice = first < at && meant[says[first]![0] ?? index] !== meant[index]
    const fault = isTwice
      ? `says what rule ${first + 1} says`
      : faultOf(compared, isEnglishSaid, isEnglishMeant, under[index] ?? '')
    const expected = `expected like ${quote(wordingOf(rule), SHOWN)}${PARSE_AS[fault ?? ''] ?? ''}`
    return fault && `${fault}: parsed rule ${index + 1} is ${rule.strength}, ${expected}`
  }
  const doubts = formatted.flatMap((text, at): Array<Issue> => {
    const doubt = doubtOf(text, at)
    const message = `rule ${at + 1} ${doubt}; got ${quote(text, SHOWN)}`
    return doubt === undefined ? [] : [{ path: ['rules', at], message }]
  })
  const hasReason = (index: number) => (parsed[index]!.reason ?? '').trim() !== ''
  return {
    issues: [...parsed.flatMap((rule, index) => lostIssues(rule, index, saidBy[index]!)), ...doubts],
    fit: fitOf(meant, said),
    says: isSameNumber ? parsed.map((_, index) => [index]) : says,
    withoutReason: new Set([...formatted.keys()].filter((at) => !says[at]!.every(hasReason))),
  }
}

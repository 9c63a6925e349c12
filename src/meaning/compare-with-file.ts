/** The words of a file ↔ the rules that restate them. */
import { type Issue, quote } from '../json/issues.ts'
import type { ParsedRule } from '../rule-schema.ts'
import { type Force, forceOf, isBinding } from './force.ts'
import { lostIn } from './numbers-and-names.ts'
import { directiveOf, MAX_LENGTH } from './words.ts'

/** Whole sentences of a file, and the indexes of the rules that restate them. */
export type Place = { text: string; rules: Array<number> }

const SHOWN = 70

/** Gives what a rule says; a concise one has no place for its reason, which is left out on purpose. */
const saidBy = ([{ reason = '' }, sentence]: [ParsedRule, string]): string =>
  /^\s*[-*•]\s/.test(sentence) ? `${sentence}\n${reason}` : sentence

const FAULTS: Record<Force, string> = {
  order:
    'makes advice of an order, expected words that order or forbid, or parse it as obligatory or forbidden',
  advice:
    'makes an order of advice, expected words that advise or allow, or parse it as supererogatory or permissible',
}

/** Gives the fault of a place whose words are an order and whose rules are all advice, or the other way round. */
const forceFault = (text: string, rules: Array<[ParsedRule, string]>): string | undefined => {
  const force = forceOf(text)
  const isAdvice = ([{ strength }, sentence]: [ParsedRule, string]) =>
    !isBinding(strength) || forceOf(directiveOf(sentence)) === 'advice'
  const isTurned = force !== undefined && rules.every((rule) => isAdvice(rule) === (force === 'order'))
  return isTurned ? `${FAULTS[force]} (now ${rules[0]![0].strength})` : undefined
}

/**
 * Compares rules with the sentences of the file that they restate, and doubts where it is sure: a number, a name in
 * backticks or a link target that none of the rules says, an order that became advice, advice that became an order.
 *
 * @param places whole sentences of the file, each with the indexes of the rules that restate it
 * @param parsed what parse-rules took; the sentence of `parsed[0]` is `sentences[0]`, and so on
 */
export const compareSource = (
  places: Array<Place>,
  parsed: Array<ParsedRule>,
  sentences: Array<string>,
): Array<Issue> =>
  places.flatMap((place) => {
    const text = place.text.slice(0, MAX_LENGTH)
    const [at = -1, ...others] = place.rules.filter((index) => index in parsed && index in sentences)
    if (at === -1) return []
    const rules = [at, ...others].map((index): [ParsedRule, string] => [parsed[index]!, sentences[index]!])
    const lost = lostIn(text, rules.map(saidBy).join('\n'))
    const fault = lost === undefined
      ? forceFault(text, rules)
      : `does not say ${lost}, expected it in the rule or its reason`
    const message = `rule ${at + 1} ${fault}; the file says ${quote(text, SHOWN)}, got ${
      quote(rules[0]![1], SHOWN)
    }`
    return fault === undefined ? [] : [{ path: ['rules', at], message }]
  })

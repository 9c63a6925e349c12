/** The words of a file ↔ the rules that restate them. */
import { type Issue, quote } from '../json/issues.ts'
import type { ParsedRule } from '../rule-schema.ts'
import { BINDING, type Force, forceOf } from './force.ts'
import { lostIn } from './numbers-and-names.ts'
import { contentOf, directiveOf, MAX_LENGTH, plainOf, shareOf } from './words.ts'

/** Whole sentences of a file, and the indexes of the rules that restate them. */
export type Place = { text: string; rules: Array<number> }

const SHOWN = 70

// Where all rules of an order are advice, or the other way round.
const FAULTS: Record<Force, string> = {
  order: 'makes advice of an order, expected an order or a ban, or parse it as obligatory or forbidden',
  advice: 'makes an order of advice, expected advice, or parse it as supererogatory or permissible',
}

const ADDED_REASON =
  'gives a reason that was not parsed: leave it out, or parse the rule with the reason that the text has'

/** Doubts reasons of rules of a file for which none was parsed, nor do the restated words have it. */
const addedReasons = (
  places: Array<Place>,
  parsed: Array<ParsedRule>,
  sentences: Array<string>,
): Array<Issue> =>
  [...new Set(places.flatMap(({ rules }) => rules))].flatMap((at) => {
    const sentence = sentences[at] ?? ''
    const [, reason = ''] = /\nReason:\s*([^]+)/.exec(sentence) ?? []
    if (reason === '' || (parsed[at]?.reason ?? '').trim() !== '') return []
    const words = places.filter(({ rules }) => rules.includes(at)).flatMap(({ text }) =>
      contentOf(plainOf(text))
    )
    return shareOf(contentOf(plainOf(reason)), words) > 0.5
      ? []
      : [{ path: ['rules', at], message: `rule ${at + 1} ${ADDED_REASON}; got ${quote(sentence, SHOWN)}` }]
  })

/**
 * Compares rules with the sentences of the file that they restate, and doubts where it is sure: a number, a name in
 * backticks or a link target that none of the rules says, an order that became advice, advice that became an order, a
 * reason for which none was parsed.
 *
 * @param places whole sentences of the file, each with the indexes of the rules that restate it
 * @param parsed what parse-rules took; the sentence of `parsed[0]` is `sentences[0]`, and so on
 */
export const compareSource = (
  places: Array<Place>,
  parsed: Array<ParsedRule>,
  sentences: Array<string>,
): Array<Issue> => [
  ...places.flatMap((place) => {
    const text = place.text.slice(0, MAX_LENGTH)
    const rules = place.rules.filter((at) => at in parsed && at in sentences)
      .map((at) => ({ ...parsed[at]!, at, sentence: sentences[at]! }))
    const [rule] = rules
    if (rule === undefined) return []
    const isAdvice = rules.map(({ strength, sentence }) =>
      !BINDING.includes(strength) || forceOf(directiveOf(sentence)) === 'advice'
    )
    const force = forceOf(text)
    const isTurned = force !== undefined && !isAdvice.includes(force === 'advice')
    // A concise rule has no place for its reason, which is left out on purpose.
    const said = rules.map(({ sentence, reason = '' }) =>
      /^\s*[-*•]\s/.test(sentence) ? `${sentence}\n${reason}` : sentence
    )
    const lost = lostIn(text, said.join('\n'))
    const turned = isTurned ? `${FAULTS[force]} (now ${rule.strength})` : undefined
    const fault = lost === undefined ? turned : `does not say ${lost}, expected it in the rule or its reason`
    const compared = `the file says ${quote(text, SHOWN)}, got ${quote(rule.sentence, SHOWN)}`
    const message = `rule ${rule.at + 1} ${fault}; ${compared}`
    return fault === undefined ? [] : [{ path: ['rules', rule.at], message }]
  }),
  ...addedReasons(places, parsed, sentences),
]

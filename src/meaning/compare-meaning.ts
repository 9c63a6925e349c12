/** The room `meaning/`: parsed rules and the words of their file ↔ the texts that a model made of them. */
import { type Issue, quote } from '../json/issues.ts'
import type { ParsedRule } from '../rule-schema.ts'
import { wordsIn } from '../text/words.ts'
import { hasDenial, isEnglish } from './denial.ts'
import { lostDetail, MAX_LENGTH } from './lost-details.ts'

/** Words of a file, and the indexes of the rules that replace them. */
export type Replaced = { text: string; rules: Array<number> }

const SHOWN = 70

/** Joins what was parsed of a rule into one text: all but its strength and its reason. */
export const parsedTextOf = ({ action, target, context = '' }: ParsedRule): string =>
  `${action} ${target} ${context}`.trim()

const issueOf = (rule: number, fault: string, text: string): Issue => ({
  path: ['rules', rule],
  message: `rule ${rule + 1} ${fault}; got ${quote(text, SHOWN)}`,
})

/** Gives the share, in quarters, of the words of texts that stand in the parsed rules or in the words that they replace. */
export const fitOf = (parsed: Array<ParsedRule>, replaced: Array<Replaced>, texts: Array<string>): number => {
  const known = new Set([...parsed.map(parsedTextOf), ...replaced.map(({ text }) => text)].flatMap(wordsIn))
  const words = texts.flatMap(wordsIn)
  return Math.round(4 * words.filter((word) => known.has(word)).length / Math.max(1, words.length))
}

/**
 * Compares the texts of rules, one for each parsed rule, with what they replace or, for a rule without a source, with
 * what was parsed. Names what a text surely lost: a number, a name in backticks, a link target; in English, a denial.
 *
 * @param replaced the words of the file that rules replace; what rules share may be said in any of them
 * @param texts the text of `parsed[0]` is `texts[0]`, and so on
 */
export const compareMeaning = (
  parsed: Array<ParsedRule>,
  replaced: Array<Replaced>,
  texts: Array<string>,
): Array<Issue> => {
  const said = texts.map((text) => text.slice(0, MAX_LENGTH))
  const sharing = parsed.map((_, index) => replaced.filter(({ rules }) => rules.includes(index)))
  // A rule of the mode `concise` leaves its reason out on purpose.
  const withReason = (index: number): string =>
    /^\s*[-*•]\s/.test(said[index]!) ? `${said[index]}\n${parsed[index]!.reason ?? ''}` : said[index]!
  const lost = replaced.flatMap(({ text, rules: [first = 0, ...others] }): Array<Issue> => {
    const detail = lostDetail(text, [first, ...others].map(withReason).join('\n'))
    const fault = `does not say ${detail}, which stands in the words that it replaces: ${quote(text, SHOWN)}`
    return detail === undefined ? [] : [issueOf(first, fault, said[first]!)]
  })
  const isAllEnglish = isEnglish(said.join('\n')) && isEnglish(parsed.map(parsedTextOf).join('\n'))
  const others = parsed.flatMap((rule, index): Array<Issue> => {
    const places = sharing[index]!
    const detail = places.length > 0 ? undefined : lostDetail(parsedTextOf(rule), withReason(index))
    if (detail !== undefined) {
      return [issueOf(index, `does not say ${detail}, which was parsed`, said[index]!)]
    }
    const around = [index, ...places.flatMap(({ rules }) => rules)].map((one) => said[one]!).join('\n')
    const isDenied = places.length === 0 || places.some(({ text }) => hasDenial(text))
    const isLost = rule.strength === 'forbidden' && isAllEnglish && isDenied && !hasDenial(around)
    const fault = `does not forbid: parsed rule ${index + 1} is forbidden, expected like ${
      quote(`do not ${parsedTextOf(rule)}`, SHOWN)
    }`
    return isLost ? [issueOf(index, fault, said[index]!)] : []
  })
  return [...lost, ...others].toSorted((one, other) => Number(one.path[1]) - Number(other.path[1]))
}

/** The folder `meaning/`: compares the texts of rules with what they replace or were parsed from. */
import { type Issue, quote } from '../json/issues.ts'
import type { ParsedRule } from '../rule-schema.ts'
import { wordsIn } from '../text/words.ts'
import { hasDenial, isEnglish } from './denial.ts'
import { lostDetail, MAX_LENGTH } from './lost-details.ts'

/** Words of a file, and the indexes of the rules that replace them. */
export type ReplacedWords = { text: string; rules: Array<number> }

const SHOWN = 70

/** Joins the action, the target and the context of a parsed rule. */
export const parsedTextOf = ({ action, target, context = '' }: ParsedRule): string =>
  `${action} ${target} ${context}`.trim()

/** Returns the share, in quarters, of the words of texts that the parsed rules or the replaced words contain. */
export const fitOf = (
  parsed: Array<ParsedRule>,
  replaced: Array<ReplacedWords>,
  texts: Array<string>,
): number => {
  const known = new Set([...parsed.map(parsedTextOf), ...replaced.map(({ text }) => text)].flatMap(wordsIn))
  const words = texts.flatMap(wordsIn)
  return Math.round(4 * words.filter((word) => known.has(word)).length / Math.max(1, words.length))
}

/**
 * Compares the texts of rules with the words that they replace, or with the parsed rule if it has no source. Reports what
 * a text surely lost: a number, a name in backticks, a link target; and in English, a ban.
 *
 * @param replaced the words that rules replace; any of the rules that share them may keep a detail
 * @param texts one text for each parsed rule, in the same order
 */
export const compareMeaning = (
  parsed: Array<ParsedRule>,
  replaced: Array<ReplacedWords>,
  texts: Array<string>,
): Array<Issue> => {
  const compared = texts.map((text) => text.slice(0, MAX_LENGTH))
  const issueOf = (rule: number, fault: string): Issue => ({
    path: ['rules', rule],
    message: `rule ${rule + 1} ${fault}; got ${quote(compared[rule]!, SHOWN)}`,
  })
  // A text of the mode `concise` leaves the reason out on purpose.
  const withReason = (rule: number): string =>
    /^\s*[-*•]\s/.test(compared[rule]!) ? `${compared[rule]}\n${parsed[rule]!.reason ?? ''}` : compared[rule]!
  const sourced = new Set(replaced.flatMap(({ rules }) => rules))
  const originals = [
    ...replaced.map(({ text, rules }) => {
      return { text, rules, origin: `is in the words that it replaces: ${quote(text, SHOWN)}` }
    }),
    ...parsed.map((rule, index) => ({ text: parsedTextOf(rule), rules: [index], origin: 'was parsed' }))
      .filter((_, index) => !sourced.has(index)),
  ]
  const lost = originals.flatMap(({ text, rules, origin }): Array<Issue> => {
    const detail = lostDetail(text, rules.map(withReason).join('\n'))
    return detail === undefined ? [] : [issueOf(rules[0]!, `does not say ${detail}, which ${origin}`)]
  })
  const isAllEnglish = isEnglish(compared.join('\n')) && isEnglish(parsed.map(parsedTextOf).join('\n'))
  const allowed = parsed.flatMap((rule, index): Array<Issue> => {
    if (rule.strength !== 'forbidden' || !isAllEnglish) return []
    const sources = replaced.filter(({ rules }) => rules.includes(index))
    const isBan = sources.length === 0 || sources.some(({ text }) => hasDenial(text))
    const related = [index, ...sources.flatMap(({ rules }) => rules)].map((other) => compared[other]!)
    if (!isBan || hasDenial(related.join('\n'))) return []
    const expected = quote(`do not ${parsedTextOf(rule)}`, SHOWN)
    return [
      issueOf(index, `does not forbid: parsed rule ${index + 1} is forbidden, expected like ${expected}`),
    ]
  })
  return [...lost, ...allowed].toSorted((a, b) => Number(a.path[1]) - Number(b.path[1]))
}

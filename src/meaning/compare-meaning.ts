/** The folder `meaning/`: compares the texts of rules with the words that they replace or the rules as parsed. */
import { type Issue, quote } from '../json/issues.ts'
import type { ParsedRule } from '../rule-schema.ts'
import { wordsIn } from '../text/words.ts'
import { hasDenial, isEnglish } from './denial.ts'
import { lostDetail, MAX_LENGTH } from './lost-details.ts'

/** Words of a file, and the indexes of the rules that replace them. */
export type ReplacedWords = { text: string; rules: Array<number> }

const MAX_QUOTED = 70

/** Joins the action, the target and the context of a parsed rule. */
export const parsedTextOf = ({ action, target, context = '' }: ParsedRule): string =>
  `${action} ${target} ${context}`.trim()

/** Returns how many quarters of the words of texts (0 to 4) occur in the parsed rules or in the replaced words. */
export const fitOf = (
  parsed: Array<ParsedRule>,
  replaced: Array<ReplacedWords>,
  texts: Array<string>,
): number => {
  const originalWords = new Set(
    [...parsed.map(parsedTextOf), ...replaced.map(({ text }) => text)].flatMap(wordsIn),
  )
  const words = texts.flatMap(wordsIn)
  return Math.round(4 * words.filter((word) => originalWords.has(word)).length / Math.max(1, words.length))
}

/**
 * Compares the texts of rules with the words that they replace; the text of a rule without a source, with the parsed rule.
 * Creates an issue for a detail that a text lost for certain: a number, a name in backticks, a link target; and in English
 * texts, a ban.
 *
 * @param replaced the words that rules replace; it is enough if one of the rules that share them keeps a detail
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
    message: `rule ${rule + 1} ${fault}; got ${quote(compared[rule]!, MAX_QUOTED)}`,
  })
  // A text in the mode `concise` omits the reason on purpose, so the details of the reason do not count as lost.
  const withReason = (rule: number): string =>
    /^\s*[-*•]\s/.test(compared[rule]!) ? `${compared[rule]}\n${parsed[rule]!.reason ?? ''}` : compared[rule]!
  const withSource = new Set(replaced.flatMap(({ rules }) => rules))
  const originals = [
    ...replaced.map(({ text, rules }) => {
      return { text, rules, origin: `is in the words that it replaces: ${quote(text, MAX_QUOTED)}` }
    }),
    ...parsed.map((rule, index) => ({ text: parsedTextOf(rule), rules: [index], origin: 'was parsed' }))
      .filter((_, index) => !withSource.has(index)),
  ]
  const lostDetails = originals.flatMap(({ text, rules, origin }): Array<Issue> => {
    const detail = lostDetail(text, rules.map(withReason).join('\n'))
    return detail === undefined ? [] : [issueOf(rules[0]!, `does not say ${detail}, which ${origin}`)]
  })
  const isAllEnglish = isEnglish(compared.join('\n')) && isEnglish(parsed.map(parsedTextOf).join('\n'))
  const lostBans = parsed.flatMap((rule, index): Array<Issue> => {
    if (rule.strength !== 'forbidden' || !isAllEnglish) return []
    const sources = replaced.filter(({ rules }) => rules.includes(index))
    const isBan = sources.length === 0 || sources.some(({ text }) => hasDenial(text))
    const related = [index, ...sources.flatMap(({ rules }) => rules)].map((other) => compared[other]!)
    if (!isBan || hasDenial(related.join('\n'))) return []
    const expected = quote(`do not ${parsedTextOf(rule)}`, MAX_QUOTED)
    return [
      issueOf(index, `does not forbid: parsed rule ${index + 1} is forbidden, expected like ${expected}`),
    ]
  })
  return [...lostDetails, ...lostBans].toSorted((a, b) => Number(a.path[1]) - Number(b.path[1]))
}

/** The folder `meaning/`: finds what the text of a rule lost of the words that it replaces, or of the parsed rule. */
import { type Issue, quote } from '../json/issues.ts'
import type { ParsedRule } from '../rule-schema.ts'
import { wordsIn } from '../text/words.ts'
import { hasDenial, isEnglish } from './denial.ts'
import { lostDetail, MAX_LENGTH } from './lost-details.ts'

/** A source: words of a file, and the indexes of the rules that replace them. */
type SourceWords = { text: string; rules: Array<number> }

const MAX_QUOTED = 70

/** Joins the action, the target and the context of a parsed rule. */
export const parsedTextOf = ({ action, target, context = '' }: ParsedRule): string =>
  `${action} ${target} ${context}`.trim()

/** Rates from 0 (none) to 4 (all) how many words of the texts also occur in the parsed rules or the replaced words. */
export const fitOf = (
  parsed: Array<ParsedRule>,
  replaced: Array<SourceWords>,
  texts: Array<string>,
): number => {
  const originalWords = new Set(
    [...parsed.map(parsedTextOf), ...replaced.map(({ text }) => text)].flatMap(wordsIn),
  )
  const words = texts.flatMap(wordsIn)
  return Math.round(4 * words.filter((word) => originalWords.has(word)).length / Math.max(1, words.length))
}

/** What is compared: one text for each parsed rule, in the same order, and the words that the rules replace. */
type Comparison = { parsed: Array<ParsedRule>; replaced: Array<SourceWords>; texts: Array<string> }

const issueOf = ({ texts }: Comparison, rule: number, fault: string): Issue => ({
  path: ['rules', rule],
  message: `rule ${rule + 1} ${fault}; got ${quote(texts[rule]!, MAX_QUOTED)}`,
})

/**
 * Creates an issue for each source if the texts of its rules lack a detail of its words, and for each parsed rule
 * without a source if its text lacks a detail of it. An issue names only the first lost detail.
 */
const detailIssues = (comparison: Comparison): Array<Issue> => {
  const { parsed, replaced, texts } = comparison
  // A text with a bullet is in the mode `concise`, which omits the reason, so its details are not lost.
  const withReason = (rule: number): string =>
    /^\s*[-*•]\s/.test(texts[rule]!) ? `${texts[rule]}\n${parsed[rule]!.reason ?? ''}` : texts[rule]!
  const rulesWithSource = new Set(replaced.flatMap(({ rules }) => rules))
  const originals = [
    ...replaced.map(({ text, rules }) => {
      return { text, rules, origin: `is in the words that it replaces: ${quote(text, MAX_QUOTED)}` }
    }),
    ...parsed.map((rule, index) => ({ text: parsedTextOf(rule), rules: [index], origin: 'was parsed' }))
      .filter((_, index) => !rulesWithSource.has(index)),
  ]
  return originals.flatMap(({ text, rules, origin }) => {
    const detail = lostDetail(text, rules.map(withReason).join('\n'))
    return detail === undefined
      ? []
      : issueOf(comparison, rules[0]!, `does not say ${detail}, which ${origin}`)
  })
}

/**
 * Creates an issue for each rule that was parsed as forbidden but whose English text forbids nothing. Creates none if
 * the replaced words forbid nothing either, or if the text of another rule with the same source forbids something.
 */
const banIssues = (comparison: Comparison): Array<Issue> => {
  const { parsed, replaced, texts } = comparison
  if (!isEnglish(texts.join('\n')) || !isEnglish(parsed.map(parsedTextOf).join('\n'))) return []
  return parsed.flatMap((rule, index): Array<Issue> => {
    if (rule.strength !== 'forbidden') return []
    const sources = replaced.filter(({ rules }) => rules.includes(index))
    const isBan = sources.length === 0 || sources.some(({ text }) => hasDenial(text))
    const relatedTexts = [index, ...sources.flatMap(({ rules }) => rules)].map((related) => texts[related]!)
    if (!isBan || hasDenial(relatedTexts.join('\n'))) return []
    const expected = quote(`do not ${parsedTextOf(rule)}`, MAX_QUOTED)
    const fault = `does not forbid: parsed rule ${index + 1} is forbidden, expected like ${expected}`
    return [issueOf(comparison, index, fault)]
  })
}

/**
 * Compares the text of each rule with the words that it replaces or, if it has no source, with the parsed rule. Creates
 * an issue for what is lost: a number, a name in backticks or a link target, and in English a ban. If rules replace the
 * same words, one of their texts must keep it.
 */
export const compareMeaning = (
  parsed: Array<ParsedRule>,
  replaced: Array<SourceWords>,
  texts: Array<string>,
): Array<Issue> => {
  const comparison = { parsed, replaced, texts: texts.map((text) => text.slice(0, MAX_LENGTH)) }
  return [...detailIssues(comparison), ...banIssues(comparison)]
    .toSorted((a, b) => Number(a.path[1]) - Number(b.path[1]))
}

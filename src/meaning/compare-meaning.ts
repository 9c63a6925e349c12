/**
 * The folder `meaning/`: finds what got lost when a model read words of a file (a source), parsed them into rules, and
 * gave each parsed rule a new text.
 */
import { type Issue, quote } from '../json/issues.ts'
import type { ParsedRule } from '../rule-schema.ts'
import { wordsIn } from '../text/words.ts'
import { hasDenial, isEnglish } from './denial.ts'
import { lostDetail, MAX_LENGTH } from './lost-details.ts'

/** Words of a file, and the indexes of the rules that replace them. */
type Source = { text: string; rules: Array<number> }

/** There is one text for each parsed rule, in the same order. */
type Comparison = { parsed: Array<ParsedRule>; sources: Array<Source>; texts: Array<string> }

/**
 * Creates an issue for a detail (see `lostDetail`) or an English ban that the text of a rule lost. If rules share a
 * source, one of their texts must keep it.
 */
export const compareMeaning = (
  parsed: Array<ParsedRule>,
  sources: Array<Source>,
  texts: Array<string>,
): Array<Issue> => {
  const comparison = { parsed, sources, texts: texts.map((text) => text.slice(0, MAX_LENGTH)) }
  return [...detailIssues(comparison), ...banIssues(comparison)]
    .toSorted((a, b) => Number(a.path[1]) - Number(b.path[1]))
}

const MAX_QUOTED = 70

const issueOf = ({ texts }: Comparison, rule: number, fault: string): Issue => ({
  path: ['rules', rule],
  message: `rule ${rule + 1} ${fault}; got ${quote(texts[rule]!, MAX_QUOTED)}`,
})

/** Returns what a parsed rule says, without its strength, exceptions and reason. */
export const parsedTextOf = ({ action, target, context = '' }: ParsedRule): string =>
  `${action} ${target} ${context}`.trim()

/** `origin` ends the sentence "… does not say 100, which …". */
type Original = { text: string; rules: Array<number>; origin: string }

const originalsOf = ({ parsed, sources }: Comparison): Array<Original> => {
  const sourceTexts = sources.map(({ text, rules }) => {
    return { text, rules, origin: `is in the words that it replaces: ${quote(text, MAX_QUOTED)}` }
  })
  const hasSource = new Set(sources.flatMap(({ rules }) => rules))
  const parsedTexts = parsed.map((rule, index) => {
    return { text: parsedTextOf(rule), rules: [index], origin: 'was parsed' }
  })
  return [...sourceTexts, ...parsedTexts.filter((_, index) => !hasSource.has(index))]
}

const detailIssues = (comparison: Comparison): Array<Issue> => {
  const { parsed, texts } = comparison
  // Texts with bullets are in the mode `concise`, which leaves out reasons.
  const withReason = (rule: number): string =>
    /^\s*[-*•]\s/.test(texts[rule]!) ? `${texts[rule]}\n${parsed[rule]!.reason ?? ''}` : texts[rule]!
  return originalsOf(comparison).flatMap(({ text, rules, origin }) => {
    const detail = lostDetail(text, rules.map(withReason).join('\n'))
    return detail === undefined
      ? []
      : issueOf(comparison, rules[0]!, `does not say ${detail}, which ${origin}`)
  })
}

const banIssues = (comparison: Comparison): Array<Issue> => {
  const { parsed, sources, texts } = comparison
  if (!isEnglish(texts.join('\n')) || !isEnglish(parsed.map(parsedTextOf).join('\n'))) return []
  return parsed.flatMap((rule, index): Array<Issue> => {
    if (rule.strength !== 'forbidden') return []
    const ownSources = sources.filter(({ rules }) => rules.includes(index))
    const isBan = ownSources.length === 0 || ownSources.some(({ text }) => hasDenial(text))
    const relatedRules = [index, ...ownSources.flatMap(({ rules }) => rules)]
    const relatedTexts = relatedRules.map((related) => texts[related]!).join('\n')
    if (!isBan || hasDenial(relatedTexts)) return []
    const expected = quote(`do not ${parsedTextOf(rule)}`, MAX_QUOTED)
    const fault = `does not forbid: parsed rule ${index + 1} is forbidden, expected like ${expected}`
    return [issueOf(comparison, index, fault)]
  })
}

/** Rates from 0 (none) to 4 (all) how many words of the texts also occur in the parsed rules or in their sources. */
export const fitOf = (parsed: Array<ParsedRule>, sources: Array<Source>, texts: Array<string>): number => {
  const originals = [...parsed.map(parsedTextOf), ...sources.map(({ text }) => text)]
  const originalWords = new Set(originals.flatMap(wordsIn))
  const words = texts.flatMap(wordsIn)
  return Math.round(4 * words.filter((word) => originalWords.has(word)).length / Math.max(1, words.length))
}

/** The folder `meaning/`: compares a rule's sources or parsed form with its new text, to find lost details and bans. */
import { type Issue, quote } from '../json/issues.ts'
import type { ParsedRule } from '../rule-schema.ts'
import { wordsIn } from '../text/words.ts'
import { hasDenial, isEnglish } from './denial.ts'
import { lostDetail, MAX_LENGTH } from './lost-details.ts'

/** Words of a file, and the indexes of the rules that replace them. */
type Source = { text: string; rules: Array<number> }

type Comparison = { parsed: Array<ParsedRule>; sources: Array<Source>; texts: Array<string> }

/** Creates issues for the details and bans that `texts` (the new text of each parsed rule) have lost. */
export const compareMeaning = (
  parsed: Array<ParsedRule>,
  sources: Array<Source>,
  texts: Array<string>,
): Array<Issue> => {
  const comparison = { parsed, sources, texts: texts.map((text) => text.slice(0, MAX_LENGTH)) }
  const ruleIndexOf = ({ path }: Issue) => Number(path[1])
  return [...detailIssues(comparison), ...banIssues(comparison)]
    .toSorted((a, b) => ruleIndexOf(a) - ruleIndexOf(b))
}

const MAX_QUOTED = 70

const issueOf = ({ texts }: Comparison, ruleIndex: number, fault: string): Issue => ({
  path: ['rules', ruleIndex],
  message: `rule ${ruleIndex + 1} ${fault}; got ${quote(texts[ruleIndex]!, MAX_QUOTED)}`,
})

/** Returns the words of a parsed rule, without its strength and reason. */
export const parsedTextOf = ({ action, target, context = '' }: ParsedRule): string =>
  `${action} ${target} ${context}`.trim()

/** `origin` ends a message: `was parsed` in "does not say 100, which was parsed". */
type Original = Source & { origin: string }

const originalsOf = ({ parsed, sources }: Comparison): Array<Original> => {
  const originOf = (text: string) => `is in the words that it replaces: ${quote(text, MAX_QUOTED)}`
  const originals = sources.map((source): Original => ({ ...source, origin: originOf(source.text) }))
  const rulesWithSource = new Set(sources.flatMap(({ rules }) => rules))
  for (const [index, rule] of parsed.entries()) {
    if (rulesWithSource.has(index)) continue
    originals.push({ text: parsedTextOf(rule), rules: [index], origin: 'was parsed' })
  }
  return originals
}

const detailIssues = (comparison: Comparison): Array<Issue> => {
  const { parsed, texts } = comparison
  // In the mode `concise`, a text starts with a bullet and omits the reason.
  const textsWithReason = texts.map((text, index) =>
    /^\s*[-*•]\s/.test(text) ? `${text}\n${parsed[index]!.reason ?? ''}` : text
  )
  return originalsOf(comparison).flatMap(({ text, rules, origin }) => {
    const textsOfRules = rules.map((index) => textsWithReason[index]).join('\n')
    const detail = lostDetail(text, textsOfRules)
    if (detail === undefined) return []
    return issueOf(comparison, rules[0]!, `does not say ${detail}, which ${origin}`)
  })
}

const banIssues = (comparison: Comparison): Array<Issue> => {
  const { parsed, sources, texts } = comparison
  if (!isEnglish(texts.join('\n')) || !isEnglish(parsed.map(parsedTextOf).join('\n'))) return []
  return parsed.flatMap((rule, index): Array<Issue> => {
    if (rule.strength !== 'forbidden') return []
    const ownSources = sources.filter(({ rules }) => rules.includes(index))
    // If no source bans anything, the rule was probably parsed wrongly.
    if (ownSources.length > 0 && !ownSources.some(({ text }) => hasDenial(text))) return []
    const relatedRules = [index, ...ownSources.flatMap(({ rules }) => rules)]
    const relatedTexts = relatedRules.map((related) => texts[related]!).join('\n')
    if (hasDenial(relatedTexts)) return []
    const expected = quote(`do not ${parsedTextOf(rule)}`, MAX_QUOTED)
    const problem = `does not forbid anything, but parsed rule ${index + 1} has the strength "forbidden"`
    const fault = `${problem}; expected a text like ${expected}`
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

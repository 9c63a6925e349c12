/** The folder `meaning/`: compares a rule's sources or parsed form with its new text, to find lost details and bans. */
import { type Issue, quote } from '../json/issues.ts'
import type { ParsedRule } from '../rule-schema.ts'
import { wordsIn } from '../text/words.ts'
import { hasDenial, isEnglish } from './denial.ts'
import { lostDetail, MAX_LENGTH } from './lost-details.ts'

/** Words of a file, and the indexes of the rules that replace them. */
type Source = { text: string; rules: Array<number> }

/** `texts` are the new texts of the rules: one for each parsed rule, in the same order. */
type Comparison = { parsed: Array<ParsedRule>; sources: Array<Source>; texts: Array<string> }

/**
 * Creates an issue if the text of a rule lost a detail (see `lostDetail`) or a ban (in English only). Details come from
 * the rule's sources or, without sources, from the parsed rule. If rules share a source, it is enough that one of their
 * texts keeps the detail or ban.
 */
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

/** A source or a parsed rule. `origin` ends a message: `was parsed` in "does not say 100, which was parsed". */
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
  // In the mode `concise`, a text starts with a bullet and omits the reason. The reason is added for the comparison.
  const textsWithReason = texts.map((text, index) =>
    /^\s*[-*•]\s/.test(text) ? `${text}\n${parsed[index]!.reason ?? ''}` : text
  )
  return originalsOf(comparison).flatMap(({ text, rules, origin }) => {
    const textsOfRules = rules.map((index) => textsWithReason[index]).join('\n')
    const detail = lostDetail(text, textsOfRules)
    if (detail === undefined) return []
    // If rules share a source, the first of them gets the issue.
    return issueOf(comparison, rules[0]!, `does not say ${detail}, which ${origin}`)
  })
}

/** Creates an issue for each rule that was parsed as forbidden, but whose text has no word such as "not" or "avoid". */
const banIssues = (comparison: Comparison): Array<Issue> => {
  const { parsed, sources, texts } = comparison
  if (!isEnglish(texts.join('\n')) || !isEnglish(parsed.map(parsedTextOf).join('\n'))) return []
  return parsed.flatMap((rule, index): Array<Issue> => {
    if (rule.strength !== 'forbidden') return []
    const ownSources = sources.filter(({ rules }) => rules.includes(index))
    // If its sources do not ban anything, the rule was probably parsed wrongly, and its text may be right.
    if (ownSources.length > 0 && !ownSources.some(({ text }) => hasDenial(text))) return []
    // The text of another rule with the same source may express the ban.
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

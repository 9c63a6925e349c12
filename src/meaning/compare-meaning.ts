/** The folder `meaning/`: compares a rule's sources or parsed form with its new text, to find lost details and bans. */
import { type Issue, quote } from '../json/issues.ts'
import type { ParsedRule } from '../rule-schema.ts'
import { wordsIn } from '../text/words.ts'
import { lostDetail, MAX_LENGTH } from './lost-details.ts'

/** Words of a file, and the indexes of the rules that replace them. */
type Source = { text: string; rules: Array<number> }

type Fault = { ruleIndex: number; fault: string }

const MAX_QUOTED = 70

/** Creates issues for the details and bans that `texts` (the new text of each parsed rule) have lost. */
export const compareMeaning = (
  parsed: Array<ParsedRule>,
  sources: Array<Source>,
  texts: Array<string>,
): Array<Issue> => {
  const starts = texts.map((text) => text.slice(0, MAX_LENGTH))
  return [...detailFaults(parsed, sources, starts), ...banFaults(parsed, sources, starts)]
    .toSorted((a, b) => a.ruleIndex - b.ruleIndex)
    .map(({ ruleIndex, fault }) => ({
      path: ['rules', ruleIndex],
      message: `rule ${ruleIndex + 1} ${fault}; got ${quote(starts[ruleIndex]!, MAX_QUOTED)}`,
    }))
}

/** Returns the words of a parsed rule, without its strength and reason. */
export const parsedTextOf = ({ action, target, context = '' }: ParsedRule): string =>
  `${action} ${target} ${context}`.trim()

const detailFaults = (parsed: Array<ParsedRule>, sources: Array<Source>, texts: Array<string>) => {
  // In the mode `concise`, a text starts with a bullet and omits the reason.
  const textsWithReason = texts.map((text, index) =>
    /^\s*[-*•]\s/.test(text) ? `${text}\n${parsed[index]!.reason ?? ''}` : text
  )
  const faultOf = (original: string, rules: Array<number>, origin: string): Array<Fault> => {
    const detail = lostDetail(original, rules.map((index) => textsWithReason[index]).join('\n'))
    return detail === undefined
      ? []
      : [{ ruleIndex: rules[0]!, fault: `does not say ${detail}, which ${origin}` }]
  }
  const rulesWithSource = new Set(sources.flatMap(({ rules }) => rules))
  return [
    ...sources.flatMap(({ text, rules }) =>
      faultOf(text, rules, `is in the words that it replaces: ${quote(text, MAX_QUOTED)}`)
    ),
    ...parsed.flatMap((rule, index) =>
      rulesWithSource.has(index) ? [] : faultOf(parsedTextOf(rule), [index], 'is in the parsed rule')
    ),
  ]
}

// Frequent in English instructions, rare in other languages.
const ENGLISH = new Set(
  `the of for with by and are it that not never only if is before unless about always to be should can must each every
  do don't dont use add run avoid write keep make prefer follow read call put change store create send open give take show
  let allow leave`.split(/\s+/),
)

const withoutCode = (text: string): string => text.replace(/`[^`\n]*`/g, ' ').replaceAll('’', "'")

const isEnglish = (text: string): boolean => {
  const words = withoutCode(text).toLowerCase().match(/\p{L}+(?:'\p{L}+)?/gu) ?? []
  return words.filter((word) => ENGLISH.has(word)).length > words.length / 8
}

// A ban may also be worded as a limit (`only`), a replacement (`instead`), an end (`stop`) or a fault (`wrong`).
const DENIAL =
  /\b(?:not|never|no|none|nothing|nobody|nowhere|nor|neither|cannot|without|unless|except\w*|only|but|before|until|after|first|than|instead|rather|over|outside|other\w*|avoid\w*|refrain\w*|stop\w*|skip\w*|omit\w*|leav\w*|remov\w*|drop\w*|disabl\w*|forbid\w*|prohibit\w*|ban|bans|banned|den(?:y|ies|ied)|prevent\w*|reject\w*|refus\w*|exclud\w*|replac\w*|ask\w*|out|away|off|free|clear|wrong|bad|limit\w*|at most|un\w+|non-?\w*|\w+less)\b|n't\b|\b(?:do|does|did|ca|wo|would|could|should|must|is|are)nt\b|[❌🚫✗✘⛔⊘]/iu

const hasDenial = (text: string): boolean => DENIAL.test(withoutCode(text))

const banFaults = (parsed: Array<ParsedRule>, sources: Array<Source>, texts: Array<string>) => {
  if (!isEnglish(texts.join('\n')) || !isEnglish(parsed.map(parsedTextOf).join('\n'))) return []
  return parsed.flatMap((rule, ruleIndex): Array<Fault> => {
    if (rule.strength !== 'forbidden') return []
    const ownSources = sources.filter(({ rules }) => rules.includes(ruleIndex))
    // If no source bans anything, the rule was probably parsed wrongly.
    if (ownSources.length > 0 && !ownSources.some(({ text }) => hasDenial(text))) return []
    const relatedRules = [ruleIndex, ...ownSources.flatMap(({ rules }) => rules)]
    if (hasDenial(relatedRules.map((related) => texts[related]).join('\n'))) return []
    const expected = quote(`do not ${parsedTextOf(rule)}`, MAX_QUOTED)
    const problem = `does not forbid anything, but parsed rule ${ruleIndex + 1} has the strength "forbidden"`
    return [{ ruleIndex, fault: `${problem}; expected a text like ${expected}` }]
  })
}

/** Rates from 0 (none) to 4 (all) how many words of the texts also occur in the parsed rules or in their sources. */
export const fitOf = (parsed: Array<ParsedRule>, sources: Array<Source>, texts: Array<string>): number => {
  const originals = [...parsed.map(parsedTextOf), ...sources.map(({ text }) => text)]
  const originalWords = new Set(originals.flatMap(wordsIn))
  const words = texts.flatMap(wordsIn)
  return Math.round(4 * words.filter((word) => originalWords.has(word)).length / Math.max(1, words.length))
}

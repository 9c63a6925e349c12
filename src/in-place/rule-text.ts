/** The text of a formatted rule: its sentence, its reason, and what it says of its form. */
import type { Mode } from '../rule-schema.ts'
import { withLineFeeds } from '../text/line-ending.ts'
import { SPACELESS } from './lines.ts'

/** A formatted rule in two parts; the reason is empty where it has none. */
export type RuleText = { sentence: string; reason: string }

const RULE =
  /^((?:(?:[-*+•]|\d{1,9}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?)(?:Rule:|(\*\*|__)Rule(?::\2|\2:))[ \t]*/
const REASON = /\n[ \t]*(?:Reason:|(\*\*|__)Reason(?::\1|\1:))[ \t]*/

/** Whether words begin with the label `Rule:`, after a marker. */
export const hasRuleLabel = (words: string): boolean => RULE.test(words)

/** Finds the label with which a line of words begins, as it is written there: `Rule: ` or `**Rule:** `, else nothing. */
export const ruleLabelIn = (words: string): string => {
  for (const line of words.split('\n')) {
    const [whole, opening = ''] = RULE.exec(line.replace(/^[ \t>]+/, '')) ?? []
    if (whole !== undefined) return `${whole.slice(opening.length).trimEnd()} `
  }
  return ''
}

/** Reads a formatted rule without its labels; line breaks, indentation and a marker that it begins with stay. */
export const ruleTextOf = (rule: string, mode: Mode = 'balanced'): RuleText => {
  const words = withLineFeeds(rule).trimEnd().replace(RULE, '$1')
  const { index, 0: label } = REASON.exec(words) ?? { index: words.length, 0: '' }
  const reason = mode === 'concise' ? '' : words.slice(index + label.length).trim()
  return { sentence: words.slice(0, index).trimEnd(), reason }
}

const NO_SPACE_AFTER = new RegExp(`[${SPACELESS}。、！？：；」』）】…][*_]*$`, 'u')
const CLOSING = String.raw`(?:["'”’»)\]」』）*_~]|</[^<>]*>)*$`
const ENDED = new RegExp(`(?:\\p{Sentence_Terminal}|[:：…])${CLOSING}`, 'u')
const ENDS_SPACELESS = new RegExp(`[${SPACELESS}][^\\p{L}]*$`, 'u')

/** Gives the space between words and the sentence after them. */
export const spaceAfter = (words: string): string => words === '' || NO_SPACE_AFTER.test(words) ? '' : ' '

/** Whether words end a sentence. */
export const isEnded = (words: string): boolean => ENDED.test(words.trimEnd())

/** Adds a full stop to words that do not end a sentence. */
export const withFullStop = (words: string): string => {
  if (words === '' || isEnded(words)) return words
  const stop = ENDS_SPACELESS.test(words) ? '。' : '.'
  // Not into the mark of a footnote.
  return words.endsWith(']') ? words + stop : words.replace(new RegExp(CLOSING, 'u'), (marks) => stop + marks)
}

/** Gives a rule and its reason as sentences. */
export const asSentences = ({ sentence, reason }: RuleText): string => {
  if (reason === '') return sentence
  const ended = withFullStop(sentence)
  return ended + spaceAfter(ended) + reason
}

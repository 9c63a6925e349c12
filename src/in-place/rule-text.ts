/** Splits a formatted rule into its sentence and its reason, and joins the two as sentences. */
import type { Mode } from '../rule-schema.ts'
import { withLineFeeds } from '../text/line-ending.ts'
import { SPACELESS } from './lines.ts'

/** A formatted rule without its labels; `reason` is empty if the rule has none. */
export type RuleText = { sentence: string; reason: string }

// A list marker, a check box and the label, such as `- [ ] **Rule:** `. The first two may be missing.
const RULE =
  /^((?:(?:[-*+•]|\d{1,9}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?)(?:Rule:|(\*\*|__)Rule(?::\2|\2:))[ \t]*/
const REASON = /\n[ \t]*(?:Reason:|(\*\*|__)Reason(?::\1|\1:))[ \t]*/

/** Whether a text begins with the label `Rule:`, possibly after a list marker and a check box. */
export const hasRuleLabel = (text: string): boolean => RULE.test(text)

/** Returns the first label at the start of a line, as written there: `Rule: ` or `**Rule:** `; `''` without one. */
export const ruleLabelIn = (text: string): string => {
  for (const line of text.split('\n')) {
    const [whole, marker = ''] = RULE.exec(line.replace(/^[ \t>]+/, '')) ?? []
    if (whole !== undefined) return `${whole.slice(marker.length).trimEnd()} `
  }
  return ''
}

/** Parses a formatted rule. Keeps a list marker, indentation and line breaks. The mode `concise` drops the reason. */
export const parseRuleText = (rule: string, mode: Mode = 'balanced'): RuleText => {
  const text = withLineFeeds(rule).trimEnd().replace(RULE, '$1')
  const { index, 0: label } = REASON.exec(text) ?? { index: text.length, 0: '' }
  const reason = mode === 'concise' ? '' : text.slice(index + label.length).trim()
  return { sentence: text.slice(0, index).trimEnd(), reason }
}

const NO_SPACE_AFTER = new RegExp(`[${SPACELESS}。、！？：；」』）】…][*_]*$`, 'u')
// Quotation marks, brackets, emphasis marks and tags that may follow the end of a sentence.
const CLOSING = String.raw`(?:["'”’»)\]」』）*_~]|</[^<>]*>)*$`
const ENDED = new RegExp(`(?:\\p{Sentence_Terminal}|[:：…])${CLOSING}`, 'u')
const ENDS_SPACELESS = new RegExp(`[${SPACELESS}][^\\p{L}]*$`, 'u')

/** Returns the separator between a text and the next sentence: a space; `''` in scripts without spaces. */
export const spaceAfter = (text: string): string => text === '' || NO_SPACE_AFTER.test(text) ? '' : ' '

/** Whether a text ends a sentence; a colon and an ellipsis also count as an end. */
export const endsSentence = (text: string): boolean => ENDED.test(text.trimEnd())

/** Adds a full stop to a text that does not end a sentence, before its closing marks (see `CLOSING`). */
export const withFullStop = (text: string): string => {
  if (text === '' || endsSentence(text)) return text
  const stop = ENDS_SPACELESS.test(text) ? '。' : '.'
  // The bracket may belong to the mark of a footnote, as in `[^1]`, and a full stop within the mark would be wrong.
  return text.endsWith(']') ? text + stop : text.replace(new RegExp(CLOSING, 'u'), (marks) => stop + marks)
}

/** Joins the sentence and the reason of a rule as two sentences. */
export const asSentences = ({ sentence, reason }: RuleText): string => {
  if (reason === '') return sentence
  const ended = withFullStop(sentence)
  return ended + spaceAfter(ended) + reason
}

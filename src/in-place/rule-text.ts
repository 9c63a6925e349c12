/** Parses a formatted rule into its sentence and its reason, and joins the two as sentences. */
import type { Mode } from '../rule-schema.ts'
import { withLineFeeds } from '../text/line-ending.ts'
import { SPACELESS } from './lines.ts'

/** A formatted rule without the labels `Rule:` and `Reason:`. */
export type RuleText = { sentence: string; reason: string }

// Matches `- [ ] **Rule:** `, with `- [ ] ` as group 1.
const RULE_LABEL =
  /^((?:(?:[-*+•]|\d{1,9}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?)(?:Rule:|(\*\*|__)Rule(?::\2|\2:))[ \t]*/

const REASON_LABEL = /\n[ \t]*(?:Reason:|(\*\*|__)Reason(?::\1|\1:))[ \t]*/

/** The sentence keeps the rule's list marker and check box. */
export const parseRuleText = (rule: string, mode: Mode = 'balanced'): RuleText => {
  const text = withLineFeeds(rule).trimEnd().replace(RULE_LABEL, '$1')
  const label = REASON_LABEL.exec(text)
  const sentenceEnd = label?.index ?? text.length
  const reason = mode === 'concise' || !label ? '' : text.slice(sentenceEnd + label[0].length).trim()
  return { sentence: text.slice(0, sentenceEnd).trimEnd(), reason }
}

export const hasRuleLabel = (text: string): boolean => RULE_LABEL.test(text)

/** Returns the first label at the start of a line, such as `Rule: ` or `**Rule:** `, or `''`. */
export const ruleLabelIn = (text: string): string => {
  for (const line of text.split('\n')) {
    const [whole, beforeLabel = ''] = RULE_LABEL.exec(line.replace(/^[ \t>]+/, '')) ?? []
    if (whole !== undefined) return `${whole.slice(beforeLabel.length).trimEnd()} `
  }
  return ''
}

/** Joins a rule and its reason. If the `replaced` words end a sentence, the reason does, too. */
export const asSentences = ({ sentence, reason }: RuleText, replaced = ''): string => {
  if (reason === '') return sentence
  const ended = withFullStop(sentence)
  const joined = ended + spaceAfter(ended) + reason
  return endsSentence(replaced) ? withFullStop(joined) : joined
}

const ENDS_SPACELESS = new RegExp(`[${SPACELESS}。、！？：；」』）】…][*_]*$`, 'u')

/** Returns `''` after Chinese, Japanese, `…` or an empty text. */
export const spaceAfter = (text: string): string => text === '' || ENDS_SPACELESS.test(text) ? '' : ' '

const CLOSING_MARKS = String.raw`(?:["'”’»)\]」』）*_~]|</[^<>]*>)*$`
const SENTENCE_END = new RegExp(`(?:\\p{Sentence_Terminal}|[:：…])${CLOSING_MARKS}`, 'u')

/** Whether a text ends with an end mark such as `.`, a colon or an ellipsis. Closing marks may follow: `.)` */
const endsSentence = (text: string): boolean => SENTENCE_END.test(text.trimEnd())

const LAST_LETTER_SPACELESS = new RegExp(`[${SPACELESS}][^\\p{L}]*$`, 'u')

/** Adds a missing full stop before the closing marks: `Use **x**` → `Use **x.**` */
const withFullStop = (text: string): string => {
  if (text === '' || endsSentence(text)) return text
  const stop = LAST_LETTER_SPACELESS.test(text) ? '。' : '.'
  // A closing bracket may end the mark of a footnote (`[^1]`).
  if (text.endsWith(']')) return text + stop
  return text.replace(new RegExp(CLOSING_MARKS, 'u'), (marks) => stop + marks)
}

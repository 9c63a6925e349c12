import type { Mode } from '../rule-schema.ts'
import { withLineFeeds } from '../text/line-ending.ts'

/** A rule as it comes into a text: its sentence, and its reason, empty where the mode wants none. */
export type RuleWords = { sentence: string; reason: string }

// What a rule may be sent with: a marker, a box, a label. An item has a marker of its own, and a box where it had one.
const SENT_WITH =
  /^(?:(?:[-*+•]|\d{1,3}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?(?:(?:Rule:|(\*\*|__)Rule(?::\1|\1:))[ \t]*)?/
const REASON = /\n[ \t]*(?:Reason:|(\*\*|__)Reason(?::\1|\1:))[ \t]*/

const onOneLine = (words: string): string => words.trim().replace(/\s*\n\s*/g, ' ')

/** Reads the lines of a formatted rule, without the marker and the labels that it was sent with. */
export const linesOfRule = (rule: string): RuleWords => {
  const words = withLineFeeds(rule).trim().replace(SENT_WITH, '')
  const { index, 0: label } = REASON.exec(words) ?? { index: words.length, 0: '' }
  return { sentence: words.slice(0, index), reason: words.slice(index + label.length) }
}

/** Reads a formatted rule as it comes into a text, on one line. */
export const wordsOfRule = (rule: string, mode: Mode = 'balanced'): RuleWords => {
  const { sentence, reason } = linesOfRule(rule)
  return { sentence: onOneLine(sentence), reason: mode === 'concise' ? '' : onOneLine(reason) }
}

/** Gives the words of a rule without a sign or a lead-in that they repeat, whatever its emphasis. */
export const withoutLead = (words: string, lead: string): string => {
  let at = 0
  for (const sign of lead.replace(/<[^<>]*>|[*_\s\uFE0F]+/g, '')) {
    while (/[*_\s\uFE0F]/.test(words[at] ?? '')) at++
    if (!words.startsWith(sign, at)) return words
    at += sign.length
  }
  const repeated = words.slice(0, at) + (at === 0 ? '' : /^(?:[*_]+(?=\s)|\uFE0F)?/.exec(words.slice(at))![0])
  const rest = words.slice(repeated.length).trimStart()
  const isWhole = !/[*_]/.test(repeated.replace(/(\*\*|__|[*_])[^*_]+\1/g, ''))
  return rest === '' || !isWhole ? words : rest
}

const SPACELESS = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}`
const NO_SPACE_AFTER = new RegExp(`[${SPACELESS}。、！？：；」』）】…][*_]*$`, 'u')
const CLOSING = String.raw`(?:["'”’»)\]」』）*_~]|</[^<>]*>)*$`
const ENDED = new RegExp(`(?:\\p{Sentence_Terminal}|[:：…])${CLOSING}`, 'u')

/** Gives the space between words and what follows them. */
export const spaceAfter = (words: string): string => words === '' || NO_SPACE_AFTER.test(words) ? '' : ' '

/** Gives words with a full stop, where they end no sentence. */
export const ended = (words: string): string => {
  if (words === '' || ENDED.test(words)) return words
  const stop = new RegExp(`[${SPACELESS}][^\\p{L}]*$`, 'u').test(words) ? '。' : '.'
  // Not into the mark of a footnote.
  return words.endsWith(']') ? words + stop : words.replace(new RegExp(CLOSING, 'u'), (marks) => stop + marks)
}

// What would begin a block at the start of a line.
const BEGINS_BLOCK = /^(?:[-*+>=|]|\d{1,9}[.)]|#{1,6}|-{2,}|={2,}|[`~]{3}.*|<.*)$/

// Words, code as a whole.
const UNBROKEN = /(?:(`+)(?!`).*?(?<!`)\1(?!`)|\S)+/g

/** Lists the pieces between which words may be wrapped, each with the space before it. */
export const piecesOf = (words: string): Array<{ space: string; word: string }> =>
  (words.match(UNBROKEN) ?? []).flatMap((word, index) =>
    word.split(new RegExp(`(?<=[${SPACELESS}。、])(?=[${SPACELESS}「『（])`, 'u'))
      .map((piece, at) => ({ space: index > 0 && at === 0 ? ' ' : '', word: piece }))
  )

/** Whether a line may begin with a word. */
export const beginsLine = (word: string): boolean => !BEGINS_BLOCK.test(word)

/** What stands before the words of a rule and stays: signs, labels and lead-ins, and which lines begin with one. */
import { SIGN } from './signs.ts'

/** Finds what stands in brackets, nested ones within. */
export const IN_BRACKETS = /[(（](?:[^()（）]|[(（][^()（）]*[)）])*(?=[)）])/g

const LEAD_IN = /[:：]["'*_”’»）)\]]*(?=\s|$)|：["'*_”’»）)\]]*|\s[-–—](?=\s)/g

// What names a rule: "**A-1 (MUST)** …", "[A-1] …", "A-1 …", "【A】…", "Step 1. …".
const LABEL =
  /^(?:(?:\*\*|__)[^*_]*[A-Z]-?\d[^*_]*(?:\*\*|__)(?=\s)|(?:\[\S{1,12}\]|[A-Z]{1,6}-\d+)(?=\s)|【[^【】]{1,12}】|\p{Lu}\p{L}+ \d{1,3}[.)](?=\s))/u

const LABEL_WITHIN = /^(?:(\*\*|__)[^*_\r\n]{1,40}(?:[:：]\1|\1\s*[:：])|\p{Lu}\p{L}+ #?\d{1,3}:(?=\s))/u

/** Gives the length of the label that a sentence within a block begins with: `**Tests:**`, `Rule #1:`. */
export const labelWithin = (sentence: string): number => LABEL_WITHIN.exec(sentence)?.[0].length ?? 0

/**
 * Finds the lead-in or the label that a sentence begins with: up to the last colon or dash in it that no source takes in,
 * but for those in brackets. `Rule:` is one in any case.
 *
 * @param restated where the first source in the sentence begins
 */
export const beginningOf = (
  sentence: string,
  restated: number,
): [kind: 'lead-in' | 'label', length: number] => {
  if (sentence.startsWith('Rule:')) return ['lead-in', 'Rule:'.length]
  const own = sentence.replace(IN_BRACKETS, (part) => 'x'.repeat(part.length))
  const ends = Array.from(own.matchAll(LEAD_IN), ({ index, 0: { length } }) => index + length)
  const leadIn = ends.findLast((end) => end <= restated)
  const label = LABEL.exec(sentence)?.[0].length ?? 0
  return leadIn !== undefined ? ['lead-in', leadIn] : ['label', label <= restated ? label : 0]
}

// A line that stands for itself: one that begins with a sign, or with a bold label and a colon, or is one in bold.
const OWN_LINE = new RegExp(
  String
    .raw`(^|\n[ \t>]*)(?:(${SIGN}|([a-zA-Z]|[ivxIVX]{2,4})[.)][ \t]+)(?=\S)|(?:\*\*|__)[^*_\n]+(?::(?:\*\*|__)|(?:\*\*|__)[ \t]*[:：])|(?:\*\*|__)(?!\p{Ll})[^*_\n]+(?:\*\*|__)[ \t]*(?=\r?\n))`,
  'gu',
)

// How lines begin that are one rule each, such as `Tests: …`, `Rule 2: …`, `Step 2. …`, `A: …` or `text: …` in a file of
// settings, and those of their reasons.
const LABELLED =
  /^[ \t>]*(?:(?:\*\*|__)?[\p{Lu}§][^.:!?]{0,30}(?::|[ \t][-–—])(?=[ \t])|\p{Lu}\p{L}+ \d{1,3}[.)](?=[ \t])|[a-z][\w-]{0,30}:(?=\s|$))/u
// The line of a question, where that of its answer follows, such as `A: …`.
const BEFORE_ANSWER = /[?？؟]["'*_”’»)]*[ \t]*\r?\n[ \t>]*(?=[^\s.:：!?]{1,12}[:：])/g

const REASON_LINE = /^[ \t>]*Reason:/
const EACH_LINE = /(^|\n[ \t>]*)(?![ \t>]*Reason:)/g

/** Whether each line of a paragraph has a label. */
const isLabelled = (words: string): boolean => {
  const lines = words.split('\n')
  return lines.every((line) => LABELLED.test(line))
    && lines.filter((line) => !REASON_LINE.test(line)).length > 1
}

/**
 * Finds the lines of a paragraph that stand for themselves, and the length of the sign of each: where they begin → how many
 * characters. Prose may be wrapped before a single sign, and begin with a single letter.
 */
export const ownLinesIn = (masked: string): ReadonlyMap<number, number> => {
  const found = [...masked.matchAll(isLabelled(masked) ? EACH_LINE : OWN_LINE)]
  const letters = found.filter((one) => one[3]).length
  const signs = found.filter((one) => one[2]).length - letters
  const answers = Array.from(masked.matchAll(BEFORE_ANSWER), ({ index, 0: { length } }) => index + length)
  return new Map<number, number>([
    ...(answers.length > 0 ? [0, ...answers] : []).map((at) => [at, 0] as const),
    ...found.filter(({ index, 2: sign, 3: letter }) =>
      letter ? letters > 1 : !sign || index === 0 || signs > 1
    )
      .map(({ index, 1: gap = '', 2: sign = '' }) => [index + gap.length, sign.length] as const),
  ])
}

/** Removes what a removed source leaves empty: its line, and a blank line that would then be doubled. */
import { linePrefix, withoutPrefix } from './lines.ts'

/** Stands in a text for removed words. No decoded text contains it, because it is a lone surrogate. */
export const REMOVED = '\uDFFF'

// Emphasis or code around removed words.
const EMPTY_MARKS = /(?<![*_~`])([*_~`]{1,3})\uDFFF\1(?![*_~`])/g

const isBlank = (line: string): boolean => /^[\s>]*$/.test(line)

/** Whether a removal left only a prefix, emphasis marks and punctuation of a line. */
const isEmptied = (line: string): boolean =>
  line.includes(REMOVED)
  && withoutPrefix(line).replace(/[*_~\s\uDFFF\p{Terminal_Punctuation}]/gu, '') === ''

/** Removes the placeholders from a line, each with one adjacent space. */
const withoutPlaceholders = (line: string): string =>
  line.split(REMOVED).reduce((before, after) =>
    linePrefix(before).whole === before
      ? before + after.replace(/^[ \t]+/, '')
      : before.replace(/[ \t]$/, '') + after
  )

/** Removes the placeholders of removed words from a text, and the lines that have no other words. */
export const withoutRemoved = (text: string): string => {
  if (!text.includes(REMOVED)) return text
  const kept: Array<string> = []
  let isDoubled = false
  for (const line of text.replace(EMPTY_MARKS, REMOVED).match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? []) {
    if (isEmptied(line)) {
      isDoubled = kept.length === 0 || isBlank(kept.at(-1)!)
      continue
    }
    if (!(isDoubled && isBlank(line))) kept.push(line.includes(REMOVED) ? withoutPlaceholders(line) : line)
    isDoubled = false
  }
  // The last line was removed, so the blank line before it separates nothing.
  if (isDoubled) { while (kept.length > 0 && isBlank(kept.at(-1)!)) kept.pop() }
  return kept.join('')
}

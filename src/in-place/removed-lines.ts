/** Removes what a removed source leaves empty: its line, and a blank line that would then be doubled. */
import { openingOf } from './lines.ts'

/** Stands in a text for removed words. As a lone surrogate it is in no text that was decoded. */
export const REMOVED = '\uDFFF'

// Emphasis or code around removed words.
const EMPTY_MARKS = /(?<![*_~`])([*_~`]{1,3})\uDFFF\1(?![*_~`])/g

const isBlank = (line: string): boolean => /^[\s>]*$/.test(line)

/** Whether nothing of a line is left but markers, emphasis and punctuation that ends a sentence. */
const isEmptied = (line: string): boolean =>
  line.includes(REMOVED)
  && line.slice(openingOf(line).whole.length).replace(/[*_~\s\uDFFF\p{Terminal_Punctuation}]/gu, '') === ''

/** Takes the mark out of a line, with a space next to it. */
const withoutMark = (line: string): string =>
  line.split(REMOVED).reduce((before, after) => {
    const isStart = openingOf(before).whole.length === before.length
    return isStart ? before + after.replace(/^[ \t]+/, '') : before.replace(/[ \t]$/, '') + after
  })

/** Removes the marks of removed words from a text. */
export const withoutRemoved = (text: string): string => {
  if (!text.includes(REMOVED)) return text
  const bare = text.replace(EMPTY_MARKS, REMOVED)
  const kept: Array<string> = []
  let isDoubled = false
  for (const line of bare.match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? []) {
    if (isEmptied(line)) {
      isDoubled = kept.length === 0 || isBlank(kept.at(-1)!)
      continue
    }
    if (!(isDoubled && isBlank(line))) kept.push(line.includes(REMOVED) ? withoutMark(line) : line)
    isDoubled = false
  }
  // The last line went: the blank line before it has nothing to separate.
  if (isDoubled) { while (kept.length > 0 && isBlank(kept.at(-1)!)) kept.pop() }
  return kept.join('')
}

/** Tidies a text from which words were removed: removes the emptied lines, and blank lines that separate nothing. */
import { isLinePrefix, withoutPrefix } from './lines.ts'

/** The placeholder for removed words. It is a lone surrogate, which no decoded text contains. */
export const REMOVED = '\uDFFF'
// With the flag `u`, a pattern does not match half of a pair: 🏿 is `\uD83C\uDFFF`.
const PLACEHOLDER = /\uDFFF/u

// Marks of emphasis or code with nothing but removed words between them, such as `**` + REMOVED + `**`
const EMPTY_MARKS = /(?<![*_~`])([*_~`]{1,3})\uDFFF\1(?![*_~`])/gu

const LINES_WITH_ENDINGS = /[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g
const isBlank = (line: string): boolean => /^[\s>]*$/.test(line)

/** Whether a line with removed words has nothing else but its prefix (such as `> - `), marks and punctuation. */
const isEmptied = (line: string): boolean =>
  PLACEHOLDER.test(line)
  && withoutPrefix(line).replace(/[*_~\s\uDFFF\p{Terminal_Punctuation}]/gu, '') === ''

// Removes each placeholder (here `⌫`) and one blank before it: `Use x ⌫.` → `Use x.`
// If a placeholder begins the line's words, the blanks after it go instead: `- ⌫ use x` → `- use x`
const withoutPlaceholders = (line: string): string =>
  line.split(PLACEHOLDER).reduce((before, after) =>
    isLinePrefix(before)
      ? before + after.replace(/^[ \t]+/, '')
      : before.replace(/[ \t]$/, '') + after
  )

/** Removes from a text all placeholders, the emptied lines, and blank lines that separate nothing. */
export const withoutRemoved = (text: string): string => {
  if (!PLACEHOLDER.test(text)) return text
  const kept: Array<string> = []
  let isNextBlankRedundant = false
  for (const line of text.replace(EMPTY_MARKS, REMOVED).match(LINES_WITH_ENDINGS) ?? []) {
    if (isEmptied(line)) {
      // If the line above is blank or missing, the next blank line separates nothing.
      isNextBlankRedundant = isBlank(kept.at(-1) ?? '')
      continue
    }
    if (!isNextBlankRedundant || !isBlank(line)) kept.push(withoutPlaceholders(line))
    isNextBlankRedundant = false
  }
  // If the text ends with removed lines, the blank lines above them separate nothing, either.
  while (isNextBlankRedundant && kept.length > 0 && isBlank(kept.at(-1)!)) kept.pop()
  return kept.join('')
}

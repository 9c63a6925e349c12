/** Tidies a text from which words were removed. */
import { isLinePrefix, withoutPrefix } from './lines.ts'

/** The placeholder for removed words: a lone surrogate, which no decoded text contains. */
export const REMOVED = '\uDFFF'
// Without the flag `u`, the pattern would also match the second half of 🏿 (`\uD83C\uDFFF`).
const PLACEHOLDER = /\uDFFF/u

// Such as `**` + REMOVED + `**`
const EMPTY_MARKS = /(?<![*_~`])([*_~`]{1,3})\uDFFF\1(?![*_~`])/gu

const LINES_WITH_ENDINGS = /[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g
const isBlank = (line: string): boolean => /^[\s>]*$/.test(line)

const isEmptied = (line: string): boolean =>
  PLACEHOLDER.test(line) && withoutPrefix(line).replace(/[*_~\s\uDFFF\p{Terminal_Punctuation}]/gu, '') === ''

// With `⌫` for the placeholder: `Use x ⌫.` → `Use x.`, and `- ⌫ use x` → `- use x`
const withoutPlaceholders = (line: string): string =>
  line.split(PLACEHOLDER).reduce((before, after) =>
    isLinePrefix(before) ? before + after.replace(/^[ \t]+/, '') : before.replace(/[ \t]$/, '') + after
  )

/** Removes the placeholders, the emptied lines, and the blank lines that now separate nothing. */
export const withoutRemoved = (text: string): string => {
  if (!PLACEHOLDER.test(text)) return text
  const kept: Array<string> = []
  let isNextBlankRedundant = false
  for (const line of text.replace(EMPTY_MARKS, REMOVED).match(LINES_WITH_ENDINGS) ?? []) {
    if (isEmptied(line)) {
      isNextBlankRedundant = isBlank(kept.at(-1) ?? '')
      continue
    }
    if (!isNextBlankRedundant || !isBlank(line)) kept.push(withoutPlaceholders(line))
    isNextBlankRedundant = false
  }
  // At the end of the text, the blank lines above removed lines separate nothing.
  while (isNextBlankRedundant && kept.length > 0 && isBlank(kept.at(-1)!)) kept.pop()
  return kept.join('')
}

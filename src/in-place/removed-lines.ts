/** Removes words from a text, with the lines that are left empty and the blank lines that would follow each other. */
import { isLinePrefix, withoutPrefix } from './lines.ts'

/** The placeholder of removed words: a lone surrogate, which no decoded text contains. */
export const REMOVED = '\uDFFF'

// Marks of emphasis or code with nothing but removed words between them
const EMPTY_MARKS = /(?<![*_~`])([*_~`]{1,3})\uDFFF\1(?![*_~`])/g

const isBlank = (line: string): boolean => /^[\s>]*$/.test(line)

/** Whether words were removed from a line, and at most its prefix, marks and punctuation are left. */
const isEmptied = (line: string): boolean =>
  line.includes(REMOVED)
  && withoutPrefix(line).replace(/[*_~\s\uDFFF\p{Terminal_Punctuation}]/gu, '') === ''

// At the start of a line's words, the blanks after a placeholder are removed; elsewhere, one before it.
const withoutPlaceholders = (line: string): string =>
  line.split(REMOVED).reduce((before, after) =>
    isLinePrefix(before)
      ? before + after.replace(/^[ \t]+/, '')
      : before.replace(/[ \t]$/, '') + after
  )

/** Removes the placeholders from a text, the lines that have no other words, and blank lines that separate nothing. */
export const withoutRemoved = (text: string): string => {
  if (!text.includes(REMOVED)) return text
  const lines: Array<string> = []
  let isNextBlankRedundant = false
  for (const line of text.replace(EMPTY_MARKS, REMOVED).match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? []) {
    const isRedundantBlank = isNextBlankRedundant && isBlank(line)
    // After a removed line, a blank one separates nothing if the line above is blank, too, or if there is none.
    isNextBlankRedundant = isEmptied(line) && isBlank(lines.at(-1) ?? '')
    if (!isRedundantBlank && !isEmptied(line)) lines.push(withoutPlaceholders(line))
  }
  // At the end of the text, the blank lines above a removed line separate nothing, either.
  while (isNextBlankRedundant && lines.length > 0 && isBlank(lines.at(-1)!)) lines.pop()
  return lines.join('')
}

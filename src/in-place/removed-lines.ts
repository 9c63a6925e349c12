/** Removes words from a text, with the lines that are left empty and the blank lines that would follow each other. */
import { linePrefix, withoutPrefix } from './lines.ts'

/** The placeholder of the removed words. It is a lone surrogate, which no decoded text contains. */
export const REMOVED = '\uDFFF'

// Marks of emphasis or code that contain only removed words, as in `**…**`.
const EMPTY_MARKS = /(?<![*_~`])([*_~`]{1,3})\uDFFF\1(?![*_~`])/g

const isBlank = (line: string): boolean => /^[\s>]*$/.test(line)

/** Whether words were removed from a line, and only its prefix, emphasis marks and punctuation are left. */
const isEmptied = (line: string): boolean =>
  line.includes(REMOVED)
  && withoutPrefix(line).replace(/[*_~\s\uDFFF\p{Terminal_Punctuation}]/gu, '') === ''

/** Removes placeholders together with blanks: at the start of a line's words, those after; elsewhere, one before. */
const withoutPlaceholders = (line: string): string =>
  line.split(REMOVED).reduce((before, after) =>
    linePrefix(before).whole === before
      ? before + after.replace(/^[ \t]+/, '')
      : before.replace(/[ \t]$/, '') + after
  )

/** Removes the placeholders from a text, the lines that have no other words, and blank lines that separate nothing. */
export const withoutRemoved = (text: string): string => {
  if (!text.includes(REMOVED)) return text
  const lines: Array<string> = []
  // Whether a blank line would separate nothing now: the last line was removed, and a blank line or none is above it.
  let isBlankRedundant = false
  for (const line of text.replace(EMPTY_MARKS, REMOVED).match(/[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+$/g) ?? []) {
    const isSecondBlank = isBlankRedundant && isBlank(line)
    isBlankRedundant = isEmptied(line) && isBlank(lines.at(-1) ?? '')
    if (!isSecondBlank && !isEmptied(line)) lines.push(withoutPlaceholders(line))
  }
  // If the last line was removed, the blank lines above it separate nothing.
  while (isBlankRedundant && lines.length > 0 && isBlank(lines.at(-1)!)) lines.pop()
  return lines.join('')
}

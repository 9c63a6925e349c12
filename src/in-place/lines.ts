/** Lines of a Markdown text, whatever ends them, and what stands before their words. */

/** The end of a line and a blank line below it, which may have marks of a quotation. */
export const BLANK_LINE = /(?:\n|\r(?!\n))[ \t>]*(?:\r\n?|\n)/

/** Whether a text has a letter or a digit. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

/** What a pattern calls the letters of scripts without spaces. */
export const SPACELESS = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}`

/** Finds the start of the line of an offset. */
export const lineStart = (text: string, at: number): number => {
  while (at > 0 && text[at - 1] !== '\n' && text[at - 1] !== '\r') at--
  return at
}

/** Finds the end of the line of an offset, before what ends it. */
export const lineEnd = (text: string, at: number): number => {
  while (at < text.length && text[at] !== '\n' && text[at] !== '\r') at++
  return at
}

/** What stands before the words of a line: indentation and quotation marks, a list marker, a check box or heading marks. */
export type LineOpening = { indent: string; marker: string; box: string; whole: string }

const OPENING = /^((?:[ \t]*>)*[ \t]*)((?:(?:[-*+•]|\d{1,9}[.)])[ \t]+|#{1,6}[ \t]+)?)((?:\[[ xX]\][ \t]+)?)/

/** Reads what stands before the words of a line. */
export const openingOf = (line: string): LineOpening => {
  const [whole, indent = '', marker = '', box = ''] = OPENING.exec(line)!
  return marker === '' ? { indent, marker, box: '', whole: indent } : { indent, marker, box, whole }
}

/** Whether a line begins with a list marker. */
export const isItem = (line: string): boolean => /^[^#]/.test(openingOf(line).marker)

/** Finds the lines of a Markdown text, whatever its line endings, and parses the prefixes before their words. */

/** The end of a line and the blank line after it, which may contain the marks of a quotation. */
export const BLANK_LINE = /(?:\n|\r(?!\n))[ \t>]*(?:\r\n?|\n)/

/** The letters of scripts without spaces, as a part of a character class. */
export const SPACELESS = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}`

/** Returns the offset at which the line that contains an offset starts. */
export const lineStart = (text: string, at: number): number => {
  while (at > 0 && text[at - 1] !== '\n' && text[at - 1] !== '\r') at--
  return at
}

/** Returns the offset at which the line that contains an offset ends, before its line ending. */
export const lineEnd = (text: string, at: number): number => {
  while (at < text.length && text[at] !== '\n' && text[at] !== '\r') at++
  return at
}

/** Returns the part of a line before an offset. */
export const lineBefore = (text: string, at: number): string => text.slice(lineStart(text, at), at)

/**
 * The parts of a line before its words: indentation with the marks of a quotation, a list marker or heading marks, and
 * a check box; `whole` is all of them.
 */
export type LinePrefix = { indent: string; marker: string; box: string; whole: string }

const PREFIX = /^((?:[ \t]*>)*[ \t]*)(?:((?:[-*+•]|\d{1,9}[.)]|#{1,6})[ \t]+)((?:\[[ xX]\][ \t]+)?))?/

/** Parses the prefix of a line. */
export const linePrefix = (line: string): LinePrefix => {
  const [whole, indent = '', marker = '', box = ''] = PREFIX.exec(line)!
  return { indent, marker, box, whole }
}

/** Removes the prefix of a line. */
export const withoutPrefix = (line: string): string => line.slice(linePrefix(line).whole.length)

/** Whether a line begins with a list marker. */
export const isItem = (line: string): boolean => /^[^#]/.test(linePrefix(line).marker)

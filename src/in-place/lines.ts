/** Finds the lines of a Markdown text with any line endings, and parses the prefixes of lines. */

/** The writing systems without spaces between words, as a part of a character class. */
export const SPACELESS = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}`

export const lineStart = (text: string, at: number): number => {
  while (at > 0 && text[at - 1] !== '\n' && text[at - 1] !== '\r') at--
  return at
}

/** Returns the offset of the line's end, before its line ending. */
export const lineEnd = (text: string, at: number): number => {
  while (at < text.length && text[at] !== '\n' && text[at] !== '\r') at++
  return at
}

export const lineBefore = (text: string, at: number): string => text.slice(lineStart(text, at), at)

// Matches a prefix such as `> - [x] `.
const PREFIX = /^((?:[ \t]*>)*[ \t]*)(?:((?:[-*+•]|\d{1,9}[.)]|#{1,6})[ \t]+)((?:\[[ xX]\][ \t]+)?))?/

/** Returns what stands before a line's words: indentation with `>` marks, a list or heading marker, a check box. */
export const linePrefix = (line: string) => {
  const [whole, indent = '', marker = '', box = ''] = PREFIX.exec(line)!
  return { indent, marker, box, whole }
}

export const isLinePrefix = (before: string): boolean => linePrefix(before).whole === before

export const withoutPrefix = (line: string): string => line.slice(linePrefix(line).whole.length)

export const isItem = (line: string): boolean => markerKind(line) !== ''

/** Returns the kind of a list marker: `-` for `- x`, `.` for `3. x`, and `''` for `x`. */
export const markerKind = (line: string): string => linePrefix(line).marker.replace(/[\d\s#]+/g, '')

export const FENCE = /^[ \t]*(?:```|~~~)/

/** Finds the lines of a Markdown text with any line endings, parses the prefixes of lines, and wraps words. */
import type { Span } from '../text/changed-range.ts'
import { linesOf } from '../text/line-ending.ts'

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

/** The parts of a line before its words: indentation with `>` marks, a list or heading marker, a check box. */
export type LinePrefix = { indent: string; marker: string; box: string; whole: string }

// Matches a prefix such as `> - [x] `.
const PREFIX = /^((?:[ \t]*>)*[ \t]*)(?:((?:[-*+•]|\d{1,9}[.)]|#{1,6})[ \t]+)((?:\[[ xX]\][ \t]+)?))?/

export const linePrefix = (line: string): LinePrefix => {
  const [whole, indent = '', marker = '', box = ''] = PREFIX.exec(line)!
  return { indent, marker, box, whole }
}

export const isLinePrefix = (before: string): boolean => linePrefix(before).whole === before

export const withoutPrefix = (line: string): string => line.slice(linePrefix(line).whole.length)

export const isItem = (line: string): boolean => markerKind(line) !== ''

/** Returns the kind of a list marker: `-` for `- x`, `.` for `3. x`, and `''` for `x`. */
export const markerKind = (line: string): string => linePrefix(line).marker.replace(/[\d\s#]+/g, '')

export const FENCE = /^[ \t]*(?:```|~~~)/

const BEGINS_BLOCK = /^(?:[-*+>=|]|\d{1,9}[.)]|#{1,6}|-{2,}|={2,}|[`~]{3}.*|<.*)$/

// Code in backticks is one word.
const WORD = /(?:(`+)(?!`)[^]*?(?<!`)\1(?!`)|\S)+/g

/** Wraps the words that replace a span to the width and indentation of its lines. */
export const wrapWords = (words: string, { text, from, to }: Span & { text: string }): string => {
  const before = lineBefore(text, from)
  const replacedLines = linesOf(text.slice(from - before.length, lineEnd(text, to)))
  const width = Math.max(...replacedLines.map((line) => line.trimEnd().length))
  const newIndent = /(?:\r\n?|\n)([ \t>]*)/.exec(text.slice(from, to).trimEnd())?.[1] ?? ''
  const lines: Array<string> = []
  let line = before
  for (const [word] of words.matchAll(WORD)) {
    const isFirst = lines.length === 0 && line === before
    const extended = isFirst ? line + word : `${line} ${word}`
    const beginsLine = !isFirst && extended.length > width && !BEGINS_BLOCK.test(word)
    if (beginsLine) lines.push(line)
    line = beginsLine ? newIndent + word : extended
  }
  return [...lines, line].join('\n').slice(before.length)
}

import { NOTHING } from './tree.ts'

/** A part of a text, by offsets in UTF-16 units; `to` is the first offset that is not in it. */
export type Span = { from: number; to: number }

/** What people begin a line with that is no marker of Markdown: an emoji, a bullet, `(a)`, `1.2`, `R2:`, `[ ]`, `一、`. Pattern of `v` or `u`. */
export const SIGN = String
  .raw`(?:(?:[\p{So}\p{Extended_Pictographic}•‣⁃·・※→–—\u2460-\u249B\u2776-\u2793][\uFE0F\u200D\p{Emoji_Modifier}]*|（?[\d０-９一二三四五六七八九十]{1,3}[、．）]|\d\uFE0F?\u20E3|(?:\(\w{1,3}\)|[а-яё]\)|--)(?=[ \t])|(?:\d+(?:\.\d+)+\.?|[A-Z]{1,4}-?\d+[.:)]|\[[ xX]\])(?=[ \t]))[ \t]*)+`

/** Gives a span without the whitespace at its ends. */
export const trimmed = (text: string, { from, to }: Span): Span => {
  while (to > from && /\s/.test(text[to - 1]!)) to--
  while (from < to && /\s/.test(text[from]!)) from++
  return { from, to }
}

/** Finds the start of the line of an offset. */
export const lineStart = (text: string, at: number): number => {
  while (at > 0 && text[at - 1] !== '\n' && text[at - 1] !== '\r') at--
  return at
}

/** Gives the number of the line of each offset, from 1. */
export const lineNumbers = (text: string): Uint32Array => {
  const numbers = new Uint32Array(text.length)
  let line = 1
  for (let at = 0; at < text.length; at++) {
    numbers[at] = line
    if (text[at] === '\n' || text[at] === '\r' && text[at + 1] !== '\n') line++
  }
  return numbers
}

/** Gives the quotation marks and spaces that continue, on the next lines, what begins at an offset. */
export const prefixOf = (text: string, at: number): string =>
  text.slice(lineStart(text, at), at).replace(/[^\s>]/g, ' ')

/** Whether the line before the one of an offset has words. */
export const followsWords = (text: string, at: number): boolean => {
  const start = lineStart(text, at)
  const end = start - (text.startsWith('\r\n', start - 2) ? 2 : 1)
  return end > 0 && /[^\s>]/.test(text.slice(lineStart(text, end), end))
}

const WORDS_BELOW = /[^\r\n]*(?:\r\n?|\n)[ \t>]*[^\s>]/y

/** Whether the line after the one of an offset has words. */
export const precedesWords = (text: string, at: number): boolean => {
  WORDS_BELOW.lastIndex = at
  return WORDS_BELOW.test(text)
}

/** Replaces spans within a span of a text, from the first to the last. */
export const spliced = (text: string, { from, to }: Span, parts: Array<Span & { text: string }>): string => {
  let at = from
  const pieces = parts.map((part) => {
    const gap = text.slice(at, part.from)
    at = part.to
    return gap + part.text
  })
  return pieces.join('') + text.slice(at, to)
}

/** Whether a line has words before a column: it continues a paragraph without the indentation of its item. */
const isLazy = (line: string, column: number): boolean => /[^\s>]/.test(line.slice(0, column))

/** Indents all lines of a text but the first by more or fewer spaces, from a column on. */
export const shiftLines = (text: string, shift: number, column: number): string =>
  shift === 0 ? text : text.split('\n').map((line, index) => {
    const [head, tail] = [line.slice(0, column), line.slice(column)]
    if (index === 0 || tail.trim() === '' || isLazy(line, column)) return line
    return head
      + (shift > 0 ? ' '.repeat(shift) + tail : tail.replace(new RegExp(`^[ \\t]{0,${-shift}}`), ''))
  }).join('\n')

/** Moves all lines of a text but the first to a column, by the indentation of the first of them. */
export const movedUp = (text: string, column: number): string => {
  const line =
    text.split('\n').find((one, index) =>
      index > 0 && one.slice(column).trim() !== '' && !isLazy(one, column)
    ) ?? ''
  return shiftLines(text, -/^[ \t]*/.exec(line.slice(column))![0].length, column)
}

const isBlank = (line = NOTHING): boolean => /^[\s>]*$/.test(line)
const quotesOf = (line: string): number => /^[\s>]*/.exec(line)![0].replace(/\s/g, '').length

// By code points: the second half of an emoji is the same unit.
const MARK = new RegExp(NOTHING, 'gu')
const bare = (line: string): string => line.replace(MARK, '')

/** Removes the lines that have nothing but `NOTHING`, and the blank lines that would then be doubled. */
export const withoutRemoved = (text: string): string => {
  if (!text.includes(NOTHING)) return text
  const lines = text.split(/(?<=\n|\r(?!\n))/)
  const kept: Array<string> = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    if (bare(line) === line || !isBlank(bare(line))) {
      kept.push(bare(line))
      continue
    }
    for (let next = at; next < lines.length && isBlank(bare(lines[next]!)); next++) {
      if (bare(lines[next]!) !== lines[next]) at = next
    }
    const isDoubled = (one?: string) => isBlank(one) && quotesOf(one!) === quotesOf(line)
    if (kept.length > 0 && !isDoubled(kept.at(-1))) continue
    const isEnd = quotesOf(lines[at + 1] ?? '') < quotesOf(line) || at + 1 === lines.length
    while (isEnd && isDoubled(kept.at(-1))) kept.pop()
    while (!isEnd && isDoubled(lines[at + 1])) at++
  }
  return kept.join('')
}

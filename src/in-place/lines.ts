import { NOTHING } from '../markdown/tree.ts'
import type { Span } from '../text/changed-stretch.ts'

export type { Span }

/** A change of a text. */
export type Edit = Span & { text: string }

/** Whether a text has a letter or a digit. */
export const hasWords = (text: string): boolean => /[\p{L}\p{N}]/u.test(text)

/** Gives the letters and digits of a text, in small letters: what two wordings of the same share. */
export const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

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

/** Gives the quotation marks and spaces that continue, on the next lines, what begins at an offset. */
export const prefixOf = (text: string, at: number): string =>
  text.slice(lineStart(text, at), at).replace(/[^\s>]/g, ' ').replace(/ +\t/g, '\t')

/** Makes changes, from the first to the last, in a text. */
export const edited = (text: string, edits: Array<Edit>): string => {
  let at = 0
  const pieces = edits.map((edit) => {
    const gap = text.slice(at, edit.from)
    at = edit.to
    return gap + edit.text
  })
  return pieces.join('') + text.slice(at)
}

// By code points: the second half of an emoji is the same unit.
const MARK = new RegExp(NOTHING, 'gu')

const bare = (line: string): string => line.replace(MARK, '')
const isBlank = (line: string): boolean => /^[\s>]*$/.test(line)
const quotesOf = (line: string): number => /^[\s>]*/.exec(line)![0].replace(/\s/g, '').length

// A line of which all is removed, but for the markers of the items that it began.
const REMOVED = new RegExp(`^([\\s>]*)(?:(?:[-*+]|\\d{1,9}[.)])[ \\t]+)*${NOTHING}+\\s*$`)

/** Stands in a text for an item that is removed; what stands below it moves up to its place. */
export const NO_ITEM = NOTHING + NOTHING

/** Moves what stands below removed items to their columns. */
const moveUp = (lines: Array<string>): void =>
  lines.forEach((line, index) => {
    const column = line.includes(NO_ITEM) ? REMOVED.exec(line)?.[1]!.length : undefined
    if (column === undefined) return
    let shift = 0
    for (let at = index + 1; at < lines.length; at++) {
      const [before, below] = [lines[at]!.slice(0, column), lines[at]!.slice(column)]
      if (isBlank(lines[at]!)) continue
      const indent = /^[ \t]*/.exec(below)![0].length
      if (indent === 0 || !isBlank(before)) return
      shift ||= indent
      lines[at] = before + below.slice(Math.min(shift, indent))
    }
  })

/** Removes the lines of which nothing is left but `NOTHING`, and the blank lines that would then be doubled. */
export const withoutRemoved = (text: string): string => {
  if (!text.includes(NOTHING)) return text
  const lines = text.split(/(?<=\n|\r(?!\n))/)
  moveUp(lines)
  const kept: Array<string> = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    if (!REMOVED.test(line)) {
      kept.push(bare(line))
      continue
    }
    for (
      let next = at;
      next < lines.length && (isBlank(lines[next]!) || REMOVED.test(lines[next]!));
      next++
    ) {
      if (REMOVED.test(lines[next]!)) at = next
    }
    const isDoubled = (one?: string) => one !== undefined && isBlank(one) && quotesOf(one) === quotesOf(line)
    if (kept.length > 0 && !isDoubled(kept.at(-1))) continue
    const isEnd = quotesOf(lines[at + 1] ?? '') < quotesOf(line) || at + 1 === lines.length
    while (isEnd && isDoubled(kept.at(-1))) kept.pop()
    while (!isEnd && isDoubled(lines[at + 1])) at++
  }
  return kept.join('')
}

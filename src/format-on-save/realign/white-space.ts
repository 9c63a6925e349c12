import type { Range } from '../../text/changed-stretch.ts'

// More white space than this in one place is not looked through.
const MAX_SPACE = 2_000

const spaceBefore = (text: string, offset: number): string =>
  /\s*$/.exec(text.slice(Math.max(0, offset - MAX_SPACE), offset))![0]

const spaceBehind = (text: string, offset: number): string =>
  /^\s*/.exec(text.slice(offset, offset + MAX_SPACE))![0]

const newlinesIn = (space: string): number => space.split('\n').length - 1

/** Measures how much of the white space before the first word, as it is now, was the range's own. */
const leadingSpace = (own: string, all: string, now: string): number => {
  if (own === '') return 0
  if (own.length >= all.length) return now.length
  const lines = newlinesIn(own)
  if (lines === 0) {
    const indent = now.slice(now.lastIndexOf('\n') + 1)
    return all.endsWith(`\n${own}`) ? indent.length : Math.min(own.length, indent.length)
  }
  let at = now.length
  for (let line = 0; line < lines && at > 0; line += 1) {
    const feed = now.lastIndexOf('\n', at - 1)
    if (feed < 0) break
    at = feed > 0 && now[feed - 1] === '\r' ? feed - 1 : feed
  }
  return now.length - at
}

/** Measures how much of the white space behind the last word, as it is now, was the range's own. */
const trailingSpace = (own: string, all: string, now: string): number => {
  if (own === '') return 0
  if (own.length >= all.length) return now.length
  const lines = newlinesIn(own)
  if (lines === 0) return Math.min(own.length, /^[^\r\n]*/.exec(now)![0].length)
  let at = 0
  for (let line = 0; line < lines; line += 1) {
    const feed = now.indexOf('\n', at)
    if (feed < 0) break
    at = feed + 1
  }
  return at
}

/** A line's text up to an offset. */
const lineBefore = (text: string, offset: number): string =>
  offset === 0 ? '' : text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)

/** A line's text from an offset on. */
const lineBehind = (text: string, offset: number): string => {
  const feed = text.indexOf('\n', offset)
  return text.slice(offset, feed < 0 ? text.length : feed).trimEnd()
}

/**
 * Finds the start of a counterpart so that the text before it, white space included, is what the model knows; null
 * where the formatter changed that text.
 */
const startWithOutside = (
  before: string,
  after: string,
  range: Range,
  words: Range,
  now: Range,
): number | null => {
  const space = spaceBefore(before, words.start)
  const outside = space.slice(0, space.length - (words.start - range.start))
  const spaceNow = spaceBefore(after, now.start)
  const start = now.start - spaceNow.length + outside.length
  const isSame = spaceNow.startsWith(outside) && lineBefore(before, range.start) === lineBefore(after, start)
  return isSame ? start : null
}

/** Finds the end of a counterpart so that the text behind it is what the model knows; null where it was changed. */
const endWithOutside = (
  before: string,
  after: string,
  range: Range,
  words: Range,
  now: Range,
): number | null => {
  const outside = spaceBehind(before, words.end).slice(range.end - words.end)
  const spaceNow = spaceBehind(after, now.end)
  const end = now.end + spaceNow.length - outside.length
  const isSame = spaceNow.endsWith(outside) && lineBehind(before, range.end) === lineBehind(after, end)
  return isSame ? end : null
}

/**
 * Widens the counterpart of a range's words by white space, so that it and the text around it, as the model knows
 * that, make the file with its blank lines. Where the text around was changed too, the counterpart gets as many lines
 * and as much indentation as the range had.
 */
export const withSpace = (before: string, after: string, range: Range, words: Range, now: Range): Range => ({
  start: startWithOutside(before, after, range, words, now) ?? now.start - leadingSpace(
        before.slice(range.start, words.start),
        spaceBefore(before, words.start),
        spaceBefore(after, now.start),
      ),
  end: endWithOutside(before, after, range, words, now) ?? now.end + trailingSpace(
        before.slice(words.end, range.end),
        spaceBehind(before, words.end),
        spaceBehind(after, now.end),
      ),
})

import type { Range } from './range.ts'

// No text has more white space in one place than this, unless it is nothing else.
const MAX_SPACE = 2_000

const spaceBefore = (text: string, offset: number): string =>
  /\s*$/.exec(text.slice(Math.max(0, offset - MAX_SPACE), offset))![0]

const spaceBehind = (text: string, offset: number): string =>
  /^\s*/.exec(text.slice(offset, offset + MAX_SPACE))![0]

const newlinesIn = (space: string): number => space.split('\n').length - 1

/** Of the white space before the first word, as it is now, the length of the part that was the range's own. */
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

/** Of the white space behind the last word, as it is now, the length of the part that was the range's own. */
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

/**
 * Widens the counterpart of a range's words by the white space that the range had around them: its lines and its
 * indentation as they are now.
 */
export const withSpace = (before: string, after: string, range: Range, words: Range, now: Range): Range => ({
  start: now.start - leadingSpace(
    before.slice(range.start, words.start),
    spaceBefore(before, words.start),
    spaceBefore(after, now.start),
  ),
  end: now.end + trailingSpace(
    before.slice(words.end, range.end),
    spaceBehind(before, words.end),
    spaceBehind(after, now.end),
  ),
})

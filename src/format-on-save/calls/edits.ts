import { commonPrefix, commonSuffix, type Range, withLineFeeds } from '../../files/changed-stretch.ts'
import { findLines } from './find-lines.ts'

/**
 * What a call does to one file: the text after it, before any formatting; the ranges of the call's own text in that; and
 * what each of them replaced, as ranges of the text before, where that is known.
 */
export type Applied = { raw: string; ranges: Array<Range>; replaced?: Array<Range> }

const isCrlf = (text: string): boolean => text.includes('\r\n')

/** A model's text as the host writes it into a file: with the file's line ends. */
export const withLineEnds = (text: string, file: string): string => {
  const plain = withLineFeeds(text)
  return isCrlf(file) ? plain.replaceAll('\n', '\r\n') : plain
}

// A `replaceAll` of more places than this is not followed through a formatting.
const MAX_PLACES = 2_000

/** Finds where a text stands in another, overlapping places left out; it stops when it has more than `MAX_PLACES`. */
export const occurrences = (text: string, wanted: string): Array<number> => {
  const found: Array<number> = []
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + wanted.length)) {
    found.push(at)
    if (found.length > MAX_PLACES) break
  }
  return found
}

/** The lines of a text that read as the wanted ones once both are trimmed, as the host also matches. */
const trimmedMatches = (text: string, wanted: string): Array<Range> => [
  ...findLines(text, wanted.replace(/\r?\n$/, '').split('\n'), (one, other) => one.trim() === other.trim()),
]

/** Applies a `write`: the whole file is the call's text. */
export const applyWrite = (content: string): Applied => ({
  raw: content,
  ranges: [{ start: 0, end: content.length }],
})

/**
 * Applies an `edit` as the host does: at the one place that reads as `oldString`, or with `replaceAll` at all of
 * them. Where there is none, at the lines that read as those of `oldString` once both are trimmed. Null where its
 * effect cannot be told.
 *
 * @param before the file before the call, without a byte-order mark; null where there was none
 */
export const applyEdit = (
  before: string | null,
  edit: { oldString: string; newString: string; replaceAll: boolean },
): Applied | null => {
  if (edit.oldString === '') return before === null ? applyWrite(edit.newString) : null
  if (before === null) return null
  const oldString = withLineEnds(edit.oldString, before)
  const newString = withLineEnds(edit.newString, before)
  const exact = occurrences(before, oldString).map((start) => ({ start, end: start + oldString.length }))
  const places = exact.length > 0 ? exact : trimmedMatches(before, oldString)
  if (
    places.length === 0
    || (places.length > 1 && !(edit.replaceAll && exact.length > 0))
  ) return null
  if (places.length > MAX_PLACES) {
    return { raw: before.replaceAll(oldString, newString.replaceAll('$', '$$$$')), ranges: [] }
  }
  const ranges: Array<Range> = []
  let raw = ''
  let from = 0
  for (const { start, end } of places) {
    raw += before.slice(from, start)
    ranges.push({ start: raw.length, end: raw.length + newString.length })
    raw += newString
    from = end
  }
  return { raw: raw + before.slice(from), ranges, replaced: places }
}

/**
 * Finds the text of an edit in the file after it, from the file's texts before and after alone, however the host
 * found its place; null where it may stand in more than one.
 */
export const locateEdit = (before: string, raw: string, newString: string): Range | null => {
  const text = withLineEnds(newString, before)
  if (text === '' || before === raw) return null
  // Before and behind the edit both texts are the same.
  const first = Math.max(0, raw.length - commonSuffix(before, raw) - text.length)
  const last = Math.min(commonPrefix(before, raw), raw.length - text.length)
  const start = raw.indexOf(text, first)
  if (start < 0 || start > last) return null
  const second = raw.indexOf(text, start + 1)
  return second >= 0 && second <= last ? null : { start, end: start + text.length }
}

import { lineStart, type Range } from '../../text/changed-stretch.ts'
import { realign } from '../realign/realign.ts'
import type { Around } from './call.ts'
import { occurrences, withLineEnds } from './edits.ts'
import type { UnseenFile } from './unseen-formatting.ts'

/** What an edit is to look for, and the text around that which makes its place the only one. */
export type CarriedEdit = { oldString: string; around: Around | null }

// So many lines on each side are put around a text that stands more than once.
const MAX_LINES_AROUND = 20

const slice = (text: string, { start, end }: Range): string => text.slice(start, end)

const isOnce = (text: string, part: string): boolean => {
  const at = text.indexOf(part)
  return at >= 0 && text.indexOf(part, at + 1) < 0
}

/** Gives the lines around a range with which it stands once in a text; null where that takes too many. */
const aroundOf = (text: string, { start, end }: Range): Around | null => {
  let [from, to] = [start, end]
  for (let lines = 0; lines < MAX_LINES_AROUND; lines += 1) {
    from = lineStart(text, Math.max(0, from - 1))
    const feed = text.indexOf('\n', to + 1)
    to = feed < 0 ? text.length : feed
    if (isOnce(text, text.slice(from, to))) {
      return { before: text.slice(from, start), behind: text.slice(end, to) }
    }
  }
  return null
}

/** Gives the counterparts of the places of a text that the model believes in; null where one cannot be told. */
const counterparts = (oldString: string, { believed, text }: UnseenFile): Array<Range> | null => {
  const wanted = withLineEnds(oldString, believed)
  const places = wanted === '' ? [] : occurrences(believed, wanted)
  const find = realign(believed, text)
  const found = places.map((start) => find({ start, end: start + wanted.length }))
  return found.every((range) => range !== null) ? found : null
}

/** Narrows a counterpart to what was sent where that is still there. */
const narrowed = (text: string, range: Range, sent: string): Range => {
  const at = slice(text, range).indexOf(sent)
  return at < 0 ? range : { start: range.start + at, end: range.start + at + sent.length }
}

/**
 * Gives what an edit's `oldString` has become by a formatting. It must stand once in the text that the model believes
 * in, or with `replaceAll` in all its places have become the same. Where its counterpart stands more than once in the
 * file, the lines around it go with it. Null where it is to be sought as it was sent, or its counterpart cannot be
 * told.
 */
export const carryEdit = (
  oldString: string,
  replaceAll: boolean,
  file: UnseenFile,
  text: string,
): CarriedEdit | null => {
  const sent = withLineEnds(oldString, file.text)
  const found = counterparts(oldString, file)?.map((range) => narrowed(file.text, range, sent))
  const [range, ...others] = found ?? []
  if (!found || !range || range.start === range.end || (others.length > 0 && !replaceAll)) return null
  const now = slice(file.text, range)
  if (others.some((other) => slice(file.text, other) !== now)) return null
  if (occurrences(text, now).length === found.length) {
    return now === sent ? null : { oldString: now, around: null }
  }
  const around = replaceAll || text !== file.text ? null : aroundOf(text, range)
  return around && { oldString: now, around }
}

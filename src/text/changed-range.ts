/** Finds the part in which two texts differ. */

/** A part of a text, as offsets in UTF-16 units; `to` is exclusive. */
export type Span = { from: number; to: number }

/** The shortest diff is computed for at most this many changed lines. More lines would take too long. */
export const MAX_EDITS = 400

/** Returns the part of a text from `near` to `far`. Both are distances from the same end of the text. */
type SliceFromEnd = (text: string, near: number, far: number) => string

/** Counts the units that two texts share at one end, by binary search, which is faster than a loop. */
const sharedUnits = (a: string, b: string, slice: SliceFromEnd): number => {
  let [shared, most] = [0, Math.min(a.length, b.length)]
  while (shared < most) {
    const middle = Math.ceil((shared + most) / 2)
    if (slice(a, shared, middle) === slice(b, shared, middle)) shared = middle
    else most = middle - 1
  }
  return shared
}

export const commonPrefixLength = (a: string, b: string): number =>
  sharedUnits(a, b, (text, near, far) => text.slice(near, far))

export const commonSuffixLength = (a: string, b: string): number =>
  sharedUnits(a, b, (text, near, far) => text.slice(text.length - far, text.length - near))

/** Returns the offset of the start of the line that contains an offset. */
export const lineStart = (text: string, offset: number): number =>
  offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1

/** `shared` counts the equal units at both ends, which may overlap: `aa` and `aaa` share two at each end. */
export type ChangedRange = { before: Span; after: Span; shared: { prefix: number; suffix: number } }

/** Finds the part in which two texts differ, extended to whole lines and by `context` lines above and below. */
export const changedRange = (before: string, after: string, context = 0): ChangedRange => {
  const shared = { prefix: commonPrefixLength(before, after), suffix: commonSuffixLength(before, after) }
  const suffixWithoutOverlap = Math.min(shared.suffix, Math.min(before.length, after.length) - shared.prefix)
  let start = lineStart(before, shared.prefix)
  for (let line = 0; line < context && start > 0; line += 1) start = lineStart(before, start - 1)
  let end = before.length - suffixWithoutOverlap
  // The first step extends the range to the end of its last line.
  for (let line = 0; line <= context && end < before.length; line += 1) {
    const lineFeed = before.indexOf('\n', end)
    end = lineFeed < 0 ? before.length : lineFeed + 1
  }
  const endAfter = end + after.length - before.length
  return { before: { from: start, to: end }, after: { from: start, to: endAfter }, shared }
}

const MAX_CHANGED = 1_000_000

/** Whether the part in which two texts differ is too long to be compared: a diff blocks the host's only thread. */
export const differTooMuch = (a: string, b: string): boolean => {
  const { before, after } = changedRange(a, b)
  return before.to - before.from + after.to - after.from > MAX_CHANGED
}

/** Counts the line feeds of a text before an offset. */
export const countLineBreaks = (text: string, offset: number): number =>
  text.slice(0, offset).split('\n').length - 1

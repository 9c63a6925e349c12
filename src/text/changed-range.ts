/** Finds the part in which two texts differ. */

/** A part of a text, as offsets in UTF-16 units, without the unit at `to`. */
export type Span = { from: number; to: number }

/** The maximum number of changed lines in a diff, whose time grows with the square of this number. */
export const MAX_EDITS = 400

type SliceFromEnd = (text: string, near: number, far: number) => string

const sharedUnits = (a: string, b: string, slice: SliceFromEnd): number => {
  let [shared, most] = [0, Math.min(a.length, b.length)]
  // A binary search is faster than a loop over the units.
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
  for (let line = 0; line <= context && end < before.length; line += 1) {
    const lineFeed = before.indexOf('\n', end)
    end = lineFeed < 0 ? before.length : lineFeed + 1
  }
  const endAfter = end + after.length - before.length
  return { before: { from: start, to: end }, after: { from: start, to: endAfter }, shared }
}

const MAX_CHANGED = 1_000_000

/** Whether two texts differ so much that a diff would block the host's only thread for long. */
export const differTooMuch = (a: string, b: string): boolean => {
  const { before, after } = changedRange(a, b)
  return before.to - before.from + after.to - after.from > MAX_CHANGED
}

export const countLineBreaks = (text: string, offset: number): number =>
  text.slice(0, offset).split('\n').length - 1

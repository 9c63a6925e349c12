/** A part of a text, by offsets in UTF-16 units; `to` is the first offset that is not in it. */
export type Span = { from: number; to: number }

/** With more changed lines than this the search for the shortest diff takes too long. */
export const MAX_EDITS = 400

// Comparing long slices first, then ever shorter ones, takes a tenth of the time that each unit takes.
const STEPS = [4_096, 256, 16, 1]

/** Counts the units that two texts share; `slice` gives a part of a text, by its distance from the end compared. */
const sharedUnits = (
  one: string,
  other: string,
  slice: (text: string, near: number, far: number) => string,
): number => {
  const shorter = Math.min(one.length, other.length)
  let length = 0
  for (const step of STEPS) {
    const isSame = () => slice(one, length, length + step) === slice(other, length, length + step)
    while (length + step <= shorter && isSame()) length += step
  }
  return length
}

/** Counts the units that two texts share at their start. */
export const commonPrefix = (one: string, other: string): number =>
  sharedUnits(one, other, (text, near, far) => text.slice(near, far))

/** Counts the units that two texts share at their end. */
export const commonSuffix = (one: string, other: string): number =>
  sharedUnits(one, other, (text, near, far) => text.slice(text.length - far, text.length - near))

/** Gives the offset at which the line of an offset starts. */
export const lineStart = (text: string, offset: number): number =>
  offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1

/** A stretch of one text and its counterpart in another. */
export type Stretch = { before: Span; after: Span }

/**
 * Finds what two texts do not share at their ends, widened to whole lines; `shared` are the lengths of what they do.
 *
 * @param context how many lines above and below are taken in
 */
export const changedStretch = (
  before: string,
  after: string,
  context = 0,
): Stretch & { shared: { prefix: number; suffix: number } } => {
  const shared = { prefix: commonPrefix(before, after), suffix: commonSuffix(before, after) }
  const suffix = Math.min(shared.suffix, Math.min(before.length, after.length) - shared.prefix)
  let start = lineStart(before, shared.prefix)
  for (let line = 0; line < context && start > 0; line += 1) start = lineStart(before, start - 1)
  let end = before.length - suffix
  for (let line = 0; line <= context && end < before.length; line += 1) {
    const feed = before.indexOf('\n', end)
    end = feed < 0 ? before.length : feed + 1
  }
  return {
    before: { from: start, to: end },
    after: { from: start, to: end + after.length - before.length },
    shared,
  }
}

// Runs on the host's only thread.
const MAX_CHANGED = 1_000_000

/** Whether two texts differ in too long a stretch to be compared while a session waits. */
export const differTooMuch = (one: string, other: string): boolean => {
  const { before, after } = changedStretch(one, other)
  return before.to - before.from + after.to - after.from > MAX_CHANGED
}

/** Counts the lines of a text that end before an offset. */
export const countLineEnds = (text: string, before: number): number => {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0 && at < before; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

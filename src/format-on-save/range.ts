/** A part of a text, by offsets in UTF-16 units; `end` is the first offset that is not in it. */
export type Range = { start: number; end: number }

/** How many units two texts share at their start and, beyond those, at their end. */
export const commonEnds = (before: string, after: string): { prefix: number; suffix: number } => {
  const shorter = Math.min(before.length, after.length)
  let prefix = 0
  while (prefix < shorter && before.charCodeAt(prefix) === after.charCodeAt(prefix)) prefix += 1
  let suffix = 0
  while (
    suffix < shorter - prefix
    && before.charCodeAt(before.length - 1 - suffix) === after.charCodeAt(after.length - 1 - suffix)
  ) suffix += 1
  return { prefix, suffix }
}

/**
 * Where a range of one text stands in another text that differs from it in one stretch; null where the range touches
 * that stretch, since its words may then no longer be the same ones.
 */
export const carry = ({ start, end }: Range, before: string, after: string): Range | null => {
  if (before === after) return { start, end }
  const { prefix, suffix } = commonEnds(before, after)
  if (end <= prefix) return { start, end }
  if (start < before.length - suffix) return null
  const shift = after.length - before.length
  return { start: start + shift, end: end + shift }
}

/** A stretch of the text before formatting and its counterpart after it. */
export type Stretch = { before: Range; after: Range }

/** What two texts do not share at their ends, widened to whole lines. */
export const changedStretch = (before: string, after: string): Stretch => {
  const { prefix, suffix } = commonEnds(before, after)
  const start = before.lastIndexOf('\n', prefix - 1) + 1
  const lineEnd = before.indexOf('\n', before.length - suffix)
  const end = suffix === 0 || lineEnd < 0 ? before.length : lineEnd + 1
  return {
    before: { start: prefix === 0 ? 0 : start, end },
    after: { start: prefix === 0 ? 0 : start, end: end + after.length - before.length },
  }
}

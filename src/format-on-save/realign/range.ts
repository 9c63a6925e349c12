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

/** A range whose end does not part the two signs of a line end. */
export const outsideLineEnd = (text: string, { start, end }: Range): Range =>
  end > start && text[end - 1] === '\r' && text[end] === '\n' ? { start, end: end - 1 } : { start, end }

/**
 * What stands between the texts on both sides of a range where a formatter left both as they were; null where it did not
 * (format-on-save.md, Stable Range Extraction).
 */
export const betweenStable = (before: string, after: string, { start, end }: Range): Range | null => {
  const behind = before.length - end
  if (after.length < start + behind) return null
  if (!after.startsWith(before.slice(0, start)) || !after.endsWith(before.slice(end))) return null
  return outsideLineEnd(after, { start, end: after.length - behind })
}

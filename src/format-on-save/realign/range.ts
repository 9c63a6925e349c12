import type { Range } from '../../text/changed-stretch.ts'

/** Moves the end of a range out of the middle of a CRLF. */
export const outsideLineEnd = (text: string, { start, end }: Range): Range =>
  end > start && text[end - 1] === '\r' && text[end] === '\n' ? { start, end: end - 1 } : { start, end }

/**
 * Gives what stands between the texts on both sides of a range where neither of them changed; else null (format-on-
 * save.md, Stable Range Extraction).
 *
 * @param shared how many units both texts share at their start and at their end
 */
export const betweenStable = (
  before: string,
  after: string,
  { start, end }: Range,
  shared: { prefix: number; suffix: number },
): Range | null => {
  const behind = before.length - end
  if (after.length < start + behind || start > shared.prefix || behind > shared.suffix) return null
  return outsideLineEnd(after, { start, end: after.length - behind })
}

/** Finds a fence, a comment or a tag that a text does not close: a rule that is added after it would become a part of it. */
import { lineNumbers } from '../text/line-ending.ts'
import { readMarkdown } from './markdown-parts.ts'

// An opening tag counts if it is alone on its line. It may be closed anywhere.
const OPENING =
  /^[ \t]*<(?!(?:br|hr|img|input|link|meta|p|li)\b)([A-Za-z][\w.:-]*)(?:[ \t][^<>\n]*)?(?<!\/)>[ \t]*$/gim
const CLOSING = /<\/([A-Za-z][\w.:-]*)>/g

/** Returns the number of the line with a fence, a comment or a tag that is open at an offset and never closed. */
export const unclosedLineAt = (text: string, at: number): number | undefined => {
  const [before, lines] = [text.slice(0, at), lineNumbers(text)]
  // A region that is still open at the offset contains the word that is added here.
  const { protectedRegions } = readMarkdown(`${before}\n\nx\n`)
  const open = protectedRegions.find(({ to }) => to > before.length + 1)
  if (open !== undefined) return lines[open.from]
  // Tags in code need no closing tag, so protected regions are blanked out.
  const units = before.split('')
  for (const { from, to } of protectedRegions) units.fill(' ', from, to)
  const unprotected = units.join('')
  const lastClosedAt = new Map(
    Array.from((unprotected + text.slice(at)).matchAll(CLOSING), ({ index, 1: tag }) => [tag, index]),
  )
  const unclosed = [...unprotected.matchAll(OPENING)].find(({ index, 1: tag }) =>
    (lastClosedAt.get(tag) ?? -1) < index
  )
  return unclosed && lines[unclosed.index]
}

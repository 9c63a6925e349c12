/** Finds a fence, a comment or a tag that a text never closes. A rule that is added after it would become a part of it. */
import { lineNumbers } from '../text/line-ending.ts'
import { readMarkdown } from './markdown-parts.ts'

// An opening tag counts if it is alone on its line. It may be closed anywhere.
const OPENING =
  /^[ \t]*<(?!(?:br|hr|img|input|link|meta|p|li)\b)([A-Za-z][\w.:-]*)(?:[ \t][^<>\n]*)?(?<!\/)>[ \t]*$/gim
const CLOSING = /<\/([A-Za-z][\w.:-]*)>/g

/** Returns the line of a fence, a comment or a tag that is open at an offset and never closed. */
export const unclosedLineAt = (text: string, at: number): number | undefined => {
  const [before, lines] = [text.slice(0, at), lineNumbers(text)]
  const { protectedRegions } = readMarkdown(`${before}\n\nx\n`)
  const open = protectedRegions.find(({ to }) => to > before.length + 1)
  if (open !== undefined) return lines[open.from]
  // Tags in code need no end.
  const units = before.split('')
  for (const { from, to } of protectedRegions) units.fill(' ', from, to)
  const tags = units.join('')
  const closed = new Map(
    Array.from((tags + text.slice(at)).matchAll(CLOSING), ({ index, 1: tag }) => [tag, index]),
  )
  const unclosed = [...tags.matchAll(OPENING)].find(({ index, 1: tag }) => (closed.get(tag) ?? -1) < index)
  return unclosed && lines[unclosed.index]
}

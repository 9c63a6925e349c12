/** Finds what a text opens and never closes: a rule that is added below would stand in it. */
import { lineNumbers } from '../text/line-ending.ts'
import { readMarkdown } from './markdown-parts.ts'

// A tag that opens a part of a text has a line of its own; it may be closed anywhere.
const OPENING =
  /^[ \t]*<(?!(?:br|hr|img|input|link|meta|p|li)\b)([A-Za-z][\w.:-]*)(?:[ \t][^<>\n]*)?(?<!\/)>[ \t]*$/gim
const CLOSING = /<\/([A-Za-z][\w.:-]*)>/g

/** Finds the line of a fence, a comment or a tag that is open at an offset and never closed. */
export const unclosedLineAt = (text: string, at: number): number | undefined => {
  const [before, lines] = [text.slice(0, at), lineNumbers(text)]
  const parts = readMarkdown(`${before}\n\nx\n`).protected
  const within = parts.find(({ to }) => to > before.length + 1)
  if (within !== undefined) return lines[within.from]
  // Tags in code need no end.
  const units = before.split('')
  for (const { from, to } of parts) units.fill(' ', from, to)
  const own = units.join('')
  const closed = new Map(
    Array.from((own + text.slice(at)).matchAll(CLOSING), ({ index, 1: tag }) => [tag, index]),
  )
  const unclosed = [...own.matchAll(OPENING)].find(({ index, 1: tag }) => (closed.get(tag) ?? -1) < index)
  return unclosed && lines[unclosed.index]
}

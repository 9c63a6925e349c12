/** What a text opens and never closes, in which no rule may stand. */
import { lineNumbers } from '../text/line-ending.ts'
import { readMarkdown } from './blocks.ts'
import { edited } from './lines.ts'

// A tag that opens a part of a text has a line of its own; it may be closed anywhere.
const OPENING =
  /^[ \t]*<(?!(?:br|hr|img|input|link|meta|p|li)\b)([A-Za-z][\w.:-]*)(?:[ \t][^<>\n]*)?(?<!\/)>[ \t]*$/gim
const CLOSING = /<\/([A-Za-z][\w.:-]*)>/g

/** Finds the line of what is open at an offset and never closed: a fence, a comment, a tag. */
export const openLineAt = (text: string, at: number): number | undefined => {
  const [before, lines] = [text.slice(0, at), lineNumbers(text)]
  const { barred } = readMarkdown(`${before}\n\nx\n`)
  const within = barred.find(({ to }) => to > before.length + 1)
  if (within !== undefined) return lines[within.from]
  // The tags of a sample need no end.
  const samples = barred.filter(({ kind }) => kind === 'code' || kind === 'a comment')
  const own = edited(before, samples.map(({ from, to }) => ({ from, to, text: ' '.repeat(to - from) })))
  const closed = new Map(
    Array.from((own + text.slice(at)).matchAll(CLOSING), ({ index, 1: tag }) => [tag, index]),
  )
  const unclosed = [...own.matchAll(OPENING)].find(({ index, 1: tag }) => (closed.get(tag) ?? -1) < index)
  return unclosed && lines[unclosed.index]
}

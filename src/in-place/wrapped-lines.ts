/** How the lines of a block are broken. */
import type { Block } from './blocks.ts'
import { lineStart, prefixOf, type Span } from './lines.ts'
import type { Row } from './restated-parts.ts'

export const LINE_BREAK = /\r\n|\n|\r/

// Longer lines nobody wraps by hand, but for those whose last word is an address.
const MAX_WIDTH = 120
const LAST_WORD = /\S+$/

/** Gives the longest line of a block that is wrapped; one of which each line is a sentence is not. */
export const widthOf = (text: string, { block, parts, hasOwnLines }: Row): number => {
  const isBroken = ({ from, to }: Span) => LINE_BREAK.test(text.slice(from, to))
  const gaps = parts.slice(1).map((part, index) => ({ from: parts[index]!.to, to: part.from }))
  const isWrapped = isBroken(block) && (parts.some(isBroken) || !hasOwnLines && !gaps.every(isBroken))
  const lines = text.slice(lineStart(text, block.from), block.to).split(LINE_BREAK)
  const widths = lines.map((line) =>
    line.length > MAX_WIDTH ? line.replace(LAST_WORD, '').length : line.length
  )
  const width = Math.max(...widths)
  return isWrapped && width <= MAX_WIDTH ? width : Infinity
}

/** Gives what the lines of a block but the first begin with. */
export const prefixIn = (text: string, { node, from, to, item }: Block): string =>
  /(?:\r\n|\n|\r)([ \t>]*)/.exec(text.slice(from, to))?.[1] ?? prefixOf(text, item ? node.from : from)

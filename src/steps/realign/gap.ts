/**
 * Lists the offsets at which a range may begin or end in a gap. A gap consists of the whitespace, separators and round
 * brackets between two other ("bare") characters.
 */

/** A gap that contains an edge (start or end) of a range. Example: the end of `⟦a;⟧ b`, formatted as `a;\nb`. */
export type Gap = {
  /** The part of the old gap before the edge: `;`. */
  left: string
  /** The part of the old gap after the edge: a space. */
  right: string
  /** The gap in the formatted text: `;\n`. */
  formatted: string
  /** Where `formatted` begins in the formatted text: 1. */
  offset: number
}

/** Lists the offsets at which the edge may be in `formatted`: after `left`, before `right`, or after a line break. */
const edgesOf = ({ left, right, formatted }: Gap) => {
  // Separators and closing brackets that a formatter inserted belong to the text before them: `⟦a⟧` → `⟦a;⟧`.
  const hadSome = /^[,;)]/.test(right)
  const insertedLength = hadSome ? 0 : /^[,;)]*/.exec(formatted.slice(left.length))![0].length
  return {
    afterLeft: formatted.startsWith(left) ? [left.length + insertedLength] : [],
    beforeRight: formatted.endsWith(right) ? [formatted.length - right.length] : [],
    // A formatter may have inserted a bracket at the start of the next line: `⟦a\n⟧b` → `⟦a;\n⟧(b)`.
    afterLine: left.endsWith('\n') ? [formatted.lastIndexOf('\n') + 1] : [],
  }
}

/** Lists the offsets in the formatted text at which a range may begin in a gap, the most likely one first. */
export const startsIn = (gap: Gap): Array<number> => {
  const { formatted, offset } = gap
  const { afterLeft, beforeRight, afterLine } = edgesOf(gap)
  // In the gap ` ((`, `beforeBare` is 3, and `beforeBrackets` is 1.
  const beforeBare = formatted.length
  const beforeBrackets = formatted.length - formatted.trimStart().length
  return [...beforeRight, ...afterLeft, ...afterLine, beforeBare, beforeBrackets].map((edge) => offset + edge)
}

/** Lists the offsets in the formatted text at which a range may end in a gap, the most likely one first. */
export const endsIn = (gap: Gap): Array<number> => {
  const { left, formatted, offset } = gap
  const { afterLeft, beforeRight, afterLine } = edgesOf(gap)
  // The formatter may have removed the range's own separator: `⟦a;⟧` → `⟦a⟧`.
  const afterBare = /^[,;]\s*$/.test(left) ? [0] : []
  const afterBrackets = formatted.trimEnd().length
  const edges = [...afterLeft, ...beforeRight, ...afterLine, ...afterBare, afterBrackets]
  return edges.map((edge) => offset + edge)
}

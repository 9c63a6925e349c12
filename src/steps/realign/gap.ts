/**
 * Lists the offsets in the formatted text at which a range may begin or end in a gap, the most likely one first. A gap
 * consists of the whitespace, separators and round brackets between two other ("bare") characters.
 */

/**
 * A gap around an edge (start or end) of a range. Example: for the end of `⟦a;⟧ b`, formatted as `a;\nb`, the gap is
 * `{ left: ';', right: ' ', formatted: ';\n', offset: 1 }`.
 */
export type Gap = { left: string; right: string; formatted: string; offset: number }

const edgesOf = ({ left, right, formatted }: Gap) => {
  // An inserted separator or closing bracket belongs to the text before it: `⟦a⟧` → `⟦a;⟧`.
  const hadSome = /^[,;)]/.test(right)
  const insertedLength = hadSome ? 0 : /^[,;)]*/.exec(formatted.slice(left.length))![0].length
  return {
    afterLeft: formatted.startsWith(left) ? [left.length + insertedLength] : [],
    beforeRight: formatted.endsWith(right) ? [formatted.length - right.length] : [],
    // A formatter may have inserted a bracket at the start of the next line: `⟦a\n⟧b` → `⟦a;\n⟧(b)`.
    afterLine: left.endsWith('\n') ? [formatted.lastIndexOf('\n') + 1] : [],
  }
}

export const startsIn = (gap: Gap): Array<number> => {
  const { formatted, offset } = gap
  const { afterLeft, beforeRight, afterLine } = edgesOf(gap)
  const beforeBare = formatted.length
  const beforeBrackets = formatted.length - formatted.trimStart().length
  return [...beforeRight, ...afterLeft, ...afterLine, beforeBare, beforeBrackets].map((edge) => offset + edge)
}

export const endsIn = (gap: Gap): Array<number> => {
  const { left, formatted, offset } = gap
  const { afterLeft, beforeRight, afterLine } = edgesOf(gap)
  // The formatter may have removed the range's own separator: `⟦a;⟧` → `⟦a⟧`.
  const afterBare = /^[,;]\s*$/.test(left) ? [0] : []
  const afterBrackets = formatted.trimEnd().length
  const edges = [...afterLeft, ...beforeRight, ...afterLine, ...afterBare, afterBrackets]
  return edges.map((edge) => offset + edge)
}

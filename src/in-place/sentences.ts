import type { Block, Span } from './blocks.ts'

// A full stop in "e.g." or "z. B." ends no sentence: one letter stands before it, and one before the stop before that.
const SENTENCE_END =
  /(?<!(?<!\p{L})\p{L}\.\s?\p{L})[.!?]+["'”’»)\]*_~]*(?=\s+[\p{Lu}\p{Lo}\p{N}\p{P}\p{S}])|[。！？]+[」』）”’"*_~]*/gu

/** Gives the spaces of a block at an offset. */
export const gapAt = ({ from, masked }: Pick<Block, 'from' | 'masked'>, at: number): string =>
  /^\s*/.exec(masked.slice(at - from))![0]

/** A sentence of a block, or a comment between sentences, by its offsets in the text. */
export type Sentence = Span & { isComment: boolean }

/** Lists the sentences of a block. Together they are all of it but the spaces between them. */
export const sentencesOf = ({ from, masked, comments }: Block): Array<Sentence> => {
  const ends = [...masked.matchAll(SENTENCE_END)].map(({ index, 0: end }) => from + index + end.length)
  const cuts = [...ends, ...comments.flatMap((comment) => [comment.from, comment.to]), from + masked.length]
  const sentences: Array<Sentence> = []
  let start = from
  for (const to of cuts.toSorted((one, other) => one - other)) {
    if (to <= start) continue
    const end = start + masked.slice(start - from, to - from).trimEnd().length
    sentences.push({ from: start, to: end, isComment: comments.some((comment) => comment.from === start) })
    start = to + gapAt({ from, masked }, to).length
  }
  return sentences
}

const COLON = /:["'*_”’»)\]]*(?=\s)|：["'*_”’»）\]]*/g

// A bold label at the start of a block: "**Tag.** …", "**Tag** – …".
const LABEL = /^(?:\*\*|__)[^*_]+(?:[.。](?:\*\*|__)|(?:\*\*|__)\s*(?:[.。]|[-–—](?=\s)))/

/** Finds the end of the bold label that a block begins with; gives the block's start where there is none. */
export const labelEnd = ({ from, masked }: Block): number => from + (LABEL.exec(masked)?.[0].length ?? 0)

/**
 * Finds the end of the lead-in of a block, such as `**Dates:**`: the last colon before an offset, or a bold label.
 * Gives the start of the block where there is none.
 */
export const leadInEnd = (block: Block, before: number): number => {
  const { from, masked } = block
  const colon = [...masked.slice(0, before - from + 1).matchAll(COLON)].at(-1)
  const ends = [labelEnd(block), from + (colon === undefined ? 0 : colon.index + colon[0].length)]
  return Math.max(from, ...ends.filter((end) => end <= before))
}

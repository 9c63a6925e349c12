import { NOTHING } from '../markdown/tree.ts'
import type { Block } from './blocks.ts'
import { IN_BRACKETS, ownLinesIn } from './labels.ts'
import { hasWords, type Span } from './lines.ts'

// What may follow the end of a sentence: closing marks, a tag as it is masked, and the mark of a footnote.
const CLOSING = '(?:["\'”’»)\\]*_~]|<=+>|\\[\\^?\\w{1,8}\\]|[¹²³⁰-⁹])*'

// A full stop in "e.g." or "z. B." ends no sentence: one letter stands before it, and one next to the stop before or after.
const SENTENCE_END = new RegExp(
  `(?<!(?<!\\p{L})\\p{L}\\.\\s?\\p{L})(?!(?<=(?<!\\p{L})\\p{Ll})\\.\\s\\p{L}\\.)[.!?]+${CLOSING}(?=\\s+[\\p{Lu}\\p{Lo}\\p{N}\\p{P}\\p{S}])`
    + '|(?![.!?])\\p{Sentence_Terminal}+[」』）”’"]*(?:[*_~]+(?![*_~\\p{L}\\p{N}]))?'
    // A line that imports a file, one above a reason.
    + '|(?=[\\r\\n])(?:(?<=(?:^|[\\r\\n])[ \\t]*@\\S+[ \\t]*)|(?=\\s*Reason:))'
    // A tag, a line broken by hand, a comment.
    + `|(?=<[bB][rR]\\s*/?>)|<[bB][rR]\\s*/?>|(?=\\v|(?<!${NOTHING})${NOTHING})|${NOTHING}+`,
  'gu',
)

// What each of these ends has: most items have none of it, and are read so in a tenth of the time.
const END_SIGN = new RegExp(`[\r\n\v<${NOTHING}]|\\p{Sentence_Terminal}`, 'u')

const GAP = /\s*/y

/** Gives the spaces of a block at an offset. */
export const gapAt = ({ from, masked }: Pick<Block, 'from' | 'masked'>, at: number): string => {
  GAP.lastIndex = at - from
  return GAP.exec(masked)![0]
}

/** A sentence of a block, or a sign before it; what is fixed stays whatever restates it: signs, comments, line breaks. */
export type Sentence = Span & { kind: 'sign' | 'sentence'; isFixed: boolean }

const STOP_BEFORE = new RegExp(`[.!?]${CLOSING}\\s+["'“„‘«(\\[*_~\`]*$`, 'u')
const GOES_ON = /[,，、؛،]\s*$/
const STOP_AFTER = new RegExp(`^[.!?]*${CLOSING}`, 'u')

/**
 * Finds the sentence ends that only a source's edges show: after a full stop before a small letter, or at the end of a
 * line: without a full stop, lines may be titles or items.
 */
const cutsOf = ({ from, masked }: Pick<Block, 'from' | 'masked'>, source: Span): Array<number> => {
  const [start, end] = [source.from - from, source.to - from]
  const [before, after] = [masked.slice(0, start), masked.slice(end)]
  const lineFrom = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1
  const lineTo = after.search(/[\r\n]|$/)
  const [beginsLine, endsLine] = [!hasWords(before.slice(lineFrom)), !hasWords(after.slice(0, lineTo))]
  const opening = /["'“„‘«([*_~`]*$/.exec(before)![0].length
  const closing = STOP_AFTER.exec(after)![0].length
  const isStop = /[.!?]/.test(masked.slice(end - 1, end + closing)) && /^(?:\s|$)/.test(after.slice(closing))
  // Prose that is wrapped goes on with a small letter, but for lines that all begin with one, or in a script without them.
  const isSmall = /^\P{L}*\p{Ll}/u.test(masked) && beginsLine && endsLine
  const [isUncasedBefore, isUncased] = [before, masked.slice(0, end)].map((one) => /\p{Lo}[\s>]*$/u.test(one))
  const isBegun = isSmall
    || beginsLine && !GOES_ON.test(before) && (isUncasedBefore || /^\P{Ll}/u.test(masked.slice(start)))
  const isEnded = isSmall
    || endsLine && (isUncased || /^\s+(?:[^\p{Ll}\s]|[\w-]+:(?:\s|$))/u.test(after.slice(lineTo)))
  return [
    ...(STOP_BEFORE.test(before) ? [source.from - opening] : []),
    ...(isBegun ? [from + lineFrom] : []),
    ...(isStop ? [source.to + closing] : []),
    ...(isEnded ? [source.to + lineTo] : []),
  ]
}

/** Gives a text of the same length without the sentence ends in brackets, which end a part of a sentence. */
const withoutInnerEnds = (masked: string): string =>
  masked.replace(
    IN_BRACKETS,
    (part) => part.replace(/\p{Sentence_Terminal}(?!$)/gu, (stop) => 'x'.repeat(stop.length)),
  )

/** A number within a line, before its words. */
const NUMBER = /^(?:[\d０-９]{1,2}[.)．）]|[(（]\w{1,2}[)）])(?:\s+|$)/

/**
 * Lists the sentences of a block. Together they are all of it but the spaces between them.
 *
 * @param sources parts that are restated; their edges may show where sentences end
 */
export const sentencesOf = (block: Block, sources: Array<Span> = []): Array<Sentence> => {
  const { from } = block
  const masked = withoutInnerEnds(block.masked)
  const lines = ownLinesIn(masked)
  const ends = Array.from(
    END_SIGN.test(masked) ? masked.matchAll(SENTENCE_END) : [],
    ({ index, 0: { length } }) => from + index + length,
  )
  const edges = sources.flatMap((source) => cutsOf({ from, masked }, source))
  const cuts = [...ends, ...edges, ...Array.from(lines.keys(), (at) => from + at), from + masked.length]
  const sentences: Array<Sentence> = []
  let start = from
  for (const to of cuts.toSorted((one, other) => one - other)) {
    const words = masked.slice(start - from, to - from).trimEnd()
    if (words === '') continue
    const sign = lines.get(start - from) || start > from && NUMBER.exec(words)?.[0].length || 0
    if (sign > 0) {
      const { length } = words.slice(0, sign).trimEnd()
      sentences.push({ from: start, to: start + length, kind: 'sign', isFixed: true })
    }
    const isFixed = words.startsWith(NOTHING) || /^<br\s*\/?>$/i.test(words)
    const end = start + words.length
    if (start + sign < end) sentences.push({ from: start + sign, to: end, kind: 'sentence', isFixed })
    start = to + gapAt(block, to).length
  }
  return sentences
}

/** Parts and rules in a row → their words as one text. */
import type { LineEnding } from '../text/line-ending.ts'
import type { Block } from './blocks.ts'
import { lineStart, prefixOf, type Span } from './lines.ts'
import { isAround, type Pair, pairsIn } from './marks.ts'
import type { Part, Row } from './rows.ts'
import { beginsLine, ended, piecesOf, type RuleWords, spaceAfter } from './rule-words.ts'

/** A part with its index in the row, and a rule that comes in its place. */
export type Piece = { part: Part; index: number; rule?: number | undefined }

/** Gives the words of a rule. */
export type WordsOf = (rule: number) => RuleWords

const ENDS_SENTENCE = /\p{Sentence_Terminal}(?:[^\p{L}\p{N}<[]|<[^<>]*>|\[\^?\w+\])*$/u

const LINE_BREAK = /\r\n|\n|\r/

// Longer lines nobody wraps by hand: what breaks them has another reason.
const MAX_WIDTH = 120

/** Gives the longest line of a block that is wrapped; one of which each line is a sentence is not. */
const widthOf = (text: string, { block, parts, hasOwnLines }: Row): number => {
  const isBroken = ({ from, to }: Span) => LINE_BREAK.test(text.slice(from, to))
  const gaps = parts.slice(1).map((part, index) => ({ from: parts[index]!.to, to: part.from }))
  const isWrapped = isBroken(block) && !hasOwnLines && (parts.some(isBroken) || !gaps.every(isBroken))
  const lines = text.slice(lineStart(text, block.from), block.to).split(LINE_BREAK)
  const width = Math.max(...lines.map(({ length }) => length))
  return isWrapped && width <= MAX_WIDTH ? width : Infinity
}

/** Gives what the lines of a block but the first begin with. */
const prefixIn = (text: string, { node, from, to, item }: Block): string =>
  /(?:\r\n|\n|\r)([ \t>]*)/.exec(text.slice(from, to))?.[1] ?? prefixOf(text, item ? node.from : from)

/** A row of a text that is laid out. */
export class Layout {
  /** What the lines of the block but the first begin with. */
  readonly prefix: string
  readonly text: string
  readonly lineBreak: LineEnding
  readonly row: Row
  readonly #pairs: Array<Pair>
  readonly #closed = new Set<Pair>()
  readonly #width: number
  readonly #words: WordsOf
  readonly #isLabelled: boolean

  /** @param isLabelled whether reasons stand on lines of their own, with a label */
  constructor(
    text: string,
    row: Row,
    { words, isLabelled, lineBreak }: { words: WordsOf; isLabelled: boolean; lineBreak: LineEnding },
  ) {
    this.text = text
    this.lineBreak = lineBreak
    this.row = row
    this.#words = words
    this.#isLabelled = isLabelled
    this.prefix = prefixIn(text, row.block)
    this.#pairs = pairsIn(text, row.block)
    this.#width = widthOf(text, row)
  }

  /** Whether a tag is around some of the parts. */
  get isTagged(): boolean {
    const { block, parts } = this.row
    return this.#pairs.some((pair) => pair.isTag && parts.some((part) => isAround(block, pair, part)))
  }

  /**
   * Lists the marks that are open before a part, or are around all that a rule restates. A tag stays with the first rule.
   */
  #marksOf({ part, rule }: Piece): Array<Pair> {
    if (rule === undefined) {
      return this.#openAt(part.from).filter((pair) => !this.#closed.has(pair))
    }
    const isMarked = /\*\*|__|(?<!\w)[*_]\w/.test(this.#words(rule).sentence)
    return this.#pairs.filter((pair) =>
      isAround(this.row.block, pair, part) && !this.#closed.has(pair) && (pair.isTag || !isMarked)
    )
  }

  #withoutTags(words: string, tags: Array<Span>): string {
    return tags.reduce((left, { from, to }) => left.replace(this.text.slice(from, to), ''), words)
  }

  /** Lists the marks that are open at an offset. */
  #openAt(at: number): Array<Pair> {
    return this.#pairs.filter((pair) => pair.open.from < at && pair.close.from >= at)
  }

  /** Gives the spaces between the parts of two pieces; those with a line break where parts that go are between them. */
  #gapBefore(piece: Piece, before: Piece | undefined): string {
    const { text, row: { parts } } = this
    let gap = ''
    for (let at = before?.index ?? piece.index; at < piece.index; at++) {
      if (!LINE_BREAK.test(gap)) gap = text.slice(parts[at]!.to, parts[at + 1]!.from)
    }
    return gap
  }

  /**
   * Lays pieces out: what stays as it stood, new words wrapped where the block is, reasons after their rules. Marks that
   * these share with others are closed at their end.
   *
   * @param prefix what all lines but the first begin with
   * @param column where the first line begins
   */
  words(pieces: Array<Piece>, prefix: string, column: number): string {
    const { text, lineBreak } = this
    let out = ''
    const isFull = (words: string): boolean => {
      if (this.#width === Infinity) return false
      const start = Math.max(out.lastIndexOf('\n'), out.lastIndexOf('\r')) + 1
      const line = out.slice(start)
      return /[^\s>]/.test(line) && (start === 0 ? column : 0) + line.length + words.length > this.#width
    }
    const add = (space: string, words: string): void => {
      const isNext = beginsLine(words.split(' ')[0]!) && isFull(space + words.split(LINE_BREAK)[0])
      out += (isNext ? lineBreak + prefix : space) + words
    }
    const addWords = (space: string, words: string): void =>
      piecesOf(words).forEach((one, index) => add(index === 0 ? space : one.space, one.word))
    let open: Array<Pair> = []
    const closeAllBut = (kept: Array<Pair>): void => {
      const same = open.findIndex((pair, index) => pair !== kept[index])
      for (const pair of same < 0 ? [] : open.splice(same).reverse()) {
        out += text.slice(pair.close.from, pair.close.to)
        if (pair.isTag) this.#closed.add(pair)
      }
    }
    // A reason with a label has its line for itself.
    let isLine = false
    pieces.forEach((piece, at) => {
      const { part, rule } = piece
      const before = pieces[at - 1]
      const gap = this.#gapBefore(piece, before)
      const next = pieces[at + 1]
      // What ends before the words after a sign or a label ends before that.
      const isLead = part.kind !== 'sentence' && next !== undefined
      const marks = this.#marksOf(piece).filter((pair) => !isLead || this.#marksOf(next).includes(pair))
      closeAllBut(marks)
      const opening = marks.slice(open.length).map((pair) => text.slice(pair.open.from, pair.open.to)).join(
        '',
      )
      const isBroken = out !== '' && (isLine || LINE_BREAK.test(gap))
      if (isBroken) {
        const isKept = prefix === this.prefix && LINE_BREAK.test(gap)
        out += isKept ? gap : gap.replace(/(?:\r\n|\n|\r)?[ \t>]*$/, '') + lineBreak + prefix
      }
      const isNew = before?.rule !== undefined || rule !== undefined && before?.part.kind !== 'sign'
      const space = isBroken || out === '' ? '' : gap || (isNew ? spaceAfter(out) : '')
      if (rule === undefined) {
        const closed = [...this.#closed].map(({ close }) => close)
          .filter(({ from, to }) => from >= part.from && to <= part.to)
        const raw = this.#withoutTags(text.slice(part.from, part.to), closed)
        add(
          space,
          opening + (prefix === this.prefix ? raw : raw.replace(/(\r\n|\n|\r)[ \t>]*/g, `$1${prefix}`)),
        )
        open = this.#openAt(part.to).filter((pair) => marks.includes(pair) || pair.open.from >= part.from)
        isLine = false
        return
      }
      const { reason } = this.#words(rule)
      const tags = marks.filter(({ isTag }) => isTag).flatMap(({ open, close }) => [open, close])
      const sentence = this.#withoutTags(this.#words(rule).sentence, tags)
      const isFollowed = next !== undefined
        && !(this.row.hasOwnLines && LINE_BREAK.test(this.#gapBefore(next, piece)))
      const isSentence = reason !== '' && !this.#isLabelled
      const isEnded = isSentence || isFollowed && ENDS_SENTENCE.test(text.slice(part.from, part.to))
      addWords(space, opening + (isEnded ? ended(sentence) : sentence))
      open = marks
      const isLonger = ({ close }: Pair) => close.from >= part.to
      closeAllBut(marks.filter((pair) => pair.isTag || isLonger(pair)))
      if (isSentence) addWords(spaceAfter(out), isFollowed ? ended(reason) : reason)
      isLine = reason !== '' && this.#isLabelled
      if (isLine) out += `${lineBreak}${prefix}Reason: ${reason}`
      closeAllBut(open.filter(isLonger))
    })
    closeAllBut([])
    return out
  }
}
